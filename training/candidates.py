"""Candidates: words that are not known, derived from known ones by their affixes.

Whoever knows "nation", "national" and "rational" expects "ration", "nationally" and "rationality".
Of each word every ending (or beginning) of a few letters is taken for an affix, and the rest for a
stem; stems that are known with one affix then vote for the affixes that usually go with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.sparse import csr_matrix
from scipy.special import expit, logit

from agents.posterior.multigrams import Multigrams
from agents.posterior.sequence_keys import (
    KEY_BASE,
    extend_key,
    find_key,
    key_table,
    sequence_keys,
)
from agents.smoothed_ngrams import SmoothedNgrams
from agents.threads import in_threads
from agents.word_sets import WordArrays
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
# Derived words with a lower sum of log-probability by n-grams, twice the log-odds of their
# derivation and 0.8 per letter are dropped: two thirds of them, with 2% of the ratings' sum.
_LEAST_SCORE = -16.7
_LOG_ODDS_WEIGHT = 2.0
_LENGTH_WEIGHT = 0.8
_FEATURES_OF_A_SIDE = 5
_AFFIX_BASE = 32


class Candidates(NamedTuple):
    """Words that are not known, each with what speaks for it.

    Attributes
    ----------
    words : WordArrays
    keys : ndarray of uint64, shape (words,)
        Of :func:`agents.posterior.sequence_keys.sequence_keys`, ascending.
    features : ndarray of float32, shape (words, 13)
        For endings, then for beginnings: the log-odds of the likeliest derivation and of the next,
        the number of the stem's known affixes, the length of the stem and the number of derivations
        of the word, all 0 where the side derives nothing; then the length of the word and its
        log-probability by the n-grams and by the multigrams.
    """

    words: WordArrays
    keys: npt.NDArray[np.uint64]
    features: npt.NDArray[np.float32]


class _Side(NamedTuple):
    """Derived words by their keys, ascending, each with its likeliest derivation.

    A stem is a part of a known word: ``row`` and ``stem_length`` tell it, ``affix`` is a number in
    ``affixes``.
    """

    keys: npt.NDArray[np.uint64]
    row: npt.NDArray[np.int64]
    stem_length: npt.NDArray[np.int64]
    affix: npt.NDArray[np.int64]
    features: npt.NDArray[np.float32]
    affixes: WordArrays
    at_end: bool


def find_candidates(
    words: WordArrays, ngrams: SmoothedNgrams, multigrams: Multigrams
) -> Candidates:
    """Derive words from known ones.

    An affix of a stem is as likely as the share of the stems with a known affix that have the
    other one too; several known affixes are combined as independent causes (noisy-or). The 1,000
    commonest affixes of each side are looked at.

    Parameters
    ----------
    words : WordArrays
        The known words, at least one.
    ngrams, multigrams
        Fitted on them.

    References
    ----------
    Morphology by pairs of stems and affixes: John Goldsmith, "Unsupervised learning of the
    morphology of a natural language", Computational Linguistics 27 (2001). Noisy-or: Judea Pearl,
    "Probabilistic Reasoning in Intelligent Systems" (1988).
    """
    sides = [_derive(words, at_end) for at_end in (True, False)]
    keys = np.union1d(sides[0].keys, sides[1].keys)
    features = np.zeros((len(keys), 2 * _FEATURES_OF_A_SIDE + 3), dtype=np.float32)
    codes = np.zeros((len(keys), MAX_LENGTH), dtype=np.uint8)
    lengths = np.zeros(len(keys), dtype=np.int64)
    for number, side in enumerate(sides):
        rows = np.searchsorted(keys, side.keys)
        first = number * _FEATURES_OF_A_SIDE
        features[rows, first : first + _FEATURES_OF_A_SIDE] = side.features
        lengths[rows] = side.stem_length + side.affixes.lengths[side.affix]
        in_threads(_write, words, side[1:4], side.affixes, side.at_end, rows, codes)
    candidates = WordArrays(codes, lengths)
    features[:, -3] = lengths
    features[:, -2] = ngrams.log_probabilities(candidates)
    # Either side may derive the word.
    no_ending, no_beginning = expit(-features[:, 0]), expit(-features[:, _FEATURES_OF_A_SIDE])
    no_ending[features[:, 4] == 0] = no_beginning[features[:, 9] == 0] = 1.0
    score = features[:, -2] + _LENGTH_WEIGHT * lengths
    score += _LOG_ODDS_WEIGHT * _log_odds(1 - no_ending * no_beginning)
    chosen = score >= _LEAST_SCORE
    candidates, features = candidates.take(chosen), features[chosen]
    features[:, -1] = multigrams.log_probabilities(candidates)
    return Candidates(candidates, keys[chosen], features)


def _derive(words: WordArrays, at_end: bool) -> _Side:
    """Return the words that the affixes of one side derive."""
    stems, affixes, rows, stem_lengths = _divisions(words, at_end)
    affix_codes, columns, counts = np.unique(affixes, return_inverse=True, return_counts=True)
    common = np.sort(np.argsort(-counts, kind="stable")[:_NUM_AFFIXES])
    column_of = np.full(len(counts), -1)
    column_of[common] = np.arange(len(common))
    columns = column_of[columns]
    kept = columns >= 0
    columns, rows, stem_lengths = columns[kept], rows[kept], stem_lengths[kept]
    stem_keys, first, stems = np.unique(stems[kept], return_index=True, return_inverse=True)
    rows, stem_lengths = rows[first], stem_lengths[first]
    has = csr_matrix(
        (np.ones(len(columns), dtype=np.float32), (stems, columns)),
        shape=(len(stem_keys), len(common)),
    )
    together = (has.T @ has).toarray()
    rates = np.minimum(together / (together.diagonal()[:, None] + _PSEUDO_COUNT), _MAX_RATE)
    log_absent = np.log1p(-rates).astype(np.float32)
    most = np.float32(np.log1p(-_MIN_CHANCE))
    counts = np.zeros(len(stem_keys) + 1, dtype=np.int64)
    in_threads(_count_likely, has.indptr, has.indices, log_absent, most, counts)
    begin = np.cumsum(counts)
    affix = np.empty(begin[-1], dtype=np.int64)
    absent = np.empty(begin[-1], dtype=np.float32)
    in_threads(_list_likely, has.indptr, has.indices, log_absent, most, begin, affix, absent)
    stem = np.repeat(np.arange(len(stem_keys)), counts[1:])

    texts = _affix_words(affix_codes[common])
    affix_keys = sequence_keys(*texts)
    powers = KEY_BASE ** np.arange(MAX_LENGTH + 1, dtype=np.uint64)
    short = stem_lengths[stem] + texts.lengths[affix] <= MAX_LENGTH
    stem, affix, absent = stem[short], affix[short], absent[short]
    with np.errstate(over="ignore"):
        if at_end:
            keys = stem_keys[stem] * powers[texts.lengths[affix]] + affix_keys[affix]
        else:
            keys = affix_keys[affix] * powers[stem_lengths[stem]] + stem_keys[stem]
    order = np.argsort(keys)
    known = key_table(sequence_keys(*words))
    likeliest, features = _likeliest(keys, order, absent, known)
    chosen = stem[likeliest]
    features[:, :2] = _log_odds(-np.expm1(features[:, :2]))
    features[:, 2] = np.diff(has.indptr)[chosen]
    features[:, 3] = stem_lengths[chosen]
    return _Side(
        keys[likeliest],
        rows[chosen],
        stem_lengths[chosen],
        affix[likeliest],
        features,
        texts,
        at_end,
    )


def _divisions(
    words: WordArrays, at_end: bool
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray]:
    """Return, of all divisions of words: stem's key, affix as a number, word, stem's length."""
    codes, lengths = words
    parts = []
    for size in range(_MAX_AFFIX + 1):
        rows = np.flatnonzero(lengths >= size + _MIN_STEM)
        stem_lengths = lengths[rows] - size
        begin = np.zeros_like(rows) if at_end else np.full_like(rows, size)
        affix_begin = stem_lengths if at_end else np.zeros_like(rows)
        affixes = np.zeros(len(rows), dtype=np.int64)
        for place in range(size):
            affixes = affixes * _AFFIX_BASE + codes[rows, affix_begin + place]
        keys = np.empty(len(rows), dtype=np.uint64)
        _part_keys(codes, rows, begin, stem_lengths, keys)
        parts.append((keys, affixes, rows, stem_lengths))
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def _affix_words(numbers: npt.NDArray[np.int64]) -> WordArrays:
    """Return the affixes that :func:`_divisions` wrote as numbers."""
    codes = np.zeros((len(numbers), MAX_LENGTH), dtype=np.uint8)
    lengths = np.zeros(len(numbers), dtype=np.int64)
    for size in range(_MAX_AFFIX, 0, -1):
        long = (numbers >= _AFFIX_BASE ** (size - 1)) & (lengths == 0)
        lengths[long] = size
        for place in range(size):
            codes[long, place] = numbers[long] // _AFFIX_BASE ** (size - 1 - place) % _AFFIX_BASE
    return WordArrays(codes, lengths)


def _log_odds(chances: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    return logit(chances.clip(1e-3, 1 - 1e-3))


@njit(cache=True)
def _part_keys(codes, rows, begin, lengths, keys):
    for number in range(len(rows)):
        key = np.uint64(0)
        for place in range(begin[number], begin[number] + lengths[number]):
            key = extend_key(key, codes[rows[number], place])
        keys[number] = key


@njit(cache=True)
def _absence(known, log_absent, row):
    """Write the log-probability that a stem has not each affix; 0 for those that it has."""
    row[:] = 0
    for affix in known:
        for other in range(len(row)):
            row[other] += log_absent[affix, other]
    for affix in known:
        row[affix] = 0


@njit(cache=True, nogil=True)
def _count_likely(thread, num_threads, indptr, indices, log_absent, most, counts):
    row = np.empty(len(log_absent), dtype=np.float32)
    for stem in range(thread, len(indptr) - 1, num_threads):
        _absence(indices[indptr[stem] : indptr[stem + 1]], log_absent, row)
        counts[stem + 1] = (row <= most).sum()


@njit(cache=True, nogil=True)
def _list_likely(thread, num_threads, indptr, indices, log_absent, most, begin, affix, absent):
    row = np.empty(len(log_absent), dtype=np.float32)
    for stem in range(thread, len(indptr) - 1, num_threads):
        _absence(indices[indptr[stem] : indptr[stem + 1]], log_absent, row)
        entry = begin[stem]
        for other in range(len(row)):
            if row[other] <= most:
                affix[entry], absent[entry] = other, row[other]
                entry += 1


@njit(cache=True)
def _likeliest(keys, order, absent, known):
    """Return the likeliest derivation of each word that is not known, and some of its features.

    These are the log-probabilities that the likeliest derivation and the next do not hold (0 if
    there is none), two columns for others, and the number of derivations.
    """
    num_words = 0
    for entry in range(len(order)):
        if entry == 0 or keys[order[entry]] != keys[order[entry - 1]]:
            num_words += find_key(known, keys[order[entry]]) < 0
    likeliest = np.empty(num_words, dtype=np.int64)
    features = np.zeros((num_words, _FEATURES_OF_A_SIDE), dtype=np.float32)
    word = -1
    is_new = False
    for entry in range(len(order)):
        number = order[entry]
        if entry == 0 or keys[number] != keys[order[entry - 1]]:
            is_new = find_key(known, keys[number]) < 0
            if is_new:
                word += 1
                likeliest[word] = number
                features[word, 0] = absent[number]
                features[word, 4] = 1
            continue
        if is_new:
            features[word, 4] += 1
            if absent[number] < features[word, 0]:
                features[word, 1] = features[word, 0]
                features[word, 0] = absent[number]
                likeliest[word] = number
            else:
                features[word, 1] = min(features[word, 1], absent[number])
    return likeliest, features


@njit(cache=True, nogil=True)
def _write(thread, num_threads, words, derivations, affixes, at_end, rows, codes):
    """Write the letters of derived words."""
    word_rows, stem_lengths, affix_numbers = derivations
    for number in range(thread, len(rows), num_threads):
        row, stem_length = word_rows[number], stem_lengths[number]
        affix = affix_numbers[number]
        affix_length = affixes.lengths[affix]
        stem_begin = 0 if at_end else words.lengths[row] - stem_length
        for place in range(stem_length):
            target = place if at_end else affix_length + place
            codes[rows[number], target] = words.codes[row, stem_begin + place]
        for place in range(affix_length):
            target = stem_length + place if at_end else place
            codes[rows[number], target] = affixes.codes[affix, place]
