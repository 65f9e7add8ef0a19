"""Fitting the letter posterior: letter models, candidates, their probabilities, the prior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import lightgbm
import numpy as np
import numpy.typing as npt
from numba import get_num_threads, set_num_threads

from hangman_lab.agents.posterior.files import save_posterior
from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.agents.posterior.prior import LetterModels, WordPrior
from hangman_lab.agents.sequences import sequence_keys
from hangman_lab.agents.smoothed_ngrams import SmoothedNgrams
from hangman_lab.envs.counter_rng import keyed_bits, keyed_uniform
from hangman_lab.envs.encoding import MAX_LENGTH, EncodedWords, encode_words
from hangman_lab.envs.words import hash_words
from hangman_lab.run_files.directory import RunDirectory, write_atomically
from hangman_lab.training.candidates import Candidates, derive_candidates
from hangman_lab.training.multigrams import fit_multigrams

# The steps that fit_posterior describes.
NUM_STEPS = 6
_MULTIGRAM_WEIGHT = 0.3
_HOLD_BACK_KEY = 0x64657269
_HELD_BACK_ONE_IN = 10
# Candidates with a lower probability of being a held-back word are dropped.
_MIN_PROBABILITY = 5e-4
# The minimal share of a length's unknown words that are not candidates.
_MIN_REST = 0.02
# Smooths the share of held-back words covered by candidates, by length.
_PSEUDO_COUNT = 20.0
# The classifier is fitted to this share of the negative examples of more candidates than this.
_NEGATIVE_SHARE = 0.2
_MAX_UNSAMPLED = 10_000
_BOOSTING_ROUNDS = 80
# The minimal number of positive examples.
_MIN_FOUND = 20
_PARAMETERS = {
    "objective": "binary",
    "num_leaves": 31,
    "learning_rate": 0.15,
    "min_data_in_leaf": 400,
    "lambda_l2": 5.0,
    "min_sum_hessian_in_leaf": 1.0,
    # Few candidates are words, so that Newton steps overshoot: on long lists the fit diverges.
    "max_delta_step": 1.0,
    "deterministic": True,
    "force_row_wise": True,
    # Threads synchronize at every leaf, which is many times slower on busy cores.
    "num_threads": 1,
    "verbosity": -1,
}
_count_lengths = partial(np.bincount, minlength=MAX_LENGTH + 1)


class Fitted(NamedTuple):
    """Fitted posteriors."""

    posterior: LetterPosterior  #: Of all words.
    held_back_posterior: LetterPosterior  #: Of the words that :func:`hold_back` does not hold back.

    def save(self, run: RunDirectory) -> None:
        """Write both to a run directory, ``posterior`` first."""
        with ThreadPoolExecutor(1) as pool:
            first, second = (partial(save_posterior, posterior) for posterior in self)
            saved = pool.submit(write_atomically, run.posterior, first)
            # Moved to its path after the other, so that a run that has it has both.
            write_atomically(run.held_back_posterior, lambda path: (second(path), saved.result()))


class _Part(NamedTuple):
    """Words, and the models and candidates derived from them."""

    words: EncodedWords
    models: LetterModels
    candidates: Candidates


def hold_back(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a tenth of the words, chosen by hash, and the rest, which has at least one word."""
    held = keyed_bits(_HOLD_BACK_KEY, hash_words(words)) % np.uint64(_HELD_BACK_ONE_IN) == 0
    held &= not held.all()
    array = np.array(words)
    return tuple(array[held].tolist()), tuple(array[~held].tolist())


