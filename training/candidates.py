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
from scipy.special import logit

from agents.compiled import in_threads
from agents.posterior.multigrams import Multigrams
from agents.smoothed_ngrams import END, SmoothedNgrams
from agents.word_arrays import KEY_BASE, WordArrays, pack_parts, sequence_keys, unpack_parts
from envs.encoding import FIRST_LETTER, MAX_LENGTH

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


class Candidates(NamedTuple):
    """Words that are not known, each with what speaks for it."""

    words: WordArrays
    #: shape (words,): Of :func:`agents.word_arrays.sequence_keys`, ascending.
    keys: npt.NDArray[np.uint64]
    #: shape (words, 13): For endings, then for beginnings: the log-odds of the likeliest
    #: derivation and of the next, the number of the stem's known affixes, the length of the stem
    #: and the number of derivations of the word, all 0 where the side derives nothing; then the
    #: length of the word and its log-probability by the n-grams and by the multigrams.
    features: npt.NDArray[np.float32]


class _Side(NamedTuple):
    """The stems and the affixes of one side."""

    at_end: bool
    keys: npt.NDArray[np.uint64]  #: shape (stems,)
    rows: npt.NDArray[np.int64]  #: shape (stems,): A word that each stem is a part of.
    begins: npt.NDArray[np.int64]  #: shape (stems,): Where it begins there.
    lengths: npt.NDArray[np.int64]  #: shape (stems,): Its letters.
    #: ``known[first[n] : first[n + 1]]`` are the affixes that stem ``n`` is known with.
    first: npt.NDArray[np.int32]
    known: npt.NDArray[np.int32]
    #: shape (affixes, affixes): The log-probability that a stem with the affix of the row has not
    #: that of the column.
    log_absent: npt.NDArray[np.float32]
    affix_keys: npt.NDArray[np.uint64]  #: shape (affixes,)
    affixes: WordArrays


# One derivation: the word's key, the stem, the affix, the side (1 for endings, 0 for beginnings, -1
# for a known word), the log-probability that it does not hold, and that of the word by the n-grams.
_DERIVATION = np.dtype(
    {
        "names": ["key", "stem", "affix", "side", "absent", "ngrams"],
        "formats": ["u8", "i4", "i2", "i2", "f4", "f4"],
    }
)


def derive_candidates(
    words: WordArrays, ngrams: SmoothedNgrams, multigrams: Multigrams
) -> Candidates:
    """Derive words from known ones.

    An affix of a stem is as likely as the share of the stems with a known affix that have the
    other one too; several known affixes are combined as independent causes (noisy-or). The 1,000
    commonest affixes of each side are looked at.

    Parameters
    ----------
    words : WordArrays
        The known words, at least one; ``ngrams`` and ``multigrams`` are fitted on them.

    References
    ----------
    Morphology by pairs of stems and affixes: John Goldsmith, "Unsupervised learning of the
    morphology of a natural language", Computational Linguistics 27 (2001). Noisy-or: Judea Pearl,
    "Probabilistic Reasoning in Intelligent Systems" (1988).
    """
    sides = _side(words, False), _side(words, True)
    # By length, the least product of a word's probability and squared odds.
    least = np.exp(_LEAST_SCORE - _LENGTH_WEIGHT * np.arange(MAX_LENGTH + 1))
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
    features = np.zeros((len(order), 2 * _FEATURES_OF_A_SIDE + 3), dtype=np.float32)
    chosen = _combine(derived, order, *sides, least, features)
    # Untouched rows were never in memory.
    derived, features = derived[chosen], features[: len(chosen)].copy()
    codes = np.zeros((len(chosen), MAX_LENGTH), dtype=np.uint8)
    in_threads(_write, words.codes, derived, *sides, codes)
    candidates = WordArrays(codes, features[:, -3].astype(np.int64))
    for first in (0, _FEATURES_OF_A_SIDE):
        chances = (-np.expm1(features[:, first : first + 2])).clip(1e-3, 1 - 1e-3)
        features[:, first : first + 2] = np.where(features[:, [first + 4]], logit(chances), 0)
    features[:, -1] = multigrams.log_probabilities(candidates)
    return Candidates(candidates, derived["key"].copy(), features)


