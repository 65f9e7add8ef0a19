"""The prior: one probability distribution over all words that the secret can be."""

from __future__ import annotations

import copy
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from agents.posterior.listed_words import ListedWords
from agents.posterior.multigrams import Multigrams
from agents.posterior.ngram_lattice import NgramTables, ngram_tables
from agents.posterior.sequence_keys import sequence_keys
from agents.smoothed_ngrams import SmoothedNgrams
from agents.word_sets import WordArrays, word_sets
from envs.encoding import MAX_LENGTH

# The probability that the secret is one of the words that were fitted, where nobody says more.
DEFAULT_KNOWN = 0.5
# Even where the secret is surely known, a game that no known word fits wants an answer.
_LEAST_UNKNOWN = 1e-9
# Ratings are kept in eighths of a bit, probabilities by the models in thousandths.
_RATING_STEPS = 8
_MODEL_STEPS = 1000
# However much of a length's mass the listed words have, this share is taken to be left for others.
_LEAST_SHARE_LEFT = 1e-4


class Listed(NamedTuple):
    """The words that have a probability of their own, by length and then by alphabet.

    Attributes
    ----------
    words : WordArrays
    is_known : ndarray of bool, shape (words,)
        Whether the word was fitted; the others are candidates.
    ratings : ndarray of uint8, shape (words,)
        How likely each candidate is among all unknown words: ``2 ** (-rating / 8)`` on a scale
        that makes it add up. Of known words it is not used.
    by_models : ndarray of uint16, shape (words,)
        How likely each word is by the models of letters: ``2 ** (-by_models / 1000)``.
    """

    words: WordArrays
    is_known: npt.NDArray[np.bool_]
    ratings: npt.NDArray[np.uint8]
    by_models: npt.NDArray[np.uint16]


class Rest(NamedTuple):
    """How words that are not listed get their probability.

    Attributes
    ----------
    ngrams : SmoothedNgrams
    multigrams : Multigrams
    weight : float
        Of the multigrams; a word's probability is that of ``1 - weight`` by the n-grams plus
        ``weight`` by the multigrams, 0 to 1.
    shares : ndarray of float64, shape (33,)
        The probability that an unknown word has each length and is no candidate.
    """

    ngrams: SmoothedNgrams
    multigrams: Multigrams
    weight: float
    shares: npt.NDArray[np.float64]


class PriorTables(NamedTuple):
    """What compiled code reads of a prior.

    Attributes
    ----------
    listed : ListedWords
    scale : ndarray of float64, shape (33,)
        By length, the factor from a probability by the models to one by the prior.
    ngrams : NgramTables
    multigrams : MultigramTables
    longest : int
        Letters of the longest multigram.
    weight : float
        Of the multigrams.
    """

    listed: ListedWords
    scale: npt.NDArray[np.float64]
    ngrams: NgramTables
    multigrams: tuple
    longest: int
    weight: float


