"""Guessing by the words of a list that still fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from agents.base import PosteriorAgent, ScoringAgent
from agents.candidates import CandidateIndex
from envs.hangman.observation import Observation, select


class DictionaryAgent(ScoringAgent, PosteriorAgent):
    """Guesses the letter that is most frequent among the words of the list that fit.

    A word fits if it agrees with the places that are shown, and, with ``exclude_guessed``, holds
    no wrong letter and no shown letter behind a blank. Where no such word has a new letter, shown
    letters behind blanks are allowed; where that does not help either, the frequencies of the
    whole list decide.

    Parameters
    ----------
    exclude_guessed : bool, default True
        Use the guessed letters to exclude words. Without it only the shown places count.
    once_a_word : bool, default True
        Count the words that have a letter, rather than the places where it stands.

    Notes
    -----
    With both parameters False it is the benchmark of the public challenge's problem statement: it
    matches the masked word to the dictionary and takes the letter of the highest frequency.
    With ``exclude_guessed`` and a secret drawn from the list, ``letter_probabilities`` is exact.
    The back-off matters for words outside the list, whose candidates run out early.
    """

    uses_lives = False

    def __init__(self, exclude_guessed: bool = True, once_a_word: bool = True) -> None:
        super().__init__(greedy=True)
        self.exclude_guessed = exclude_guessed
        self.once_a_word = once_a_word

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words."""
        self.index_ = CandidateIndex(words)
        return self

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the letters' frequencies among the words that fit, shape (N, 26)."""
        overall = self.index_.word_counts if self.once_a_word else self.index_.letter_counts
        scores = np.tile(overall, (len(observations["lives"]), 1))
        undecided = np.arange(len(scores))
        for exclude_shown in (True, False) if self.exclude_guessed else (False,):
            part = select(observations, undecided)
            counts, _ = self.index_.count(
                part, self.exclude_guessed, exclude_shown, self.once_a_word
            )
            decided = np.where(part["guessed"] != 0, 0, counts).any(axis=1)
            scores[undecided[decided]] = counts[decided]
            undecided = undecided[~decided]
        return scores.astype(np.float64)

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the share of the words that fit which have each letter, shape (N, 26)."""
        counts, num_candidates = self.index_.count(
            observations, self.exclude_guessed, exclude_shown=self.exclude_guessed
        )
        shares = np.where(
            num_candidates[:, None] > 0,
            counts / np.maximum(num_candidates, 1)[:, None],
            self.index_.word_counts / max(self.index_.num_words, 1),
        )
        return np.where(observations["guessed"] != 0, 0.0, shares)
