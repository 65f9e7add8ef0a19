"""Guessers by the listed words that match the masked word, and one at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Agent, PosteriorAgent
from hangman_lab.agents.common import people_probabilities, people_words
from hangman_lab.envs.bits import lowest_bit, word_length
from hangman_lab.envs.encoding import FIRST_LETTER, NUM_LETTERS, as_words
from hangman_lab.envs.errors import check_number
from hangman_lab.envs.hangman.observation import Observations, select
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_sets import index_words, matching_rows


class DictionaryAgent(PosteriorAgent):
    """Guesses the letter that most matching words of the list contain.

    A word matches if it agrees with the shown places, has no wrong letter and has no shown letter
    behind a blank. If no matching word has an unguessed letter, shown letters behind blanks are
    allowed; then the letter frequencies of the whole list decide. If the secret is drawn from the
    list, ``letter_probabilities`` is exact unless ``literal``.

    Parameters
    ----------
    literal : bool, default False
        Play the benchmark of the public challenge's problem statement: wrong guesses are ignored,
        and every occurrence of a letter counts.
    common : float, default 0
        The probability, 0 to 1, that the secret was chosen as people choose words, see
        :mod:`agents.common`. Above 0, matching words count by their probability, and the words that
        people choose are listed, too.
    """

    uses_lives = False

    def __init__(self, literal: bool = False, common: float = 0.0) -> None:
        self.literal = literal
        self.common = check_number("common", common, 0, 1)

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words."""
        words = as_words("words", words)
        self.weights_ = np.ones(len(words))
        if self.common:
            listed = set(words)
            # In the order of the index, and alphabetically: sums depend on the order.
            words = tuple(sorted(sorted(listed.union(people_words())), key=len))
            equal = [(1 - self.common) / len(listed) * (word in listed) for word in words]
            self.weights_ = equal + self.common * people_probabilities(words)
        self.index_ = index_words(words)
        self.letter_counts_ = self.index_.letter_counts()
        self.word_counts_ = self.index_.word_counts()
        return self

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the letter frequencies among the matching words, shape (N, 26)."""
        word, guessed, index = observations["word"], observations["guessed"], self.index_
        if self.literal:
            counts = count_places(word, guessed, index, False).sum(axis=1)
            return back_off(observations, counts, self.letter_counts_)
        counts, _ = count_words(word, guessed, index, self.weights_, True, True)
        scores = back_off(observations, counts)
        undecided = ~scores.any(axis=1)
        states = select(observations, undecided)
        counts, _ = count_words(
            states["word"], states["guessed"], index, self.weights_, True, False
        )
        scores[undecided] = back_off(states, counts, self.word_counts_)
        return scores

    def _letter_probabilities(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the share of the matching words that contain each letter, shape (N, 26)."""
        word, guessed, exclude = observations["word"], observations["guessed"], not self.literal
        counts, total = count_words(word, guessed, self.index_, self.weights_, exclude, exclude)
        shares = np.where(
            total[:, None] > 0,
            counts / np.where(total > 0, total, 1)[:, None],
            self.word_counts_ / max(len(self.index_.letters), 1),
        )
        return np.where(guessed != 0, 0.0, shares)


