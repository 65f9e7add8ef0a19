"""Small priors and posteriors for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.agents.posterior.prior import LetterModels, WordPrior
from hangman_lab.agents.smoothed_ngrams import SmoothedNgrams
from hangman_lab.envs.encoding import MAX_LENGTH, encode_words
from hangman_lab.training.multigrams import fit_multigrams

WORDS = ("bead", "bed", "cabbage", "decade", "faded", "added", "edge", "face", "badge", "cab")
CANDIDATES = {"bad": 0.2, "deed": 0.1, "cabbages": 0.05}


class Explosive:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def prior_of(known=WORDS, candidates=None, share=0.5, weight=0.3, order=4):
    """A prior with these known words and candidates, given with their probabilities."""
    candidates = CANDIDATES if candidates is None else candidates
    known_arrays = encode_words(known, MAX_LENGTH)
    derived = encode_words(tuple(candidates), MAX_LENGTH)
    models = LetterModels.of(
        SmoothedNgrams(known_arrays, order), fit_multigrams(known_arrays), weight
    )
    probabilities = np.array(list(candidates.values()))
    by_models = models.probabilities(encode_words((*known, *candidates)))
    shares = models.length_masses / models.length_masses.sum() * (1 - probabilities.sum())
    arrays = known_arrays, derived, probabilities, by_models
    return WordPrior.of(*arrays, models, shares).with_prior(share)


def posterior_of(known=WORDS, candidates=None, share=0.5, exact=False, **options):
    """The letter posterior of :func:`prior_of`."""
    prior = prior_of(known, candidates, share, **options)
    return LetterPosterior(prior, beam=0.0) if exact else LetterPosterior(prior)
