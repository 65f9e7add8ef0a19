"""The prior: one probability distribution over all words that the secret can be."""

from __future__ import annotations

import copy
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.compiled import lowest_bit
from agents.posterior.multigrams import Multigrams, MultigramTables
from agents.smoothed_ngrams import NgramTables, SmoothedNgrams
from agents.word_arrays import WordArrays, sequence_keys
from agents.word_sets import WordSets, word_sets
from envs.encoding import MAX_LENGTH, NUM_LETTERS

# The probability that the secret is one of the words that were fitted, by default.
DEFAULT_KNOWN = 0.5
# Even where the secret is surely known, a game that no known word fits wants an answer.
_LEAST_UNKNOWN = 1e-9
# Ratings are kept in eighths of a bit, probabilities by the models in thousandths.
_RATING_STEPS = 8
_MODEL_STEPS = 1000
# However much of a length's mass the listed words have, this share is taken to be left for others.
_LEAST_SHARE_LEFT = 1e-4


class ListedWords(NamedTuple):
    """The words that have a probability of their own, by length and then by alphabet."""

    words: WordArrays
    #: shape (words,): Whether the word was fitted; the rest are candidates.
    is_known: npt.NDArray[np.bool_]
    #: shape (words,): How likely each candidate is among all unknown words: ``2 ** (-rating / 8)``
    #: on a scale that makes it add up. Of known words it is not used.
    ratings: npt.NDArray[np.uint8]
    #: shape (words,): How likely each word is by the models of letters: ``2 ** (-by_models /
    #: 1000)``.
    by_models: npt.NDArray[np.uint16]


class LetterModels(NamedTuple):
    """Two models of letters, which together give every string of letters a probability."""

    ngrams: SmoothedNgrams
    multigrams: Multigrams
    weight: float  #: Of the multigrams, 0 to 1; that of the n-grams is ``1 - weight``.
    #: shape (33,): The probability that a word has each length.
    length_masses: npt.NDArray[np.float64]

    @classmethod
    def of(cls, ngrams: SmoothedNgrams, multigrams: Multigrams, weight: float) -> Self:
        """Return two models with their masses by length, which take a second to sum."""
        masses = (1 - weight) * ngrams.length_masses() + weight * multigrams.length_masses()
        return cls(ngrams, multigrams, weight, masses)

    def probabilities(self, words: WordArrays) -> npt.NDArray[np.float64]:
        """Return the probability of words, shape (words,)."""
        by_ngrams = np.exp(self.ngrams.log_probabilities(words))
        by_multigrams = np.exp(self.multigrams.log_probabilities(words))
        return (1 - self.weight) * by_ngrams + self.weight * by_multigrams


class ListedTables(NamedTuple):
    """Words of a list, each with two probabilities."""

    words: WordSets
    is_known: npt.NDArray[np.bool_]  #: shape (words,): Of :class:`ListedWords`.
    own: npt.NDArray[np.float64]  #: shape (words,): That the word is the secret.
    #: shape (words,): By the models that all other words' probabilities come from, on the same
    #: scale.
    replaced: npt.NDArray[np.float64]


class PriorTables(NamedTuple):
    """What compiled code reads of a prior."""

    listed: ListedTables
    #: shape (33,): By length, the factor from a probability by the models to one by the prior.
    scale: npt.NDArray[np.float64]
    ngrams: NgramTables
    multigrams: MultigramTables
    weight: float  #: Of the multigrams.


