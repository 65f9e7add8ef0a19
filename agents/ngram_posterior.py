"""A guesser by a smoothed n-gram model of words, mixed with the matching listed words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.agents.dictionary import count_words
from hangman_lab.agents.posterior.ngram_lattice import ngram_masses, presence_from_absent_sums
from hangman_lab.agents.smoothed_ngrams import SmoothedNgrams
from hangman_lab.envs.encoding import NUM_LETTERS, as_words, encode_words
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.numba_cache import in_threads
from hangman_lab.envs.word_sets import index_words

# The weight of the n-grams, as a number of matching words.
_PRIOR_WEIGHT = 20.0
# Contexts with a smaller share of a place's mass are pruned.
_BEAM = 1e-3


class NgramPosteriorAgent(PosteriorAgent):
    """Guesses the most likely letter of an n-gram model and the matching listed words.

    The model is a smoothed character n-gram model of order 7, conditioned on the observation by the
    forward pass of :mod:`agents.posterior.ngram_lattice`. The share of the ``n`` matching listed
    words that contain a letter is mixed in with weight ``n``, against 20 for the model.

    References
    ----------
    Chen and Goodman (1999) for the smoothing. The mixture is that of a Dirichlet prior: David J.
    C. MacKay and Linda C. Bauman Peto, "A hierarchical Dirichlet language model", Natural Language
    Engineering 1 (1995).
    """

    uses_lives = False

    def fit(self, words: Sequence[str]) -> Self:
        """Fit the n-grams and index the words; InputError if there is none."""
        words = as_words("words", words)
        if not words:
            raise InputError("words: at least one is needed")
        self.tables_ = SmoothedNgrams(encode_words(words)).tables
        self.index_ = index_words(words)
        return self

    def _letter_probabilities(self, observations: Observations) -> npt.NDArray[np.float64]:
        word, guessed = observations["word"], observations["guessed"]
        sums = np.zeros((len(word), NUM_LETTERS + 1))
        in_threads(ngram_masses, word, guessed, self.tables_, _BEAM, sums)
        weights = np.ones(len(self.index_.codes))
        counts, num_matching = count_words(word, guessed, self.index_, weights, True, True)
        weighted = counts + _PRIOR_WEIGHT * presence_from_absent_sums(sums, guessed)
        return np.where(guessed != 0, 0.0, weighted / (num_matching[:, None] + _PRIOR_WEIGHT))