def _side(words: WordArrays, at_end: bool) -> _Side:
    """Return the stems of one side, its commonest affixes, and which go together."""
    stems, affixes, rows, stem_lengths = _divisions(words, at_end)
    affix_numbers, columns, counts = np.unique(affixes, return_inverse=True, return_counts=True)
    common = np.sort(np.argsort(-counts, kind="stable")[:_NUM_AFFIXES])
    column_of = np.full(len(counts), -1)
    column_of[common] = np.arange(len(common))
    columns = column_of[columns]
    kept = columns >= 0
    columns, rows, stem_lengths = columns[kept], rows[kept], stem_lengths[kept]
    stem_keys, first, stems = np.unique(stems[kept], return_index=True, return_inverse=True)
    has = csr_matrix(
        (np.ones(len(columns), dtype=np.float32), (stems, columns)),
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


def _divisions(
    words: WordArrays, at_end: bool
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray]:
    """Return, of all divisions of words: stem's key, affix as a number, word, stem's length."""
    codes, lengths = words
    parts = []
    for size in range(_MAX_AFFIX + 1):
        rows = np.flatnonzero(lengths >= size + _MIN_STEM)
        stem_lengths = lengths[rows] - size
        stems = np.ascontiguousarray(codes[rows, 0 if at_end else size :])
        affixes = pack_parts(codes, rows, stem_lengths if at_end else np.zeros_like(rows), size)
        parts.append((sequence_keys(stems, stem_lengths), affixes, rows, stem_lengths))
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


@njit(cache=True)
def _squared_odds(absent):
    """Return the square of the odds of what does not hold with this probability."""
    absent = min(max(absent, 1e-3), 1 - 1e-3)
    return ((1 - absent) / absent) ** 2


@njit(cache=True)
def _spell(codes, begin, length, ngrams, state, probability, least):
    """Return the state and the probability after more letters, or as soon as it is too low."""
    for place in range(begin, begin + length):
        if probability < least:
            break
        letter = codes[place] - FIRST_LETTER
        probability *= ngrams.probabilities[state, letter]
        state = ngrams.next_state[state, letter]
    return state, probability


@njit(cache=True, nogil=True)
def _derive(thread, num_threads, codes, side, ngrams, least_probability, most, buffer):
    """Return the derivations by a part of the stems.

    Without those whose word would be dropped even if the other side derived it as well.
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
            one = derived[size]
            one.key, one.stem, one.affix, one.side = key, stem, affix, side.at_end
            one.absent, one.ngrams = row[affix], np.log(chance)
            size += 1
    return derived[:size]


@njit(cache=True)
def _combine(derived, order, beginnings, endings, least_probability, features):
    """Write the features of each likely unknown word; return a derivation of each.

    Its derivations' log-odds are, for now, log-probabilities that they do not hold.
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
            one = derived[order[end]]
            end += 1
            if one.side < 0:
                is_known = True
                continue
            side = endings if one.side else beginnings
            ours = row[:_FEATURES_OF_A_SIDE] if one.side else row[_FEATURES_OF_A_SIDE:]
            ours[4] += 1
            length = side.lengths[one.stem]
            # Of equally likely ones, that of the longest stem.
            if one.absent < ours[0] or (one.absent == ours[0] and length > ours[3]):
                ours[0], ours[1] = one.absent, ours[0]
                ours[2] = side.first[one.stem + 1] - side.first[one.stem]
                ours[3] = length
            else:
                ours[1] = min(ours[1], one.absent)
            row[-3] = length + side.affixes.lengths[one.affix]
        # Either side may derive the word.
        odds = _squared_odds(np.exp(np.float64(row[0] + row[_FEATURES_OF_A_SIDE])))
        row[-2] = first.ngrams
        if not is_known and np.exp(first.ngrams) * odds >= least_probability[int(row[-3])]:
            chosen[num_words] = order[begin]
            num_words += 1
        begin = end
    return chosen[:num_words].copy()


@njit(cache=True, nogil=True)
def _write(thread, num_threads, word_codes, derived, beginnings, endings, codes):
    """Write the letters of derived words."""
    for row in range(thread, len(derived), num_threads):
        one = derived[row]
        side = endings if one.side else beginnings
        stem_length = side.lengths[one.stem]
        affix_length = side.affixes.lengths[one.affix]
        stem_at, affix_at = (0, stem_length) if one.side else (affix_length, 0)
        word, begin = word_codes[side.rows[one.stem]], side.begins[one.stem]
        for place in range(stem_length):
            codes[row, stem_at + place] = word[begin + place]
        for place in range(affix_length):
            codes[row, affix_at + place] = side.affixes.codes[one.affix, place]