class WordPrior:
    """One distribution over words: known words, rated candidates, and all other strings.

    With probability ``known`` the secret is one of the words that were fitted, each alike.
    Otherwise it is a candidate with the probability that its rating gives it, or any other string
    of 1 to 32 letters by two models of letters, with the share that such words have of their
    length. All of it adds up to 1.

    Parameters
    ----------
    listed : ListedWords
    models : LetterModels
    shares : ndarray of float64, shape (33,)
        The probability that an unknown word has each length and is no candidate.
    known : float, default 0.5
        0 to 1; 0 where the rules say that the secret is not a known word.

    Raises
    ------
    ValueError
        If ``known`` is not in 0..1, or the arrays do not fit together.
    """

    def __init__(
        self,
        listed: ListedWords,
        models: LetterModels,
        shares: npt.NDArray[np.float64],
        known: float = DEFAULT_KNOWN,
    ) -> None:
        words, is_known, ratings, by_models = listed
        if not len(words.lengths) == len(is_known) == len(ratings) == len(by_models):
            raise ValueError("listed: the arrays do not fit together")
        if not 0 <= models.weight <= 1:
            raise ValueError(f"weight: {models.weight} is not in 0..1")
        for name, by_length in (("shares", shares), ("length_masses", models.length_masses)):
            if by_length.shape != (MAX_LENGTH + 1,) or not (by_length >= 0).all():
                raise ValueError(f"{name}: they are not one of at least 0 for each length")
        self.listed = listed
        self.models = models
        self.shares = shares
        self.num_known = int(is_known.sum())
        self._rated = np.where(is_known, 0.0, np.exp2(-ratings.astype(np.float64) / _RATING_STEPS))
        unknown = self._rated.sum() + shares.sum()
        self._rated /= unknown
        self._by_models = np.exp2(-by_models.astype(np.float64) / _MODEL_STEPS)
        masses = models.length_masses
        replaced = np.bincount(words.lengths, self._by_models, minlength=MAX_LENGTH + 1)
        left = np.maximum(masses - replaced, _LEAST_SHARE_LEFT * masses)
        self._factors = np.divide(shares / unknown, left, out=np.zeros_like(left), where=left > 0)
        self._sets = word_sets(words)
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
            ListedTables(self._sets, self.listed.is_known, own, replaced),
            scale,
            self.models.ngrams.tables,
            self.models.multigrams.tables,
            self.models.weight,
        )

    def probabilities(self, words: WordArrays) -> npt.NDArray[np.float64]:
        """Return the probability that each word is the secret, shape (words,)."""
        result = self.models.probabilities(words) * self.tables.scale[words.lengths]
        listed_keys = sequence_keys(*self.listed.words)
        order = np.argsort(listed_keys)
        keys = sequence_keys(*words)
        found = np.searchsorted(listed_keys[order], keys).clip(max=len(order) - 1)
        if len(order):
            rows = order[found]
            is_listed = listed_keys[rows] == keys
            result[is_listed] = self.tables.listed.own[rows[is_listed]]
        return result


def list_words(
    known: WordArrays,
    candidates: WordArrays,
    chances: npt.NDArray[np.floating],
    by_models: npt.NDArray[np.floating],
) -> ListedWords:
    """Return known words and candidates as :class:`ListedWords`.

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
    return ListedWords(words.take(order), is_known[order], ratings[order], by_models[order])


def _to_steps(probabilities: npt.NDArray[np.floating], steps: int, dtype: type) -> npt.NDArray:
    highest = np.iinfo(dtype).max
    bits = -np.log2(np.maximum(probabilities, 1e-300))
    return np.rint(bits * steps).clip(0, highest).astype(dtype)


@njit(cache=True)
def listed_masses(listed, numbers, bits, own, replaced):
    """Sum both probabilities of the listed words that fit a game; return how many can be it.

    The sums over the words without each letter behind a blank, and over all at index 26, overwrite
    ``own`` and ``replaced``, shape (27,). ``numbers`` are the words', ``bits`` the guessed letters.
    """
    own[:] = 0.0
    replaced[:] = 0.0
    possible = 0
    for number in numbers:
        possible += listed.own[number] > 0.0
        own[NUM_LETTERS] += listed.own[number]
        replaced[NUM_LETTERS] += listed.replaced[number]
        # No guessed letter is behind a blank.
        letters = np.uint64(listed.words.letters[number]) & ~np.uint64(bits)
        while letters:
            letter = lowest_bit(letters)
            own[letter] += listed.own[number]
            replaced[letter] += listed.replaced[number]
            letters &= letters - np.uint64(1)
    for letter in range(NUM_LETTERS):
        own[letter] = max(own[NUM_LETTERS] - own[letter], 0.0)
        replaced[letter] = max(replaced[NUM_LETTERS] - replaced[letter], 0.0)
    return possible
