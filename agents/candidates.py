"""Letter frequencies in the words of a list that could be the hidden one, found with bit sets.

They are counts of bits, or, where few candidates are left, counts over the candidates' letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.word_sets import (
    WordArrays,
    WordSets,
    count_bits,
    fitting_set,
    word_length,
    word_sets,
    write_numbers,
)
from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS
from envs.hangman.observation import Observation


class IndexTables(NamedTuple):
    """What compiled code reads of a :class:`CandidateIndex`.

    Attributes
    ----------
    words : WordSets
    place_counts : ndarray of int64, shape (33, 32, 26)
        How often each letter stands at each place of the words of each length.
    """

    words: WordSets
    place_counts: npt.NDArray[np.int64]


class CandidateIndex:
    """The words of a list, by length, place and letter.

    Parameters
    ----------
    words : sequence of str
        Lower-case words of 1 to 32 letters a to z; duplicates count as often as they stand there.

    Attributes
    ----------
    letter_counts : ndarray of int64, shape (26,)
        How often each letter stands in the whole list.
    word_counts : ndarray of int64, shape (26,)
        How many words of the whole list have each letter.
    num_words : int
    tables : IndexTables
    """

    def __init__(self, words: Sequence[str]) -> None:
        arrays = WordArrays.of(words)
        arrays = arrays.take(np.argsort(arrays.lengths, kind="stable"))
        sets = word_sets(arrays)
        place_counts = np.zeros((MAX_LENGTH + 1, MAX_LENGTH, NUM_LETTERS), dtype=np.int64)
        _count_places(arrays.codes, arrays.lengths, place_counts)
        self.num_words = len(words)
        self.letter_counts = place_counts.sum(axis=(0, 1))
        self.word_counts = (sets.letters[:, None] >> np.arange(NUM_LETTERS) & 1).sum(axis=0)
        self.tables = IndexTables(sets, place_counts)

    def count(
        self,
        observations: Observation,
        exclude_wrong: bool = True,
        exclude_shown: bool = True,
        once_a_word: bool = True,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Count the letters of the candidates of each game.

        A candidate agrees with the places that are shown; the first two parameters ask for more.

        Parameters
        ----------
        observations : Observation
            Of N games.
        exclude_wrong : bool
            Leave out words that have a wrong letter.
        exclude_shown : bool
            Leave out words that have a shown letter behind a blank.
        once_a_word : bool
            Count the words that have a letter, rather than the places where it stands.

        Returns
        -------
        counts : ndarray of int64, shape (N, 26)
        num_candidates : ndarray of int64, shape (N,)
        """
        word, guessed = observations["word"], observations["guessed"]
        return _count(word, guessed, self.tables, exclude_wrong, exclude_shown, once_a_word)

    def count_by_place(
        self, observations: Observation, exclude_wrong: bool = True, exclude_shown: bool = True
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Count the letters of the candidates of each game behind each blank.

        Parameters
        ----------
        observations, exclude_wrong, exclude_shown
            As of :meth:`count`.

        Returns
        -------
        counts : ndarray of int32, shape (N, width, 26)
            0 at places that are shown and after the end of the word.
        num_candidates : ndarray of int64, shape (N,)
        """
        word, guessed = observations["word"], observations["guessed"]
        return _count_by_place(word, guessed, self.tables, exclude_wrong, exclude_shown)


@njit(cache=True)
def _count_places(codes, lengths, place_counts):
    for number in range(len(codes)):
        for place in range(lengths[number]):
            place_counts[lengths[number], place, codes[number, place] - FIRST_LETTER] += 1


@njit(cache=True)
def count_letters(found, where, num_found, length, words, once_a_word, counts):
    """Add the letters of a set of words of one length to ``counts``, in compiled code.

    Parameters
    ----------
    found : ndarray of uint64
        The set.
    where : ndarray of int64
        Its chunks that are not empty.
    num_found : int
        The number of its words.
    length : int
    words : WordSets
    once_a_word : bool
    counts : ndarray of int64, shape (26,)
    """
    sets_counted = NUM_LETTERS if once_a_word else NUM_LETTERS * length
    if num_found * length < sets_counted * len(where):
        numbers = np.empty(num_found, dtype=np.int64)
        write_numbers(found, where, words.first_word[length], numbers)
        for number in numbers:
            seen = 0
            for place in range(length):
                letter = words.codes[number, place] - FIRST_LETTER
                if not (once_a_word and seen >> letter & 1):
                    seen |= 1 << letter
                    counts[letter] += 1
        return
    size = words.chunks[length]
    base = words.first_set[length] + size + (0 if once_a_word else NUM_LETTERS * size)
    for _ in range(1 if once_a_word else length):
        for letter in range(NUM_LETTERS):
            counts[letter] += _count_common(found, where, words.sets, base)
            base += size


@njit(cache=True)
def _count_common(found, where, sets, base):
    """Return how many words of a set are in another one, which begins at ``base``."""
    total = 0
    for chunk in where:
        total += count_bits(found[chunk] & sets[base + chunk])
    return total


@njit(cache=True)
def _count(word, guessed, tables, exclude_wrong, exclude_shown, once_a_word):
    words, place_counts = tables
    counts = np.zeros((len(word), NUM_LETTERS), dtype=np.int64)
    num_candidates = np.zeros(len(word), dtype=np.int64)
    found = np.empty(max(1, words.chunks.max()), dtype=np.uint64)
    where = np.empty(len(found), dtype=np.int64)
    for game in range(len(word)):
        length = word_length(word[game])
        num_found, filled = fitting_set(
            word[game], guessed[game], length, words, exclude_wrong, exclude_shown, found, where
        )
        num_candidates[game] = num_found
        if num_found == 0:
            continue
        if num_found == words.first_word[length + 1] - words.first_word[length] and not once_a_word:
            for place in range(length):
                counts[game] += place_counts[length, place]
            continue
        count_letters(found, where[:filled], num_found, length, words, once_a_word, counts[game])
    return counts, num_candidates


@njit(cache=True)
def _count_by_place(word, guessed, tables, exclude_wrong, exclude_shown):
    words, place_counts = tables
    num_games, width = word.shape
    counts = np.zeros((num_games, width, NUM_LETTERS), dtype=np.int32)
    num_candidates = np.zeros(num_games, dtype=np.int64)
    found = np.empty(max(1, words.chunks.max()), dtype=np.uint64)
    where = np.empty(len(found), dtype=np.int64)
    numbers = np.empty(NUM_LETTERS * len(found), dtype=np.int64)
    for game in range(num_games):
        length = word_length(word[game])
        num_found, filled = fitting_set(
            word[game], guessed[game], length, words, exclude_wrong, exclude_shown, found, where
        )
        num_candidates[game] = num_found
        if num_found == 0:
            continue
        blanks = np.flatnonzero(word[game, :length] == BLANK)
        if num_found == words.first_word[length + 1] - words.first_word[length]:
            for place in blanks:
                counts[game, place] = place_counts[length, place]
        elif num_found < NUM_LETTERS * filled:
            write_numbers(found, where[:filled], words.first_word[length], numbers)
            for number in numbers[:num_found]:
                for place in blanks:
                    counts[game, place, words.codes[number, place] - FIRST_LETTER] += 1
        else:
            size = words.chunks[length]
            for place in blanks:
                base = words.first_set[length] + (1 + NUM_LETTERS * (1 + place)) * size
                for letter in range(NUM_LETTERS):
                    counts[game, place, letter] = _count_common(
                        found, where[:filled], words.sets, base + letter * size
                    )
    return counts, num_candidates
