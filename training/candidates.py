"""Candidates: unknown words, derived from known ones by affixes.

From "nation", "national" and "rational" one can derive "ration", "nationally" and "rationality".
Each word is divided into a stem and an affix, a suffix or prefix of a few letters, in all ways.
The affixes that a stem is known with predict its other affixes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.sparse import csr_matrix
from scipy.special import logit

from hangman_lab.agents.compiled import in_threads
from hangman_lab.agents.posterior.multigrams import Multigrams
from hangman_lab.agents.smoothed_ngrams import END, SmoothedNgrams
from hangman_lab.agents.word_arrays import (
    KEY_BASE,
    PACKED_BASE,
    WordArrays,
    sequence_keys,
    unpack_parts,
)
from hangman_lab.envs.encoding import FIRST_LETTER, MAX_LENGTH

# From nine tenths of a list's train words, these affixes derive more than half of the other tenth.
_NUM_AFFIXES = 1000
_MAX_AFFIX = 6
_MIN_STEM = 2
# Less probable derivations are dropped.
_MIN_CHANCE = 0.04
# Added to counts of stems to smooth rates.
_PSEUDO_COUNT = 2.0
_MAX_RATE = 0.98
# A derived word is dropped if its n-gram log-probability, plus twice the log-odds of its
# derivation, plus 0.8 per letter, is lower: two thirds of the words, with 2% of the ratings' sum.
_MIN_SCORE = -16.7
_LOG_ODDS_WEIGHT = 2.0
_LENGTH_WEIGHT = 0.8
_FEATURES_PER_SIDE = 5


class Candidates(NamedTuple):
    """Unknown words and their features."""

    words: WordArrays
    #: shape (words,): See :func:`agents.word_arrays.sequence_keys`; ascending.
    keys: npt.NDArray[np.uint64]
    #: shape (words, 13): For suffixes, then for prefixes: the log-odds of the two likeliest
    #: derivations, the number of the stem's known affixes, the length of the stem, and the number
    #: of derivations, all 0 without a derivation. Then the length of the word and its
    #: log-probabilities by n-grams and by multigrams.
    features: npt.NDArray[np.float32]


class _Side(NamedTuple):
    """The stems and the affixes of one side, suffixes or prefixes."""

    at_end: bool
    keys: npt.NDArray[np.uint64]  #: shape (stems,)
    rows: npt.NDArray[np.int64]  #: shape (stems,): A word that contains the stem.
    begins: npt.NDArray[np.int64]  #: shape (stems,): The index of the stem in that word.
    lengths: npt.NDArray[np.int64]  #: shape (stems,)
    #: ``known[first[n] : first[n + 1]]`` are the known affixes of stem ``n``.
    first: npt.NDArray[np.int32]
    known: npt.NDArray[np.int32]
    #: shape (affixes, affixes): The log-probability that a stem with the affix of the row does not
    #: have the affix of the column.
    log_absent: npt.NDArray[np.float32]
    affix_keys: npt.NDArray[np.uint64]  #: shape (affixes,)
    affixes: WordArrays


# A derivation: the word's key, the stem, the affix, the side (1 for suffixes, 0 for prefixes, -1
# for a known word), the log-probability that it is wrong, and the word's n-gram log-probability.
_DERIVATION = np.dtype(
    {
        "names": ["key", "stem", "affix", "side", "absent", "ngrams"],
        "formats": ["u8", "i4", "i2", "i2", "f4", "f4"],
    }
)


def derive_candidates(
    words: WordArrays, ngrams: SmoothedNgrams, multigrams: Multigrams
) -> Candidates:
    """Derive candidates from known words, on which both models were fitted.

    The probability of an affix, given a known affix of the stem, is the share of the stems with
    the known affix that also have it; several known affixes are combined by a noisy-or. The 1,000
    most frequent affixes of each side are used.

    References
    ----------
    Morphology by pairs of stems and affixes: John Goldsmith, "Unsupervised learning of the
    morphology of a natural language", Computational Linguistics 27 (2001). Noisy-or: Judea Pearl,
    "Probabilistic Reasoning in Intelligent Systems" (1988).
    """
    sides = _side(words, False), _side(words, True)
    # By length, the minimal product of a word's probability and its squared odds.
    least = np.exp(_MIN_SCORE - _LENGTH_WEIGHT * np.arange(MAX_LENGTH + 1))
    most = np.float32(np.log1p(-_MIN_CHANCE))
    known = np.zeros(len(words.lengths), dtype=_DERIVATION)
    known["key"], known["side"] = sequence_keys(*words), -1
    parts = [known]
    for side in sides:
        buffer = np.empty(1 << 16, dtype=_DERIVATION)
        parts += in_threads(_derive, words.codes, side, ngrams.tables, least, most, buffer)
    derived = np.concatenate(parts)
    del parts
    order = np.argsort(derived["key"])
    features = np.zeros((len(order), 2 * _FEATURES_PER_SIDE + 3), dtype=np.float32)
    chosen = _combine(derived, order, *sides, least, features)
    derived, features = derived[chosen], features[: len(chosen)].copy()
    codes = np.zeros((len(chosen), MAX_LENGTH), dtype=np.uint8)
    in_threads(_write, words.codes, derived, *sides, codes)
    candidates = WordArrays(codes, features[:, -3].astype(np.int64))
    for first in (0, _FEATURES_PER_SIDE):
        chances = (-np.expm1(features[:, first : first + 2])).clip(1e-3, 1 - 1e-3)
        features[:, first : first + 2] = np.where(features[:, [first + 4]], logit(chances), 0)
    features[:, -1] = multigrams.log_probabilities(candidates)
    return Candidates(candidates, derived["key"].copy(), features)


def _side(words: WordArrays, at_end: bool) -> _Side:
    """Return the stems and the most frequent affixes of a side."""
    stems, affixes, rows, stem_lengths = _divisions(words, at_end)
    affix_numbers, columns, counts = np.unique(affixes, return_inverse=True, return_counts=True)
    common = np.sort(np.argsort(-counts, kind="stable")[:_NUM_AFFIXES])
    column_of = np.full(len(counts), -1)
    column_of[common] = np.arange(len(common))
    columns = column_of[columns]
    kept = columns >= 0
    columns, rows, stem_lengths = columns[kept], rows[kept], stem_lengths[kept]
    stem_keys, first, numbers = np.unique(stems[kept], return_index=True, return_inverse=True)
    has = csr_matrix(
        (np.ones(len(columns), dtype=np.float32), (numbers, columns)),
        shape=(len(stem_keys), len(common)),
    )
    together = (has.T @ has).toarray()
    rates = np.minimum(together / (together.diagonal()[:, None] + _PSEUDO_COUNT), _MAX_RATE)
    texts = unpack_parts(affix_numbers[common])
    rows, stem_lengths = rows[first], stem_lengths[first]
    return _Side(
        at_end,
        stem_keys,
        rows,
        np.zeros_like(rows) if at_end else words.lengths[rows] - stem_lengths,
        stem_lengths,
        has.indptr.astype(np.int32),
        has.indices.astype(np.int32),
        np.log1p(-rates).astype(np.float32),
        sequence_keys(*texts),
        texts,
    )


def _divisions(words: WordArrays, at_end: bool) -> tuple[npt.NDArray[Any], ...]:
    """Return the stem key, the packed affix, the word and the stem length of each division."""
    codes, lengths = words
    parts = []
    for size in range(_MAX_AFFIX + 1):
        rows = np.flatnonzero(lengths >= size + _MIN_STEM)
        stem_lengths = lengths[rows] - size
        stems = np.ascontiguousarray(codes[rows, 0 if at_end else size :])
        affixes = np.zeros(len(rows), dtype=np.int64)
        for place in range(size):
            affixes = affixes * PACKED_BASE + codes[rows, (stem_lengths if at_end else 0) + place]
        parts.append((sequence_keys(stems, stem_lengths), affixes, rows, stem_lengths))
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


@njit(cache=True)
def _squared_odds(absent):
    """Return the squared odds of a derivation with this probability of being wrong."""
    absent = min(max(absent, 1e-3), 1 - 1e-3)
    return ((1 - absent) / absent) ** 2


@njit(cache=True)
def _spell(codes, begin, length, ngrams, state, probability, least):
    """Return the state and the probability after more letters; stop if it falls below ``least``."""
    for place in range(begin, begin + length):
        if probability < least:
            break
        letter = codes[place] - FIRST_LETTER
        probability *= ngrams.probabilities[state, letter]
        state = ngrams.next_state[state, letter]
    return state, probability


@njit(cache=True, nogil=True)
def _derive(thread, num_threads, codes, side, ngrams, least_probability, most, buffer):
    """Return the derivations of a thread's stems.

    Omits words that would be dropped even if the other side derived them equally well.
    """
    num_stems, num_affixes = len(side.keys), len(side.affix_keys)
    row = np.empty(num_affixes, dtype=np.float32)
    powers = np.ones(MAX_LENGTH + 1, dtype=np.uint64)
    for place in range(MAX_LENGTH):
        powers[place + 1] = powers[place] * KEY_BASE
    derived = np.empty_like(buffer)
    size = 0
    for stem in range(thread * num_stems // num_threads, (thread + 1) * num_stems // num_threads):
        known = side.known[side.first[stem] : side.first[stem + 1]]
        row[:] = 0
        for affix in known:
            for other in range(num_affixes):
                row[other] += side.log_absent[affix, other]
        for affix in known:
            row[affix] = 0
        word = codes[side.rows[stem]]
        begin, stem_length = side.begins[stem], side.lengths[stem]
        for affix in range(num_affixes):
            affix_length = side.affixes.lengths[affix]
            length = stem_length + affix_length
            if row[affix] > most or length > MAX_LENGTH:
                continue
            absent = np.exp(np.float64(row[affix]))
            least = least_probability[length] / _squared_odds(absent * absent)
            letters = side.affixes.codes[affix]
            state, chance = ngrams.start, 1.0
            key = side.keys[stem] * powers[affix_length] + side.affix_keys[affix]
            if not side.at_end:
                state, chance = _spell(letters, 0, affix_length, ngrams, state, chance, least)
                key = side.affix_keys[affix] * powers[stem_length] + side.keys[stem]
            state, chance = _spell(word, begin, stem_length, ngrams, state, chance, least)
            if side.at_end:
                state, chance = _spell(letters, 0, affix_length, ngrams, state, chance, least)
            chance *= ngrams.probabilities[state, END]
            if chance < least:
                continue
            if size == len(derived):
                derived = np.concatenate((derived, derived))
            new = derived[size]
            new.key, new.stem, new.affix, new.side = key, stem, affix, side.at_end
            new.absent, new.ngrams = row[affix], np.log(chance)
            size += 1
    return derived[:size]


@njit(cache=True)
def _combine(derived, order, prefixes, suffixes, least_probability, features):
    """Write the features of each kept unknown word; return the row of a derivation of each.

    In place of log-odds, this writes the log-probability that a derivation is wrong.
    """
    chosen = np.empty(len(order), dtype=np.int64)
    num_words = begin = 0
    while begin < len(order):
        first = derived[order[begin]]
        row = features[num_words]
        row[:] = 0
        is_known = False
        end = begin
        while end < len(order) and derived[order[end]].key == first.key:
            found = derived[order[end]]
            end += 1
            if found.side < 0:
                is_known = True
                continue
            side = suffixes if found.side else prefixes
            part = row[:_FEATURES_PER_SIDE] if found.side else row[_FEATURES_PER_SIDE:]
            part[4] += 1
            length = side.lengths[found.stem]
            # Ties go to the longest stem.
            if found.absent < part[0] or (found.absent == part[0] and length > part[3]):
                part[0], part[1] = found.absent, part[0]
                part[2] = side.first[found.stem + 1] - side.first[found.stem]
                part[3] = length
            else:
                part[1] = min(part[1], found.absent)
            row[-3] = length + side.affixes.lengths[found.affix]
        odds = _squared_odds(np.exp(np.float64(row[0] + row[_FEATURES_PER_SIDE])))
        row[-2] = first.ngrams
        if not is_known and np.exp(first.ngrams) * odds >= least_probability[int(row[-3])]:
            chosen[num_words] = order[begin]
            num_words += 1
        begin = end
    return chosen[:num_words].copy()


@njit(cache=True, nogil=True)
def _write(thread, num_threads, word_codes, derived, prefixes, suffixes, codes):
    """Write the letters of derived words."""
    for row in range(thread, len(derived), num_threads):
        found = derived[row]
        side = suffixes if found.side else prefixes
        stem_length = side.lengths[found.stem]
        affix_length = side.affixes.lengths[found.affix]
        stem_at, affix_at = (0, stem_length) if found.side else (affix_length, 0)
        word, begin = word_codes[side.rows[found.stem]], side.begins[found.stem]
        for place in range(stem_length):
            codes[row, stem_at + place] = word[begin + place]
        for place in range(affix_length):
            codes[row, affix_at + place] = side.affixes.codes[found.affix, place]
