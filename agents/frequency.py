"""Guessers that sample letters: uniformly, by overall frequency, or by frequency at one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Agent
from hangman_lab.agents.dictionary import back_off, count_places
from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.word_sets import index_words


class RandomAgent(Agent):
    """Samples an unguessed letter uniformly."""

    draws = True
    uses_lives = False

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return 1 for each letter, shape (N, 26)."""
        return np.ones(observations["guessed"].shape)


class OverallFrequencyAgent(Agent):
    """Samples an unguessed letter by its number of occurrences in the matching words.

    A listed word matches if it agrees with the shown places and has no wrong letter. A shown
    letter may also be behind a blank, as in ``WordWithFilter`` of the source.

    Parameters
    ----------
    greedy : bool, default False
        Take the most frequent letter instead of sampling.
    seed : int, default 0
        The seed of the samples.

    Notes
    -----
    If no matching word has an unguessed letter, the letter frequencies of the whole list decide.
    This cannot happen in the source, whose secrets are from its list.

    References
    ----------
    "Hangman", 14 September 2010: ``OverallFrequency``,
    ``ProbabilisticCharacterGuess``, ``WordWithFilter`` and ``WordWithoutFilter``.
    """

    uses_lives = False

    def __init__(self, greedy: bool = False, seed: int = 0) -> None:
        self.draws = not greedy
        self.seed = seed

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words."""
        self.index_ = index_words(words)
        self.letter_counts_ = self.index_.letter_counts()
        return self

    def _count_places(self, observations: Observations) -> npt.NDArray[np.int32]:
        """Count the letters of the matching words by place, shape (N, width, 26)."""
        return count_places(observations["word"], observations["guessed"], self.index_, True)

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the occurrences of each letter in the matching words, shape (N, 26)."""
        counts = self._count_places(observations).sum(axis=1)
        return back_off(observations, counts, self.letter_counts_, np.ones(NUM_LETTERS))


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
        guessed = observations["guessed"][:, None, :] != 0
        counts = np.where(guessed, 0, self._count_places(observations))
        descending = -np.sort(-counts, axis=2)
        num_letters = (counts > 0).sum(axis=2, keepdims=True)
        in_first_half = np.arange(NUM_LETTERS) < num_letters // 2
        totals = counts.sum(axis=2)
        skews = np.where(in_first_half, descending, 0).sum(axis=2) / np.maximum(totals, 1)
        # Shown places have no unguessed letter.
        best = np.where(totals > 0, skews, -1.0).argmax(axis=1)
        counts = counts[np.arange(len(counts)), best]
        return back_off(observations, counts, self.letter_counts_, np.ones(NUM_LETTERS))
