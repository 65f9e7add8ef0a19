"""Guessing at random by letter frequencies, overall or at one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.base import ScoringAgent
from agents.candidates import CandidateIndex
from envs.encoding import NUM_LETTERS
from envs.hangman.observation import Observation


class OverallFrequencyAgent(ScoringAgent):
    """Draws a letter by its frequency among the words of the list that are left.

    Left are the words of the secret's length that have no wrong letter and agree with the places
    that are shown. A shown letter may stand behind a blank too, as in the source's
    ``WordWithFilter``. Each place where a letter stands counts, so that a word counts twice for a
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
        """Return how often each letter stands in the words that are left, shape (N, 26)."""
        counts, _ = self.index_.count(observations, exclude_shown=False, once_a_word=False)
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

    The words that are left are those of :class:`OverallFrequencyAgent`. For each blank, the
    letters that stand there in words that are left and have not been guessed are sorted by
    frequency; the blank's skew is the share that the first half of these letters (rounded down)
    has of all. The letter is drawn from the blank with the highest skew, the first among equals.
    A blank with a single possible letter has skew 0, because half of one letter is none.
    Parameters are those of :class:`OverallFrequencyAgent`.

    References
    ----------
    "Hangman", 14 September 2010: ``TopHeavyFrequency`` and ``Skewed``, whose one
    constant is the half.
    """

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the frequencies at the blank with the highest skew, shape (N, 26)."""
        counts, _ = self.index_.count_by_place(observations, exclude_shown=False)
        return self._back_off(observations, _top_heaviest(observations["guessed"], counts))


@njit(cache=True)
def _top_heaviest(guessed, counts):
    """Return the frequencies at the blank with the highest skew of each game, shape (N, 26)."""
    scores = np.zeros(guessed.shape, dtype=np.float64)
    ordered = np.empty(NUM_LETTERS, dtype=np.int64)
    for game in range(len(guessed)):
        highest = -1.0
        for place in range(counts.shape[1]):
            num_letters = total = 0
            for letter in range(NUM_LETTERS):
                count = 0 if guessed[game, letter] else counts[game, place, letter]
                if count > 0:
                    position = num_letters
                    while position > 0 and ordered[position - 1] < count:
                        ordered[position] = ordered[position - 1]
                        position -= 1
                    ordered[position] = count
                    total += count
                    num_letters += 1
            if total > 0:
                skew = ordered[: num_letters // 2].sum() / total
                if skew > highest:
                    highest = skew
                    scores[game] = counts[game, place] * (guessed[game] == 0)
    return scores
