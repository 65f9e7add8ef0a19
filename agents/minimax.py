"""A guesser for the worst case, and the search for certain wins, whatever the host does.

The host may change its word, as long as a listed word fits all that was shown. The words that still
fit and the misses that the guesser has to spare are the whole state: a letter at the same places of
all words tells nothing. A subset of the words is never harder to win, so:

- A letter in all words is guessed at once: it costs nothing.
- If the words with a letter at certain places cannot be won, the whole set cannot. Other letters
  are searched only if a miss refutes this one.
- Words that differ in one letter alone, as bat, cat and hat, need a miss for each but the last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import get_num_threads

from hangman_lab.agents.base import Agent
from hangman_lab.agents.dictionary import DictionaryAgent
from hangman_lab.envs.bits import strip_padding
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, as_words
from hangman_lab.envs.hangman.observation import Observations, unique_observations
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_sets import matching_rows

WIN, NO_WIN, UNKNOWN = 1, 0, -1
_TABLE_SIZE = 2**12
_BUDGET = 300_000  # The limit of a search, in words looked at.


class SearchTables(NamedTuple):
    """What a search knows of words; rows are those of :class:`WordSets`."""

    places: npt.NDArray[np.uint32]  #: shape (words, 26): The places of each letter, as bits.
    keys: npt.NDArray[np.int64]  #: shape (words,): For Zobrist hashing of sets of words.
    weights: npt.NDArray[np.int64]  #: shape (words,): 1 or more.
    #: shape (words, K): The groups of the word, then -1. The words of a group differ in one letter.
    groups: npt.NDArray[np.int64]


def search_tables(codes: npt.NDArray[np.uint8]) -> SearchTables:
    """Return the tables of distinct words, whose ``codes`` are those of :class:`EncodedWords`."""
    size, width = codes.shape
    random = np.random.default_rng(0)
    keys = random.integers(2**64, size=(size,), dtype=np.uint64).view(np.int64)
    salts = random.integers(2**64, size=width, dtype=np.uint64)
    places = np.zeros((size, NUM_LETTERS), np.uint32)
    hashes = np.zeros((size, NUM_LETTERS), np.uint64)
    for letter in range(NUM_LETTERS):
        is_letter = codes == letter + FIRST_LETTER
        places[:, letter] = is_letter @ (np.uint32(1) << np.arange(width, dtype=np.uint32))
        hashes[:, letter] = np.where(is_letter, BLANK, codes) @ salts
    _, inverse, counts = np.unique(hashes[places > 0], return_inverse=True, return_counts=True)
    groups = np.full(hashes.shape, -1)
    groups[places > 0] = np.where(counts[inverse] > 1, inverse, -1)
    groups = -np.sort(-groups, axis=1)
    groups = groups[:, (groups >= 0).any(axis=0)].copy()
    return SearchTables(places, keys, np.ones(size, np.int64), groups)


class CandidateSearchAgent(Agent, ABC):
    """Searches the listed words that match; without any it guesses as :class:`DictionaryAgent`."""

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words; duplicates have no effect."""
        self.dictionary_ = DictionaryAgent().fit(sorted(set(as_words("words", words))))
        self.index_ = self.dictionary_.index_
        self.tables_ = search_tables(self.index_.codes)
        return self

    def act_batch(
        self, observations: Observations, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return a letter for each of N games; see :meth:`Agent.act`."""
        drawn = self._draw(observations["word"], keys)
        states, state_of_game = unique_observations(observations, observations["lives"], drawn)
        letters = self.dictionary_.act_batch(states)
        strategies = np.empty_like(letters)
        strategies[state_of_game] = drawn

        def search(state: int) -> None:
            guessed = states["guessed"][state]
            word = strip_padding(states["word"][state], guessed)
            rows = matching_rows(word, guessed, self.index_, True, True)
            if len(rows) > 1:
                letters[state] = self._choose(rows, states["lives"][state], strategies[state])

        with ThreadPoolExecutor(get_num_threads()) as pool:
            list(pool.map(search, range(len(letters))))
        return letters[state_of_game]

    def _draw(
        self, words: npt.NDArray[np.uint8], keys: npt.NDArray[np.uint64] | None
    ) -> npt.NDArray[np.int64]:
        """Return the number of the strategy for each game, shape (N,)."""
        return np.zeros(len(words), np.int64)

    @abstractmethod
    def _choose(self, rows: npt.NDArray[np.int64], lives: int, strategy: int) -> int:
        """Return a letter, where two or more words match; ``rows`` may be reordered."""


class MinimaxAgent(CandidateSearchAgent):
    """Guesses a letter that wins whatever the host does, or the one with the smallest worst family.

    If no letter wins for certain with the lives left, the one that does with the fewest more lives
    is guessed: the host may not be the worst. The search has a limit. A family is the set of the
    listed words that match after one of the host's answers. Ties go to the letter that more
    matching words contain, then to the first in the alphabet.

    References
    ----------
    The choice by the worst family is that of D. E. Knuth, "The computer as Master Mind", Journal of
    Recreational Mathematics 9 (1976).
    """

    def _choose(self, rows: npt.NDArray[np.int64], lives: int, strategy: int) -> int:
        words = self.tables_
        if len(rows) > lives:
            table = np.zeros((_TABLE_SIZE, 3), np.int64)
            budget = np.array([_BUDGET])
            for misses_left in range(lives - 1, min(NUM_LETTERS, len(rows) - 1)):
                result, letter = certain_win(rows, misses_left, words, table, budget)
                if result == WIN:
                    return letter
        places = words.places[rows]
        worst = [np.unique(column, return_counts=True)[1].max() for column in places.T]
        return np.lexsort((-(places > 0).sum(axis=0), worst))[0]


@njit
def certain_win(rows, misses_left, words, table, budget):
    """Return WIN if a guesser can win all words of ``rows``, NO_WIN if not, else UNKNOWN.

    With it, the letter to guess for a WIN that was searched for; -1 if there are at most
    ``misses_left + 1`` rows, or ``table`` has the result. ``misses_left`` misses do not lose, the
    next one does. ``rows`` are reordered. ``budget``, shape (1,), decreases by the words looked at;
    below 0 the result is UNKNOWN. ``table``, int64, shape (2**n, 3), first 0: the key of a set, the
    fewest misses not refuted, and the fewest known to be enough.
    """
    size = len(rows)
    # Every miss with a letter of some word eliminates a word.
    if size <= misses_left + 1:
        return WIN, -1
    budget[0] -= size
    if budget[0] < 0:
        return UNKNOWN, -1
    key = words.keys[rows].sum()
    bounds = _bounds_of(key, table)
    if misses_left < bounds[1]:
        return NO_WIN, -1
    if misses_left >= bounds[2]:
        return WIN, -1
    groups = words.groups[rows].ravel()
    groups = np.sort(groups[groups >= 0])
    # Sorted, so that these are equal if a group has more than ``misses_left + 1`` words.
    later = groups[misses_left + 1 :]
    if (later == groups[: len(later)]).any():
        bounds[1] = misses_left + 1
        return NO_WIN, -1
    counts = count_letters(rows, words)[0]
    result, letter = NO_WIN, -1
    while result == NO_WIN and counts.any():
        letter = counts.argmax()
        if misses_left == 0 and counts[letter] < size:
            break
        has_letter = words.places[rows, letter] > 0
        misses = size - np.count_nonzero(has_letter)
        rows[:] = np.append(rows[~has_letter], rows[has_letter])
        counts[letter] = 0
        result = certain_win(rows[:misses], misses_left - 1, words, table, budget)[0]
        if result == WIN:
            hits = rows[misses:]
            ends = misses + group_families(hits, words.places[hits, letter])
            # The largest family first: it is the likeliest to refute the letter.
            for family in np.argsort(ends[:-1] - ends[1:], kind="mergesort"):
                part = rows[ends[family] : ends[family + 1]]
                result = certain_win(part, misses_left, words, table, budget)[0]
                if result != WIN:
                    break
            break
    bounds = _bounds_of(key, table)
    if result == WIN:
        bounds[2] = misses_left
    elif result == NO_WIN:
        bounds[1] = misses_left + 1
    return result, letter


@njit
def _bounds_of(key, table):
    """Return the row of a set in the table; another set there is replaced."""
    bounds = table[key & (len(table) - 1)]
    if bounds[0] != key:
        bounds[:] = key, 0, NUM_LETTERS
    return bounds


@njit
def count_letters(rows, words):
    """Return the weight of the words with each letter, and that of all words.

    A letter at the same places of all words has 0.
    """
    counts, total = np.zeros(NUM_LETTERS, np.int64), 0
    for row in rows:
        total += words.weights[row]
        for letter in range(NUM_LETTERS):
            if words.places[row, letter]:
                counts[letter] += words.weights[row]
    for letter in range(NUM_LETTERS):
        if counts[letter] == total:
            places = words.places[rows, letter]
            if (places == places[0]).all():
                counts[letter] = 0
    return counts, total


@njit
def group_families(rows, answers):
    """Reorder ``rows`` and their ``answers``, so that equal answers are together.

    Returns where each family begins, and the end.
    """
    ends = np.zeros(len(rows) + 1, np.int64)
    families = end = 0
    while end < len(rows):
        answer = answers[end]
        for k in range(end, len(rows)):
            if answers[k] == answer:
                rows[k], rows[end] = rows[end], rows[k]
                answers[k], answers[end] = answers[end], answers[k]
                end += 1
        families += 1
        ends[families] = end
    return ends[: families + 1]