def fit_posterior(
    words: Sequence[str], seed: int = 0, say: Callable[[str], None] = lambda text: None
) -> Fitted:
    """Fit the posterior of all words, and a posterior without the held-back tenth.

    A classifier learns which candidates derived from nine tenths of the words are held-back words;
    nothing else in the second posterior depends on these. The first posterior applies it to the
    candidates derived from all words.

    ``words`` are distinct and at least one; ``say`` is called with a description of each of the
    ``NUM_STEPS`` steps when it begins.
    """
    held_back, rest = hold_back(words)
    threads = get_num_threads()
    with ThreadPoolExecutor(1, initializer=set_num_threads, initargs=(threads,)) as pool:
        # Both at once: much of the work has one thread, as that of LightGBM.
        fitting = pool.submit(_models, words, seed, lambda text: say(f"all words: {text}"))
        part = _models(rest, seed, lambda text: say(f"nine tenths: {text}"))
        found = np.isin(part.candidates.keys, sequence_keys(encode_words(held_back)))
        say("classifier of candidates")
        classifier = fit_classifier(part.candidates.features, found, seed)
        whole = fitting.result()
    probabilities = [predict(classifier, each.candidates.features) for each in (part, whole)]
    say("prior")
    is_covered = found & (probabilities[0] >= _MIN_PROBABILITY)
    covered = _count_lengths(part.candidates.words.lengths[is_covered])
    compose = partial(_compose, covered=covered, num_held=len(held_back))
    with ThreadPoolExecutor(2, initializer=set_num_threads, initargs=(get_num_threads(),)) as pool:
        held_back_posterior, posterior = pool.map(compose, (part, whole), probabilities)
    return Fitted(posterior, held_back_posterior)


def _models(words: Sequence[str], seed: int, say: Callable[[str], None]) -> _Part:
    say("n-grams and multigrams")
    arrays = encode_words(words, MAX_LENGTH)
    with ThreadPoolExecutor(1) as pool:
        ngrams = pool.submit(SmoothedNgrams, arrays)
        multigrams = fit_multigrams(arrays, seed)
    models = LetterModels.of(ngrams.result(), multigrams, _MULTIGRAM_WEIGHT)
    say("derivations")
    candidates = derive_candidates(arrays, models.ngrams, multigrams)
    return _Part(arrays, models, candidates)


def _compose(
    part: _Part,
    probabilities: npt.NDArray[np.float64],
    covered: npt.NDArray[np.integer | np.floating],
    num_held: int,
) -> LetterPosterior:
    """Return the posterior of known words and candidates.

    ``probabilities`` are those of the candidates of being one of ``num_held`` held-back words;
    ``covered``, shape (33,), is the number of these that are candidates, by length.
    """
    chosen = probabilities >= _MIN_PROBABILITY
    candidates, probabilities = part.candidates.words[chosen], probabilities[chosen]
    # All words derive more candidates than nine tenths do, but unseen words do not increase.
    # Rescale the probabilities of each length to the measured coverage.
    expected = _count_lengths(candidates.lengths, probabilities)
    factors = (covered + _PSEUDO_COUNT) / (expected + _PSEUDO_COUNT)
    probabilities = probabilities * factors[candidates.lengths] / num_held
    # Unknown words have the lengths of known words.
    by_length = _count_lengths(part.words.lengths) + 0.5 * part.models.length_masses
    by_length /= by_length.sum()
    derived = _count_lengths(candidates.lengths, probabilities)
    shares = np.maximum(by_length - derived, _MIN_REST * by_length)
    logs = part.candidates.features[chosen, -2:].astype(np.float64)
    candidate_mass = np.exp(logs) @ (1 - _MULTIGRAM_WEIGHT, _MULTIGRAM_WEIGHT)
    by_models = np.concatenate([part.models.probabilities(part.words), candidate_mass])
    arrays = part.words, candidates, probabilities, by_models
    return LetterPosterior(WordPrior.of(*arrays, part.models, shares))


def fit_classifier(
    features: npt.NDArray[np.float32], found: npt.NDArray[np.bool_], seed: int = 0
) -> lightgbm.Booster | None:
    """Fit a classifier of candidates; return None if fewer than 20 are held-back words.

    ``found``, shape (candidates,), is whether each is one. The seed is that of the sample of
    negative examples.

    References
    ----------
    Guolin Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", NIPS 2017.
    """
    if found.sum() < _MIN_FOUND:
        return None
    share = _NEGATIVE_SHARE if len(found) > _MAX_UNSAMPLED else 1.0
    chosen = found | (keyed_uniform(seed, np.arange(len(found))) < share)
    labels = found[chosen]
    weights = np.where(labels, 1.0, 1 / share)
    data = lightgbm.Dataset(features[chosen], labels.astype(np.float32), weight=weights)
    return lightgbm.train(_PARAMETERS | {"seed": seed}, data, _BOOSTING_ROUNDS)


def predict(
    classifier: lightgbm.Booster | None, features: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Return the probability of each candidate, shape (candidates,); 0 without a classifier."""
    if classifier is None or not len(features):
        return np.zeros(len(features))
    return np.asarray(classifier.predict(features, num_threads=get_num_threads()))
