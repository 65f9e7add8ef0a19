"""Fitting the letter posterior: models of letters, candidates, their rating, the prior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.posterior.posterior import LetterPosterior
from agents.posterior.prior import LetterModels, WordPrior, list_words
from agents.posterior.sequence_keys import sequence_keys
from agents.smoothed_ngrams import SmoothedNgrams
from agents.word_sets import WordArrays
from envs.encoding import MAX_LENGTH
from envs.keyed_random import keyed_bits
from envs.words import hash_words
from training.candidates import Candidates, derive_candidates
from training.multigrams import fit_multigrams
from training.rating import fit_rating, rate

_NGRAM_ORDER = 7
_NGRAM_DISCOUNT_SCALE = 1.15
_MULTIGRAM_WEIGHT = 0.3
_HOLD_BACK_KEY = 0x64657269
_HELD_BACK_ONE_IN = 10
# Candidates less likely than this to be among the words held back are left to the models.
_MIN_CHANCE = 5e-4
# However likely the candidates of a length are, words that are none keep so much of it.
_LEAST_REST = 0.02
# Words held back say how many of a length are covered once there are some more than these.
_PSEUDO_COUNT = 20.0


class Fitted(NamedTuple):
    """What fitting gives."""

    posterior: LetterPosterior  #: Of all words.
    #: Of the words that :func:`hold_back` does not hold back: what these are played with.
    held_back_posterior: LetterPosterior


class _Part(NamedTuple):
    """Words with the models and candidates that follow from them."""

    words: WordArrays
    models: LetterModels
    candidates: Candidates


def hold_back(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Divide words by their hashes into a tenth that is held back, and the others, at least one."""
    held = keyed_bits(_HOLD_BACK_KEY, hash_words(words)) % np.uint64(_HELD_BACK_ONE_IN) == 0
    held &= not held.all()
    array = np.array(words)
    return tuple(array[held].tolist()), tuple(array[~held].tolist())


def fit_posterior(
    words: Sequence[str], seed: int = 0, say: Callable[[str], None] = lambda stage: None
) -> Fitted:
    """Fit the posterior of words, and one for the games in which a tenth of them is unknown.

    Candidates are derived from nine tenths of the words; which of them are among the other tenth
    teaches the rating. The posterior of all words rates the candidates that all words derive.

    Parameters
    ----------
    words : sequence of str
        Distinct, lower-case, 1 to 32 letters a to z; at least one.
    seed : int
    say : callable
        Called with what is done next.
    """
    held_back, others = hold_back(words)
    if not held_back:
        say("counting")
        part = _models(words, seed)
        chances = np.zeros(len(part.candidates.keys))
        posterior = _compose(part, chances, np.zeros(MAX_LENGTH + 1), 1)
        return Fitted(posterior, posterior)
    say("learning from nine tenths of the words")
    part = _models(others, seed)
    held = WordArrays.of(held_back)
    held_keys = sequence_keys(*held)
    found = np.isin(part.candidates.keys, held_keys)
    say("learning to rate candidates by the other tenth")
    booster = fit_rating(part.candidates.features, found, seed)
    chances = rate(booster, part.candidates.features)
    is_covered = np.isin(held_keys, part.candidates.keys[chances >= _MIN_CHANCE])
    covered = np.bincount(held.lengths[is_covered], minlength=MAX_LENGTH + 1)
    held_back_posterior = _compose(part, chances, covered, len(held_back))
    say("learning from all words")
    part = _models(words, seed)
    chances = rate(booster, part.candidates.features)
    return Fitted(_compose(part, chances, covered, len(held_back)), held_back_posterior)


def _models(words: Sequence[str], seed: int) -> _Part:
    arrays = WordArrays.of(words)
    ngrams = SmoothedNgrams(arrays, _NGRAM_ORDER, _NGRAM_DISCOUNT_SCALE)
    models = LetterModels.of(ngrams, fit_multigrams(arrays, seed), _MULTIGRAM_WEIGHT)
    candidates = derive_candidates(arrays, ngrams, models.multigrams)
    return _Part(arrays, models, candidates)


def _compose(
    part: _Part,
    chances: npt.NDArray[np.float64],
    covered: npt.NDArray[np.number],
    num_held: int,
) -> LetterPosterior:
    """Return the posterior of known words and rated candidates.

    ``chances`` are that each candidate is among the words held back, of which there are
    ``num_held``; ``covered``, shape (33,), is how many of these are candidates that count, by
    length.
    """
    chosen = chances >= _MIN_CHANCE
    candidates = part.candidates.words.take(chosen)
    # More words known make more candidates, and no more words: the ratings of a length add up to
    # the share of the held-back words that they covered.
    rated = np.bincount(candidates.lengths, chances[chosen], minlength=MAX_LENGTH + 1)
    factors = (covered + _PSEUDO_COUNT) / (rated + _PSEUDO_COUNT)
    probabilities = chances[chosen] * factors[candidates.lengths] / num_held
    # Unknown words are as long as known ones; what candidates leave of a length is for the others.
    masses = part.models.length_masses
    by_length = np.bincount(part.words.lengths, minlength=MAX_LENGTH + 1) + 0.5 * masses
    by_length /= by_length.sum()
    rated = np.bincount(candidates.lengths, probabilities, minlength=MAX_LENGTH + 1)
    shares = np.maximum(by_length - rated, _LEAST_REST * by_length)

    logs = part.candidates.features[chosen, -2:].astype(np.float64)
    of_candidates = np.exp(logs) @ (1 - _MULTIGRAM_WEIGHT, _MULTIGRAM_WEIGHT)
    by_models = np.concatenate([part.models.probabilities(part.words), of_candidates])
    listed = list_words(part.words, candidates, probabilities, by_models)
    return LetterPosterior(WordPrior(listed, part.models, shares))
