"""The prior: a probability distribution over secret words."""

from __future__ import annotations

import copy
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.common import people_probabilities, people_words
from hangman_lab.agents.posterior.multigrams import Multigrams
from hangman_lab.agents.smoothed_ngrams import SmoothedNgrams
from hangman_lab.envs.bits import letter_bits, lowest_bit, strip_padding
from hangman_lab.envs.encoding import (
    MAX_LENGTH,
    NUM_LETTERS,
    EncodedWords,
    decode_words,
    encode_words,
)
from hangman_lab.envs.errors import check_number
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_sets import WordSets, matching_rows, word_sets
from hangman_lab.envs.words import DEFAULT_KNOWN

# Left to unknown words when ``known`` is 1, so that a game no known word matches has a posterior.
_MIN_UNKNOWN = 1e-9
# Steps per bit of the stored probabilities of candidates, and of those by the letter models.
_CANDIDATE_STEPS = 8.0
_MODEL_STEPS = 1000.0
# The least share of a length's model mass that is left to unlisted words.
_MIN_UNLISTED = 1e-4


class Kind(IntEnum):
    """The kinds of listed words."""

    CANDIDATE = 0
    FITTED = 1
    #: A known word that was not fitted, but that people choose.
    CHOSEN = 2


class ListedWords(NamedTuple):
    """Known words and candidates with their probabilities, for compiled code."""

    words: WordSets
    kinds: npt.NDArray[np.uint8]  #: shape (words,): See :class:`Kind`.
    #: shape (words,): ``2 ** (-surprisal / 8)`` is proportional to the probability of a candidate
    #: among all unknown words, and to that with which people choose another listed word.
    surprisals: npt.NDArray[np.uint8]
    #: shape (words,): ``2 ** (-surprisal / 1000)`` is the probability by the letter models.
    model_surprisals: npt.NDArray[np.uint16]
    prior_mass: npt.NDArray[np.float64]  #: shape (3, 256): The probability by kind and surprisal.
    model_mass: npt.NDArray[np.float32]  #: shape (65536,): By surprisal, the probability by models.


class LetterModels(NamedTuple):
    """A mixture of two letter models, which gives every string a probability."""

    ngrams: SmoothedNgrams
    multigrams: Multigrams
    weight: float  #: Of the multigrams, 0 to 1; the n-grams have ``1 - weight``.
    length_masses: npt.NDArray[np.float64]  #: shape (33,): The probability of each word length.

    @classmethod
    def of(cls, ngrams: SmoothedNgrams, multigrams: Multigrams, weight: float) -> Self:
        """Return the mixture; summing its length masses takes a second."""
        masses = (1 - weight) * ngrams.length_masses() + weight * multigrams.length_masses()
        return cls(ngrams, multigrams, weight, masses)

    def probabilities(self, words: EncodedWords) -> npt.NDArray[np.float64]:
        """Return the probability of each word, shape (words,)."""
        by_ngrams = np.exp(self.ngrams.log_probabilities(words))
        by_multigrams = np.exp(self.multigrams.log_probabilities(words))
        return (1 - self.weight) * by_ngrams + self.weight * by_multigrams