class RandomAgent(Agent):
    """Samples an unguessed letter uniformly."""

    draws = True
    uses_lives = False

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return 1 for each letter, shape (N, 26)."""
        return np.ones(observations["guessed"].shape)

    def _distinct(self, observations: Observations) -> tuple[Observations, npt.NDArray[np.intp]]:
        # To score all states is faster than to find equal ones.
        return observations, np.arange(len(observations["lives"]))


class OverallFrequencyAgent(Agent):
    """Samples an unguessed letter by its number of occurrences in the matching words.

    A listed word matches if it agrees with the shown places and has no wrong letter. A shown
    letter may also be behind a blank, as in ``WordWithFilter`` of the source. If no matching word
    has an unguessed letter, the letter frequencies of the whole list decide.

    Parameters
    ----------
    greedy : bool, default False
        Take the most frequent letter instead of sampling.
    seed : int, default 0
        The seed of the samples.

    References
    ----------
    "Hangman", 14 September 2010: ``OverallFrequency``,
    ``ProbabilisticCharacterGuess``, ``WordWithFilter`` and ``WordWithoutFilter``.
    """

    uses_lives = False

    def __init__(self, greedy: bool = False, seed: int = 0) -> None:
        super().__init__(seed)
        self.draws = not greedy

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words."""
        self.index_ = index_words(words)
        self.letter_counts_ = self.index_.letter_counts()
        return self

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the occurrences of each letter in the matching words, shape (N, 26)."""
        word, guessed = observations["word"], observations["guessed"]
        counts = count_places(word, guessed, self.index_, True).sum(axis=1)
        return back_off(observations, counts, self.letter_counts_)


class TopHeavyFrequencyAgent(OverallFrequencyAgent):
    """Samples a letter by its frequency at the blank with the most skewed distribution.

    The matching words and the parameters are those of :class:`OverallFrequencyAgent`. At each
    blank, the unguessed letters of these words are sorted by frequency. The skew of the blank is
    the share of the top floor(k / 2) of its k possible letters; with one possible letter it is 0.
    Ties go to the first blank.

    References
    ----------
    "Hangman", 14 September 2010: ``TopHeavyFrequency`` and ``Skewed``.
    """

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the letter frequencies at the blank with the highest skew, shape (N, 26)."""
        word, guessed = observations["word"], observations["guessed"]
        counts = count_places(word, guessed, self.index_, True)
        counts = np.where(guessed[:, None] != 0, 0, counts)
        descending = -np.sort(-counts, axis=2)
        num_letters = (counts > 0).sum(axis=2, keepdims=True)
        in_first_half = np.arange(NUM_LETTERS) < num_letters // 2
        totals = counts.sum(axis=2)
        skews = np.where(in_first_half, descending, 0).sum(axis=2) / np.maximum(totals, 1)
        # Shown places have no unguessed letter.
        best = np.where(totals > 0, skews, -1.0).argmax(axis=1)
        counts = counts[np.arange(len(counts)), best]
        return back_off(observations, counts, self.letter_counts_)


def back_off(observations: Observations, *counts: npt.NDArray) -> npt.NDArray[np.float64]:
    """Return each game's first letter counts with an unguessed letter, shape (N, 26)."""
    new = observations["guessed"] == 0
    scores = np.zeros(new.shape)
    for part in counts:
        scores = np.where(scores.any(axis=1, keepdims=True), scores, np.where(new, part, 0.0))
    return scores


@njit
def count_words(word, guessed, words, weights, exclude_wrong, exclude_shown):
    """Sum the weights of the matching words with each letter, shape (N, 26), and of all of them.

    ``weights``, shape (words,), are those of the words; ``exclude_wrong`` and ``exclude_shown`` are
    those of :func:`envs.word_sets.matching_set`.
    """
    counts = np.zeros((len(word), NUM_LETTERS), dtype=np.float64)
    totals = np.zeros(len(word), dtype=np.float64)
    for game in range(len(word)):
        masked = word[game, : word_length(word[game])]
        rows = matching_rows(masked, guessed[game], words, exclude_wrong, exclude_shown)
        for row in rows:
            totals[game] += weights[row]
            letters = np.uint64(words.letters[row])
            while letters:
                counts[game, lowest_bit(letters)] += weights[row]
                letters &= letters - np.uint64(1)
    return counts, totals


@njit
def count_places(word, guessed, words, exclude_wrong):
    """Count the letters of the words that match the shown places, shape (N, width, 26)."""
    counts = np.zeros((*word.shape, NUM_LETTERS), dtype=np.int32)
    for game in range(len(word)):
        masked = word[game, : word_length(word[game])]
        rows = matching_rows(masked, guessed[game], words, exclude_wrong, False)
        for place in range(len(masked)):
            for row in rows:
                counts[game, place, words.codes[row, place] - FIRST_LETTER] += 1
    return counts
