"""Words derived from known ones: a stem that some known words share, with another affix.

Whoever knows "nation", "national" and "rational" expects "ration", "nationally" and "rationality".
Of each word every ending (or beginning) of a few letters is taken for an affix, and the rest for a
stem; stems that are known with one affix then vote for the affixes that usually go with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit, prange
from scipy.sparse import csr_matrix
from scipy.special import logit

from agents.smoothed_ngrams import END, SmoothedNgrams
from envs.encoding import MAX_LENGTH

# On 90% of a list's train words these affixes derive more than half of the other tenth.
_NUM_AFFIXES = 1000
_MAX_AFFIX = 6
_MIN_STEM = 2
# Derivations that the known affixes of a stem make less likely than this are left out.
_MIN_CHANCE = 0.04
# Added to a count of stems, so that one stem says little about an affix.
_PSEUDO_COUNT = 2.0
_MAX_RATE = 0.98
# Odd, and with bits set all over: a word's key is a polynomial of its letters in this base.
_KEY_BASE = np.uint64(0x9E3779B97F4A7C15)
_FEATURES_OF_A_SIDE = 5


class Derivations(NamedTuple):
    """Words that are not known, each with what speaks for it.

    Attributes
    ----------
    stems, affixes : list of str
        What the words are made of; of the derivations of a word, the likeliest.
    at_end : ndarray of bool, shape (words,)
        Whether the affix follows the stem.
    stem, affix : ndarray of int32, shape (words,)
        Numbers in ``stems`` and ``affixes``.
    keys : ndarray of uint64, shape (words,)
        :func:`word_keys` of the words, ascending.
    features : ndarray of float32, shape (words, 12)
        For endings, then for beginnings: the log-odds of the likeliest derivation and of the next,
        the log of the number of the stem's known affixes and of the derivations of the word, each
        plus one, and the length of the stem; then the length of the word and its log-probability by
        an n-gram model.
    """

    stems: list[str]
    affixes: list[str]
    at_end: npt.NDArray[np.bool_]
    stem: npt.NDArray[np.int32]
    affix: npt.NDArray[np.int32]
    keys: npt.NDArray[np.uint64]
    features: npt.NDArray[np.float32]

    def words(self, chosen: npt.NDArray[np.bool_]) -> list[str]:
        """Return the words that are chosen by a mask of shape (words,)."""
        return [
            self.stems[stem] + self.affixes[affix]
            if at_end
            else self.affixes[affix] + self.stems[stem]
            for stem, affix, at_end in zip(
                self.stem[chosen].tolist(),
                self.affix[chosen].tolist(),
                self.at_end[chosen].tolist(),
                strict=True,
            )
        ]


class _Pieces(NamedTuple):
    """Strings as compiled code reads them, with what makes the key of a string of pieces."""

    codes: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    keys: npt.NDArray[np.uint64]
    powers: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, strings: Sequence[str]) -> Self:
        codes = np.frombuffer("".join(strings).encode("ascii"), dtype=np.uint8) - ord("a")
        lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
        ends = np.cumsum(lengths)
        return cls(codes, ends, lengths, *_keys(codes, ends, lengths))


class _Side(NamedTuple):
    """Derived words by their keys, ascending, each with its likeliest derivation."""

    keys: npt.NDArray[np.uint64]
    stem: npt.NDArray[np.int32]
    affix: npt.NDArray[np.int32]
    features: npt.NDArray[np.float32]


def word_keys(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return numbers by which derived words are told apart, of words of letters a to z."""
    return _Pieces.of(words).keys