class WordPrior:
    """A distribution over known words, candidates and all other strings.

    With probability ``known`` the secret is a known word: with probability ``common`` as people
    choose words, see :mod:`agents.common`, otherwise uniformly one of the fitted words. A secret
    that is not known is a candidate, with the probability of that candidate, or any other string of
    1 to 32 letters, by the letter models rescaled to ``shares``. The total is 1. With ``common``
    above 0, the words that people choose are known words, too.

    Parameters
    ----------
    words : EncodedWords
        The listed words, known words and candidates, distinct and sorted.
    kinds, surprisals, model_surprisals : ndarray
        See :class:`ListedWords`.
    models : LetterModels
    shares : ndarray of float64, shape (33,)
        The probability that an unknown word has each length and is not a candidate.

    Attributes
    ----------
    known : float
        The probability of a known word, 0 to 1, by default 0.5; see :meth:`with_prior`.
    common : float
        The probability that a known word was chosen as people choose words, 0 to 1, by default 0.
    words : EncodedWords
    scale : ndarray of float64, shape (33,)
        By length, the factor from model probabilities to prior probabilities.
    """

    def __init__(
        self,
        words: EncodedWords,
        kinds: npt.NDArray[np.uint8],
        surprisals: npt.NDArray[np.uint8],
        model_surprisals: npt.NDArray[np.uint16],
        models: LetterModels,
        shares: npt.NDArray[np.float64],
    ) -> None:
        masses = models.length_masses
        if not 0 <= models.weight <= 1:
            raise ValueError(f"weight: {models.weight} is not in 0..1")
        for name, by_length in (("shares", shares), ("length_masses", masses)):
            if by_length.shape != (MAX_LENGTH + 1,) or not (by_length >= 0).all():
                raise ValueError(f"{name}: a nonnegative number for each length is expected")
        self.words, self.models, self.shares = words, models, shares
        self._kinds, self._surprisals, self._model_surprisals = kinds, surprisals, model_surprisals
        self._first_word = np.searchsorted(words.lengths, np.arange(MAX_LENGTH + 2))
        is_known = self.is_known
        self.num_fitted = int((kinds == Kind.FITTED).sum())
        # By surprisal, like all tables: arrays by word take more memory than they save time.
        probabilities = np.exp2(np.arange(1 << 8) / -_CANDIDATE_STEPS)
        unknown = np.bincount(surprisals[~is_known], minlength=1 << 8) @ probabilities
        unknown += shares.sum()
        chosen = np.bincount(surprisals[is_known], minlength=1 << 8) @ probabilities
        # Of a candidate among unknown words, and of a known word among those that people choose.
        self._by_surprisal = probabilities / unknown, probabilities / max(chosen, 1e-300)
        by_models = np.exp2(np.arange(1 << 16) / -_MODEL_STEPS)
        parts = np.split(model_surprisals, self._first_word[1:-1])
        listed_mass = np.array([by_models[part].sum() for part in parts])
        left = np.maximum(masses - listed_mass, _MIN_UNLISTED * masses)
        self._factors = np.divide(shares / unknown, left, out=np.zeros_like(left), where=left > 0)
        self._model_mass = by_models.astype(np.float32)
        # The prior that has the index of these words, and the one without people's words, if these
        # are others.
        self._indexed: Self | None = None
        self._fitted: Self | None = None
        self._set(DEFAULT_KNOWN, 0.0)

    @classmethod
    def of(
        cls,
        known: EncodedWords,
        candidates: EncodedWords,
        probabilities: npt.NDArray[np.floating],
        by_models: npt.NDArray[np.floating],
        models: LetterModels,
        shares: npt.NDArray[np.float64],
    ) -> Self:
        """Return the prior of known words and candidates of the same width.

        ``probabilities``, shape (candidates,), are those of the candidates among unknown words;
        ``by_models``, shape (known + candidates,), those of all words by the letter models.
        """
        words = EncodedWords(
            np.concatenate([known.codes, candidates.codes]),
            np.concatenate([known.lengths, candidates.lengths]),
        )
        is_known = np.arange(len(words)) < len(known)
        surprisals = np.zeros(len(words), dtype=np.uint8)
        surprisals[~is_known] = _surprisals(probabilities, _CANDIDATE_STEPS, np.uint8)
        model_surprisals = _surprisals(by_models, _MODEL_STEPS, np.uint16)
        order = words.argsort()
        ratings = surprisals[order], model_surprisals[order]
        kinds = is_known[order].astype(np.uint8)
        return cls(words[order], kinds, *ratings, models, shares)

    @property
    def listed(self) -> ListedWords:
        """The listed words for compiled code; their index is made at first use."""
        return ListedWords(
            (self._indexed or self)._sets,
            self._kinds,
            self._surprisals,
            self._model_surprisals,
            self._prior_mass,
            self._model_mass,
        )

    @property
    def is_known(self) -> npt.NDArray[np.bool_]:
        """Whether each listed word is known, shape (words,); the rest are candidates."""
        return self._kinds != Kind.CANDIDATE

    @cached_property
    def _sets(self) -> WordSets:
        return word_sets(self.words)

    def with_prior(self, known: float, common: float = 0.0) -> Self:
        """Return the prior with another ``known`` and ``common``, without refitting.

        ``known`` is 0 if the rules exclude known words. The first prior with a ``common`` above 0
        lists the words that people choose, which takes most of a second.
        """
        fitted = self._fitted or self
        base = fitted._with_people_words if check_number("common", common, 0, 1) else fitted
        other = copy.copy(base)
        other._indexed, other._fitted = base, fitted
        other._set(known, common)
        return other

    def _set(self, known: float, common: float) -> None:
        self.known = known = check_number("known", known, 0, 1)
        self.common = common
        share = min(known, 1 - _MIN_UNKNOWN) if self.num_fitted else 0.0
        of_candidates, chosen = self._by_surprisal
        chosen = common * share * chosen
        equal = (1 - common) * share / max(self.num_fitted, 1)
        self._prior_mass = np.stack([(1 - share) * of_candidates, equal + chosen, chosen])
        self.scale = (1 - share) * self._factors

    @cached_property
    def _with_people_words(self) -> Self:
        """The prior with all words that people choose."""
        words, fitted = self.words, np.flatnonzero(self._kinds == Kind.FITTED)
        known = decode_words(words[fitted])
        more = sorted(sorted(set(people_words()).difference(known)), key=len)
        surprisals = _surprisals(people_probabilities([*known, *more]), _CANDIDATE_STEPS, np.uint8)
        others = encode_words(more, max(words.width, *map(len, more)))
        order = others.argsort()
        others, ratings = others[order], surprisals[len(known) :][order]
        rows, found = self._find(others)
        new, at = others[~found], rows[~found]
        codes = words.codes
        if more_letters := others.width - words.width:
            codes = np.pad(codes, [(0, 0), (0, more_letters)])
        words = EncodedWords(
            np.insert(codes, at, new.codes, axis=0), np.insert(words.lengths, at, new.lengths)
        )
        kinds = np.insert(self._kinds, at, Kind.CHOSEN)
        by_word = self._surprisals.copy()
        by_word[fitted] = surprisals[: len(known)]
        by_word = np.insert(by_word, at, 0)
        rows += np.cumsum(~found) - ~found
        kinds[rows], by_word[rows] = Kind.CHOSEN, ratings
        by_models = _surprisals(self.models.probabilities(new), _MODEL_STEPS, np.uint16)
        by_models = np.insert(self._model_surprisals, at, by_models)
        return type(self)(words, kinds, by_word, by_models, self.models, self.shares)

    def probabilities(self, words: EncodedWords) -> npt.NDArray[np.float64]:
        """Return the probability that each word is the secret, shape (words,)."""
        result = self.models.probabilities(words) * self.scale[words.lengths]
        rows, found = self._find(words)
        result[found] = listed_priors(self.listed, rows[found])
        return result

    def _find(self, words: EncodedWords) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return the row of each word in the order of the listed words, and whether it is there."""
        rows, found = np.zeros(len(words), np.int64), np.zeros(len(words), np.bool_)
        first = self._first_word
        for length in np.unique(words.lengths):
            members = words.lengths == length
            listed = _texts(self.words.codes[first[length] : first[length + 1]], length)
            texts = _texts(words.codes[members], length)
            places = np.searchsorted(listed, texts)
            rows[members] = first[length] + places
            found[members] = np.append(listed, b"")[places] == texts
        return rows, found


def _texts(codes: npt.NDArray[np.uint8], length: int) -> npt.NDArray[np.bytes_]:
    """Return words of a length as bytes, which sort like the words."""
    texts = np.zeros((len(codes), length), dtype=np.uint8)
    texts[:, : codes.shape[1]] = codes[:, :length]
    return texts.view(f"S{length}")[:, 0]


def _surprisals(probabilities: npt.NDArray[np.floating], steps: float, dtype: type) -> npt.NDArray:
    bits = -np.log2(np.maximum(probabilities, 1e-300))
    return np.rint(bits * steps).clip(0, np.iinfo(dtype).max).astype(dtype)


@njit
def listed_priors(listed, rows):
    """Return the prior probability of the words ``rows``."""
    masses = np.empty(len(rows), dtype=np.float64)
    for index, row in enumerate(rows):
        masses[index] = listed.prior_mass[listed.kinds[row], listed.surprisals[row]]
    return masses


@njit
def listed_masses(
    thread, num_threads, word, guessed, listed, scale, prior_sums, model_sums, num_possible
):
    """Sum the masses of the listed words that match each of N games.

    The sums, shape (N, 27), are over the words without each letter behind a blank, and over all at
    index 26: by the prior, and by the letter models times ``scale``, shape (N,). ``num_possible``,
    shape (N,), becomes the number of matching words with a prior mass above 0.
    """
    for game in range(thread, len(word), num_threads):
        masked = strip_padding(word[game], guessed[game])
        if len(masked) == 0:
            continue
        rows = matching_rows(masked, guessed[game], listed.words, True, True)
        bits, model_scale = letter_bits(guessed[game]), np.float32(scale[game])
        by_prior, by_models = prior_sums[game], model_sums[game]
        for row in rows:
            prior = listed.prior_mass[listed.kinds[row], listed.surprisals[row]]
            model = listed.model_mass[listed.model_surprisals[row]] * model_scale
            num_possible[game] += prior > 0.0
            by_prior[NUM_LETTERS] += prior
            by_models[NUM_LETTERS] += model
            # No guessed letter is behind a blank.
            letters = np.uint64(listed.words.letters[row]) & ~np.uint64(bits)
            while letters:
                letter = lowest_bit(letters)
                by_prior[letter] += prior
                by_models[letter] += model
                letters &= letters - np.uint64(1)
        for letter in range(NUM_LETTERS):
            by_prior[letter] = max(by_prior[NUM_LETTERS] - by_prior[letter], 0.0)
            by_models[letter] = max(by_models[NUM_LETTERS] - by_models[letter], 0.0)
