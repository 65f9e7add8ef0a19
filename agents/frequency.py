"""Drawing letters at random: uniformly, by overall frequency, or by frequency at one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from agents.base import ScoringAgent
from agents.dictionary import CandidateIndex
from envs.encoding import NUM_LETTERS
from envs.hangman.observation import Observation


class RandomAgent(ScoringAgent):
    """Draws each letter that has not been guessed with the same probability.

    Parameters
    ----------
    seed : int, default 0
    """

    uses_lives = False

    def __init__(self, seed: int = 0) -> None:
        super().__init__(greedy=False, seed=seed)

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return 1 for each letter, shape (N, 26)."""
        return np.ones(observations["guessed"].shape)


class OverallFrequencyAgent(ScoringAgent):
    """Draws a letter by its frequency among the words of the list that are left.

    Left are the words of the secret's length that have no wrong letter and agree with the places
    that are shown. A shown letter may be behind a blank too, as in the source's
    ``WordWithFilter``. Each occurrence of a letter counts, so that a word counts twice for a
    letter that it has twice, and letters that have been guessed are left out.

    Parameters
    ----------
    greedy : bool, default False
        Take the most frequent letter instead of drawing by frequency.
    seed : int, default 0
        Of the draws.

    Notes
    -----
    The source plays words of its own list only, so that a word with new letters is always left.
    Where none is, the frequencies of the whole list decide.

    References
    ----------
    "Hangman", 14 September 2010: ``OverallFrequency``,
    ``ProbabilisticCharacterGuess``, ``WordWithFilter`` and ``WordWithoutFilter``. It has no other
    constant than the six wrong guesses that lose.
    """

    uses_lives = False

    def __init__(self, greedy: bool = False, seed: int = 0) -> None:
        super().__init__(greedy, seed)

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words."""
        self.index_ = CandidateIndex(words)
        return self

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return how often each letter occurs in the words that are left, shape (N, 26)."""
        counts = self.index_.count_places(observations).sum(axis=1)
        return self._back_off(observations, counts.astype(np.float64))

    def _back_off(
        self, observations: Observation, scores: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Put the whole list's frequencies where no letter that is left has a score."""
        new = observations["guessed"] == 0
        scores = np.where(new, scores, 0.0)
        for fallback in (self.index_.letter_counts, np.ones(NUM_LETTERS)):
            undecided = ~scores.any(axis=1)
            scores[undecided] = np.where(new[undecided], fallback, 0.0)
        return scores


class TopHeavyFrequencyAgent(OverallFrequencyAgent):
    """Draws a letter by its frequency at the blank whose frequencies drop off most sharply.

    The words that are left are those of :class:`OverallFrequencyAgent`. Of each blank, the letters
    that these words have there, without those guessed, are sorted by frequency; the blank's skew is
    the share that the first half of these letters (rounded down) has of all. The letter is drawn
    from the blank with the highest skew, the first among equals. A blank with a single possible
    letter has skew 0, because half of one letter is no letter.
    Parameters are those of :class:`OverallFrequencyAgent`.

    References
    ----------
    "Hangman", 14 September 2010: ``TopHeavyFrequency`` and ``Skewed``, whose one
    constant is the half.
    """

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the frequencies at the blank with the highest skew, shape (N, 26)."""
        guessed = observations["guessed"][:, None, :] != 0
        counts = np.where(guessed, 0, self.index_.count_places(observations))
        descending = -np.sort(-counts, axis=2)
        num_letters = (counts > 0).sum(axis=2, keepdims=True)
        in_first_half = np.arange(NUM_LETTERS) < num_letters // 2
        totals = counts.sum(axis=2)
        skews = np.where(in_first_half, descending, 0).sum(axis=2) / np.maximum(totals, 1)
        # A place that is shown has no letter that can be guessed.
        best = np.where(totals > 0, skews, -1.0).argmax(axis=1)
        scores = counts[np.arange(len(counts)), best]
        return self._back_off(observations, scores.astype(np.float64))