def derive_words(words: Sequence[str], model: SmoothedNgrams) -> Derivations:
    """Derive words from known ones.

    An affix of a stem is as likely as the share of the stems with a known affix that have the
    other one too; several known affixes are combined as independent causes (noisy-or). The
    :data:`_NUM_AFFIXES` commonest affixes of each side are looked at.

    Parameters
    ----------
    words : sequence of str
        Distinct, lower-case, 1 to 32 letters a to z.
    model : SmoothedNgrams
        Which rates the derived words.

    References
    ----------
    Morphology by pairs of stems and affixes: John Goldsmith, "Unsupervised learning of the
    morphology of a natural language", Computational Linguistics 27 (2001). Noisy-or: Judea Pearl,
    "Probabilistic Reasoning in Intelligent Systems" (1988).
    """
    known = np.sort(word_keys(words))
    stems: list[str] = []
    affixes: list[str] = []
    sides = []
    for at_end in (True, False):
        side_stems, side_affixes, side = _derive_side(words, at_end, known)
        # Both sides' pieces are numbered together.
        sides.append(side._replace(stem=side.stem + len(stems), affix=side.affix + len(affixes)))
        stems += side_stems
        affixes += side_affixes
    keys = np.union1d(sides[0].keys, sides[1].keys)
    stem = np.empty(len(keys), dtype=np.int32)
    affix = np.empty(len(keys), dtype=np.int32)
    features = np.zeros((len(keys), 2 * _FEATURES_OF_A_SIDE + 2), dtype=np.float32)
    best = np.full(len(keys), -np.inf, dtype=np.float32)
    at_end = np.zeros(len(keys), dtype=bool)
    for number, side in enumerate(sides):
        rows = np.searchsorted(keys, side.keys)
        first = number * _FEATURES_OF_A_SIDE
        # What a side does not derive has at most the lowest chance there.
        features[:, first : first + 2] = _log_odds(_MIN_CHANCE)
        features[rows, first : first + _FEATURES_OF_A_SIDE] = side.features
        better = side.features[:, 0] > best[rows]
        chosen = rows[better]
        best[chosen] = side.features[better, 0]
        stem[chosen], affix[chosen] = side.stem[better], side.affix[better]
        at_end[chosen] = number == 0
    stem_pieces, affix_pieces = _Pieces.of(stems), _Pieces.of(affixes)
    features[:, -2] = stem_pieces.lengths[stem] + affix_pieces.lengths[affix]
    features[:, -1] = _log_probabilities(
        stem,
        affix,
        at_end,
        stem_pieces,
        affix_pieces,
        model.probabilities,
        model.next_state,
        model.start,
    )
    return Derivations(stems, affixes, at_end, stem, affix, keys, features)


