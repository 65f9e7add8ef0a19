"""Fitting the letter posterior: models of letters, candidates, their rating, the prior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import lightgbm
import numpy as np
import numpy.typing as npt
from numba import get_num_threads

from agents.posterior.posterior import LetterPosterior
from agents.posterior.prior import LetterModels, WordPrior, list_words
from agents.smoothed_ngrams import SmoothedNgrams
from agents.word_arrays import WordArrays, sequence_keys
from envs.encoding import MAX_LENGTH
from envs.keyed_random import keyed_bits, keyed_uniform
from envs.words import hash_words
from training.candidates import Candidates, derive_candidates
from training.multigrams import fit_multigrams

_MULTIGRAM_WEIGHT = 0.3
_HOLD_BACK_KEY = 0x64657269
_HELD_BACK_ONE_IN = 10
# Candidates less likely than this to be among the words held back are left to the models.
_MIN_CHANCE = 5e-4
# However likely the candidates of a length are, other words keep this share of it.
_LEAST_REST = 0.02
# Words held back say how many of a length are covered once there are some more than these.
_PSEUDO_COUNT = 20.0
# Most candidates are no words; of these, such a share is enough to learn from.
_SHARE_OF_OTHERS = 0.4
_ROUNDS = 100
# Fewer words found than this say nothing.
_MIN_FOUND = 20
_PARAMETERS = {
    "objective": "binary",
    "num_leaves": 31,
    "learning_rate": 0.12,
    "min_data_in_leaf": 400,
    "lambda_l2": 5.0,
    "min_sum_hessian_in_leaf": 1.0,
    "deterministic": True,
    "force_row_wise": True,
    # Several threads wait for each other at every leaf; where they share the cores with other work,
    # that takes many times as long.
    "num_threads": 1,
    "verbosity": -1,
}


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
    """Divide words by their hashes into a tenth that is held back and the rest, at least one."""
    held = keyed_bits(_HOLD_BACK_KEY, hash_words(words)) % np.uint64(_HELD_BACK_ONE_IN) == 0
    held &= not held.all()
    array = np.array(words)
    return tuple(array[held].tolist()), tuple(array[~held].tolist())


def fit_posterior(
    words: Sequence[str], seed: int = 0, say: Callable[[str], None] = lambda stage: None
) -> Fitted:
    """Fit the posterior of words, and one for the games in which a tenth of them is unknown.

    Candidates are derived from nine tenths of the words; which of them are among the other tenth
    teaches the rating. The posterior of all words rates the candidates that all words derive; the
    other one rates those that taught the rating, the one thing in it that held-back words made.

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
    ngrams = SmoothedNgrams(arrays)
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
    # Unknown words are as long as known ones; what candidates leave of a length is for the rest.
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


def fit_rating(
    features: npt.NDArray[np.float32], found: npt.NDArray[np.bool_], seed: int = 0
) -> lightgbm.Booster | None:
    """Learn the chance that a candidate is a word that was held back; None of too few of these.

    Parameters
    ----------
    features : ndarray of float32, shape (candidates, features)
    found : ndarray of bool, shape (candidates,)
        Whether each candidate is such a word.
    seed : int
        Of the candidates that are left out.

    References
    ----------
    Guolin Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NIPS 2017.
    """
    if found.sum() < _MIN_FOUND:
        return None
    chosen = found | (keyed_uniform(seed, np.arange(len(found))) < _SHARE_OF_OTHERS)
    labels = found[chosen]
    data = lightgbm.Dataset(
        features[chosen],
        label=labels.astype(np.float32),
        weight=np.where(labels, 1.0, 1 / _SHARE_OF_OTHERS),
        params={"verbosity": -1, "num_threads": 1},
    )
    return lightgbm.train(_PARAMETERS | {"seed": seed}, data, _ROUNDS)


def rate(
    booster: lightgbm.Booster | None, features: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Return the chance of each candidate, shape (candidates,); 0 without a booster."""
    if booster is None or not len(features):
        return np.zeros(len(features))
    return booster.predict(features, num_threads=get_num_threads())
