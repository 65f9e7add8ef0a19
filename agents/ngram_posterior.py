"""Guessing by a smoothed n-gram model of whole words and by the words that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from agents.base import PosteriorAgent
from agents.dictionary import DictionaryAgent
from agents.posterior.ngram_lattice import ngram_presence, ngram_tables
from agents.smoothed_ngrams import SmoothedNgrams
from agents.threads import in_threads
from envs.encoding import NUM_LETTERS
from envs.hangman.observation import Observation, distinct


class NgramPosteriorAgent(PosteriorAgent):
    """Guesses the letter that is most likely behind a blank, by counts alone.

    The word is a draw from a smoothed character n-gram model that agrees with all that is shown.
    The probability that a letter is behind some blank is one minus the share of the model's words
    without it, by the pass of :mod:`agents.posterior.ngram_lattice`.

    Where words of the list fit, the share of them that has the letter is mixed in: ``n`` fitting
    words weigh as ``n`` against ``prior_weight`` for the model.

    Parameters
    ----------
    order : int, default 7
        Of the n-grams.
    discount_scale : float, default 1.15
        Of :class:`~agents.smoothed_ngrams.SmoothedNgrams`.
    prior_weight : float, default 20
        Above 0; infinity leaves the fitting words out.
    beam : float, default 1e-3
        Contexts below this share of a place's mass are dropped; 0 keeps all, and is exact.

    References
    ----------
    Chen and Goodman (1999) for the smoothing. The mixture is that of a Dirichlet prior: David J.
    C. MacKay and Linda C. Bauman Peto, "A hierarchical Dirichlet language model", Natural Language
    Engineering 1 (1995).
    """

    uses_lives = False

    def __init__(
        self,
        order: int = 7,
        discount_scale: float = 1.15,
        prior_weight: float = 20.0,
        beam: float = 1e-3,
    ) -> None:
        self.order = order
        self.discount_scale = discount_scale
        self.prior_weight = prior_weight
        self.beam = beam

    def fit(self, words: Sequence[str]) -> Self:
        """Count the n-grams of the words and index the words."""
        self.tables_ = ngram_tables(SmoothedNgrams(words, self.order, self.discount_scale))
        self.fitting_ = DictionaryAgent().fit(words)
        return self

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter stands behind a blank, shape (N, 26)."""
        part, row_of_game = distinct(observations)
        probabilities = self.model_probabilities(part)
        if np.isfinite(self.prior_weight):
            counts, num_fitting = self.fitting_.index_.count(part)
            weight = self.prior_weight
            probabilities = (counts + weight * probabilities) / (num_fitting[:, None] + weight)
        probabilities[part["guessed"] != 0] = 0.0
        return probabilities[row_of_game]

    def model_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the n-gram model's probabilities alone, shape (N, 26)."""
        word, guessed = observations["word"], observations["guessed"]
        presence = np.zeros((len(word), NUM_LETTERS))
        in_threads(ngram_presence, word, guessed, self.tables_, self.beam, presence)
        return presence