def _derive_side(
    words: Sequence[str], at_end: bool, known: npt.NDArray[np.uint64]
) -> tuple[list[str], list[str], _Side]:
    """Return stems, affixes, and the words that they derive at one side."""
    pairs = [pair for word in words for pair in _divisions(word, at_end)]
    counts = Counter(affix for _, affix in pairs)
    affixes = sorted(counts, key=lambda affix: (-counts[affix], affix))[:_NUM_AFFIXES]
    affix_numbers = {affix: number for number, affix in enumerate(affixes)}
    stem_numbers: dict[str, int] = {}
    rows, columns = [], []
    for stem, affix in pairs:
        column = affix_numbers.get(affix)
        if column is not None:
            rows.append(stem_numbers.setdefault(stem, len(stem_numbers)))
            columns.append(column)
    stems = list(stem_numbers)
    has = csr_matrix(
        (np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=(len(stems), len(affixes))
    )
    together = (has.T @ has).toarray()
    rates = np.minimum(together / (together.diagonal()[:, None] + _PSEUDO_COUNT), _MAX_RATE)
    log_absent = np.log1p(-rates).astype(np.float32)
    stem, affix, absent = _noisy_or(
        has.indptr, has.indices, log_absent, np.float32(np.log1p(-_MIN_CHANCE))
    )
    stem_pieces, affix_pieces = _Pieces.of(stems), _Pieces.of(affixes)
    first, second = (stem, affix) if at_end else (affix, stem)
    first_pieces, second_pieces = (
        (stem_pieces, affix_pieces) if at_end else (affix_pieces, stem_pieces)
    )
    keys = first_pieces.keys[first] * second_pieces.powers[second] + second_pieces.keys[second]
    new = stem_pieces.lengths[stem] + affix_pieces.lengths[affix] <= MAX_LENGTH
    new &= known[np.searchsorted(known, keys).clip(max=len(known) - 1)] != keys
    stem, affix, absent, keys = stem[new], affix[new], absent[new], keys[new]
    # The derivations of a word together, the likeliest first.
    order = np.lexsort((absent, keys))
    stem, affix, absent, keys = stem[order], affix[order], absent[order], keys[order]
    begin = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
    number = np.diff(begin, append=len(keys))
    chance = -np.expm1(absent)
    following = np.where(number > 1, chance[np.minimum(begin + 1, len(chance) - 1)], _MIN_CHANCE)
    family = np.diff(has.indptr)
    features = np.column_stack(
        [
            _log_odds(chance[begin]),
            _log_odds(following),
            np.log1p(family[stem[begin]]),
            stem_pieces.lengths[stem[begin]],
            np.log1p(number),
        ]
    )
    return (
        stems,
        affixes,
        _Side(keys[begin], stem[begin], affix[begin], features.astype(np.float32)),
    )


def _divisions(word: str, at_end: bool) -> list[tuple[str, str]]:
    """Return the stems and affixes of a word."""
    lengths = range(min(_MAX_AFFIX, len(word) - _MIN_STEM) + 1)
    if at_end:
        return [(word[: len(word) - length], word[len(word) - length :]) for length in lengths]
    return [(word[length:], word[:length]) for length in lengths]


def _log_odds(chance: npt.ArrayLike) -> npt.NDArray[np.float64]:
    return logit(np.clip(chance, 1e-3, 1 - 1e-3))


@njit(cache=True)
def _keys(codes, ends, lengths):  # noqa: ANN001, ANN202
    """Return each string's key, and the factor on the key of what stands before it."""
    keys = np.zeros(len(ends), dtype=np.uint64)
    powers = np.ones(len(ends), dtype=np.uint64)
    for number in range(len(ends)):
        for code in codes[ends[number] - lengths[number] : ends[number]]:
            keys[number] = keys[number] * _KEY_BASE + np.uint64(code + 1)
            powers[number] *= _KEY_BASE
    return keys, powers


@njit(cache=True, parallel=True)
def _noisy_or(indptr, indices, log_absent, most):  # noqa: ANN001, ANN202
    """Return stem, affix and the log of its absence where that is at most ``most``."""
    num_stems, num_affixes = len(indptr) - 1, len(log_absent)
    counts = np.zeros(num_stems + 1, dtype=np.int64)
    for stem in prange(num_stems):
        row = _absence(indices[indptr[stem] : indptr[stem + 1]], log_absent)
        for affix in range(num_affixes):
            counts[stem + 1] += row[affix] <= most
    begin = np.cumsum(counts)
    stems = np.empty(begin[-1], dtype=np.int32)
    affixes = np.empty(begin[-1], dtype=np.int32)
    absent = np.empty(begin[-1], dtype=np.float32)
    for stem in prange(num_stems):
        row = _absence(indices[indptr[stem] : indptr[stem + 1]], log_absent)
        entry = begin[stem]
        for affix in range(num_affixes):
            if row[affix] <= most:
                stems[entry], affixes[entry], absent[entry] = stem, affix, row[affix]
                entry += 1
    return stems, affixes, absent


@njit(cache=True)
def _absence(known, log_absent):  # noqa: ANN001, ANN202
    """Return the log-probability that a stem has not each affix; 0 for those that it has."""
    row = np.zeros(len(log_absent), dtype=np.float32)
    for affix in known:
        row += log_absent[affix]
    for affix in known:
        row[affix] = 0
    return row


@njit(cache=True, parallel=True)
def _log_probabilities(stem, affix, at_end, stems, affixes, probabilities, next_state, start):  # noqa: ANN001, ANN202
    result = np.empty(len(stem), dtype=np.float64)
    for number in prange(len(stem)):
        state = start
        total = 0.0
        for part in range(2):
            if at_end[number] == (part == 0):
                end, length = stems.ends[stem[number]], stems.lengths[stem[number]]
                codes = stems.codes[end - length : end]
            else:
                end, length = affixes.ends[affix[number]], affixes.lengths[affix[number]]
                codes = affixes.codes[end - length : end]
            for letter in codes:
                total += np.log(probabilities[state, letter])
                state = next_state[state, letter]
        result[number] = total + np.log(probabilities[state, END])
    return result