class WordPrior:
    """One distribution over words: known words, rated candidates, and all other strings.

    With probability ``known`` the secret is one of the words that were fitted, each alike.
    Otherwise it is a candidate with the probability that its rating gives it, or any other string
    of 1 to 32 letters by two models of letters, with the share that such words have of their
    length. All of it adds up to 1.

    Parameters
    ----------
    listed : Listed
    rest : Rest
    known : float, default 0.5
        0 where the rules say that the secret is none of the known words. 0 to 1.

    Raises
    ------
    ValueError
        If ``known`` is not in 0..1, or the arrays do not fit together.
    """

    def __init__(self, listed: Listed, rest: Rest, known: float = DEFAULT_KNOWN) -> None:
        words, is_known, ratings, by_models = listed
        if not len(words.lengths) == len(is_known) == len(ratings) == len(by_models):
            raise ValueError("listed: the arrays do not fit together")
        if not 0 <= rest.weight <= 1:
            raise ValueError(f"weight: {rest.weight} is not in 0..1")
        if rest.shares.shape != (MAX_LENGTH + 1,) or not (rest.shares >= 0).all():
            raise ValueError("shares: they are not one share of at least 0 for each length")
        self.listed = listed
        self.rest = rest
        self.num_known = int(is_known.sum())
        self._rated = np.where(is_known, 0.0, np.exp2(-ratings.astype(np.float64) / _RATING_STEPS))
        unknown = self._rated.sum() + rest.shares.sum()
        self._rated /= unknown
        self._by_models = np.exp2(-by_models.astype(np.float64) / _MODEL_STEPS)
        masses = length_masses(rest.ngrams, rest.multigrams, rest.weight)
        replaced = np.bincount(words.lengths, self._by_models, minlength=MAX_LENGTH + 1)
        left = np.maximum(masses - replaced, _LEAST_SHARE_LEFT * masses)
        shares = rest.shares / unknown
        self._factors = np.divide(shares, left, out=np.zeros_like(left), where=left > 0)
        self._sets = word_sets(words)
        self._ngrams = ngram_tables(rest.ngrams)
        self._set_known(known)

    def with_known(self, known: float) -> Self:
        """Return the same prior with another probability that the secret is known; it is cheap."""
        other = copy.copy(self)
        other._set_known(known)
        return other

    def _set_known(self, known: float) -> None:
        if not 0 <= known <= 1:
            raise ValueError(f"known: {known} is not in 0..1")
        self.known = known
        share = min(known, 1 - _LEAST_UNKNOWN) if self.num_known else 0.0
        own = (1 - share) * self._rated
        own[self.listed.is_known] = share / max(self.num_known, 1)
        scale = (1 - share) * self._factors
        replaced = self._by_models * scale[self.listed.words.lengths]
        self.tables = PriorTables(
            ListedWords(self._sets, own, replaced),
            scale,
            self._ngrams,
            self.rest.multigrams.tables,
            self.rest.multigrams.max_length,
            self.rest.weight,
        )

    def probabilities(self, words: WordArrays) -> npt.NDArray[np.float64]:
        """Return the probability that each word is the secret.

        Parameters
        ----------
        words : WordArrays

        Returns
        -------
        ndarray of float64, shape (words,)
        """
        rest = self.rest
        by_models = model_probabilities(rest.ngrams, rest.multigrams, rest.weight, words)
        result = by_models * self.tables.scale[words.lengths]
        listed_keys = sequence_keys(*self.listed.words)
        order = np.argsort(listed_keys)
        keys = sequence_keys(*words)
        found = np.searchsorted(listed_keys[order], keys).clip(max=len(order) - 1)
        if len(order):
            numbers = order[found]
            is_listed = listed_keys[numbers] == keys
            result[is_listed] = self.tables.listed.own[numbers[is_listed]]
        return result


def model_probabilities(
    ngrams: SmoothedNgrams, multigrams: Multigrams, weight: float, words: WordArrays
) -> npt.NDArray[np.float64]:
    """Return the probability of words by both models, the multigrams with ``weight``."""
    return (1 - weight) * np.exp(ngrams.log_probabilities(words)) + weight * np.exp(
        multigrams.log_probabilities(words)
    )


def length_masses(
    ngrams: SmoothedNgrams, multigrams: Multigrams, weight: float
) -> npt.NDArray[np.float64]:
    """Return the probability by both models that a word has each length, shape (33,)."""
    return (1 - weight) * ngrams.length_masses + weight * multigrams.length_masses()


def list_words(
    known: WordArrays,
    candidates: WordArrays,
    chances: npt.NDArray[np.floating],
    by_models: npt.NDArray[np.floating],
) -> Listed:
    """Return known words and candidates as :class:`Listed`.

    Parameters
    ----------
    known, candidates : WordArrays
    chances : ndarray of float, shape (candidates,)
        The probability of each candidate among unknown words.
    by_models : ndarray of float, shape (known + candidates,)
        The probability of each word by the models of letters.
    """
    words = WordArrays(*(np.concatenate(pair) for pair in zip(known, candidates, strict=True)))
    is_known = np.arange(len(words.lengths)) < len(known.lengths)
    ratings = np.zeros(len(is_known), dtype=np.uint8)
    ratings[~is_known] = _to_steps(chances, _RATING_STEPS, np.uint8)
    by_models = _to_steps(by_models, _MODEL_STEPS, np.uint16)
    order = words.order()
    return Listed(words.take(order), is_known[order], ratings[order], by_models[order])


def _to_steps(probabilities: npt.NDArray[np.floating], steps: int, dtype: type) -> npt.NDArray:
    highest = np.iinfo(dtype).max
    bits = -np.log2(np.maximum(probabilities, 1e-300))
    return np.rint(bits * steps).clip(0, highest).astype(dtype)
