"""Candidates: unknown words, derived from known ones by affixes.

From "nation", "national" and "rational" one can derive "ration", "nationally" and "rationality".
Each word is divided into a stem and an affix, a suffix or prefix of a few letters, in all ways.
The affixes that a stem is known with predict its other affixes, as the items that a user has chosen
predict further ones in a recommender system.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import inv
from scipy.sparse import csr_matrix

from hangman_lab.agents.posterior.multigrams import Multigrams
from hangman_lab.agents.smoothed_ngrams import END, SmoothedNgrams
from hangman_lab.agents.word_arrays import (
    KEY_BASE,
    PACKED_BASE,
    WordArrays,
    sequence_keys,
    unpack_parts,
)
from hangman_lab.envs.compiled import in_threads, njit
from hangman_lab.envs.encoding import FIRST_LETTER, MAX_LENGTH

_NUM_AFFIXES = 4000
_MAX_AFFIX = 7
_MIN_STEM = 2
# The L2 penalty of the autoencoder.
_PENALTY = 100.0
# Weights closer to 0 are pruned.
_MIN_WEIGHT = 0.002
# Derivations with a lower score are dropped. docs/experiments.md compares these limits.
_MIN_SCORE = 0.01
# Minimum of log P(ngrams) + 2 log-odds(derivation) + 0.8 length.
_MIN_MERIT = -19.0
_LENGTH_WEIGHT = 0.8
_FEATURES_PER_SIDE = 4
# The numbers of first and of last letters in which known words are compared.
_END_LETTERS = (3, 5, 7)
_NUM_FEATURES = 2 * (_FEATURES_PER_SIDE + len(_END_LETTERS)) + 3
# Derivations are sorted by key in this many buckets, each of which fits into the cache.
_BUCKET_BITS = 12


class Candidates(NamedTuple):
    """Unknown words and their features."""

    words: WordArrays
    #: shape (words,): See :func:`agents.word_arrays.sequence_keys`; ascending.
    keys: npt.NDArray[np.uint64]
    #: shape (words, 17): For suffixes, then for prefixes: the number of derivations; the highest
    #: score; of that derivation, the number of the stem's known affixes, and the logarithm of the
    #: number of stems with the affix; all 0 without a derivation. Then the numbers of known words
    #: with the same first and with the same last 3, 5 and 7 letters, the length of the word, and
    #: its log-probabilities by n-grams and by multigrams.
    features: npt.NDArray[np.float32]


class _Side(NamedTuple):
    """The stems and the affixes of one side, suffixes or prefixes."""

    at_end: bool
    keys: npt.NDArray[np.uint64]  #: shape (stems,)
    rows: npt.NDArray[np.int64]  #: shape (stems,): A word that contains the stem.
    begins: npt.NDArray[np.int64]  #: shape (stems,): The index of the stem in that word.
    lengths: npt.NDArray[np.int64]  #: shape (stems,)
    #: shape (stems,): The stems by the letters next to the affix: neighbours share n-gram contexts.
    order: npt.NDArray[np.intp]
    #: ``known[first[n] : first[n + 1]]`` are the known affixes of stem ``n``, ascending; 0 is the
    #: empty affix.
    first: npt.NDArray[np.int32]
    known: npt.NDArray[np.int32]
    #: ``weights[first_weight[n] : first_weight[n + 1]]`` are the weights of affix ``n`` in the
    #: scores of the affixes ``scored`` at these indices.
    first_weight: npt.NDArray[np.int32]
    scored: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    log_counts: npt.NDArray[np.float32]  #: shape (affixes,): Of the stems with each affix.
    affix_keys: npt.NDArray[np.uint64]  #: shape (affixes,)
    affixes: WordArrays


# A derivation: the word's key, the stem, the affix, the side (1 for suffixes, 0 for prefixes, -1
# for a known word), the score, and the word's n-gram log-probability.
_DERIVATION = np.dtype(
    {
        "names": ["key", "stem", "affix", "side", "score", "ngrams"],
        "formats": ["u8", "i4", "i2", "i2", "f4", "f4"],
    }
)


def derive_candidates(
    words: WordArrays, ngrams: SmoothedNgrams, multigrams: Multigrams
) -> Candidates:
    """Derive candidates from known words, on which both models were fitted.

    Stems are the users and affixes the items of a linear autoencoder: the score of an affix is the
    sum of its weights over the stem's known affixes, about the probability that the stem has it.
    The 4,000 most frequent affixes of each side are used.

    References
    ----------
    Morphology by pairs of stems and affixes: John Goldsmith, "Unsupervised learning of the
    morphology of a natural language", Computational Linguistics 27 (2001). The autoencoder: Harald
    Steck, "Embarrassingly shallow autoencoders for sparse data", WWW 2019.
    """
    sides = _side(words, False), _side(words, True)
    # By length, the minimal product of a word's probability and its squared odds.
    least = np.exp(_MIN_MERIT - _LENGTH_WEIGHT * np.arange(MAX_LENGTH + 1))
    known = np.zeros(len(words.lengths), dtype=_DERIVATION)
    known["key"], known["side"] = sequence_keys(*words), -1
    parts = [known]
    for side in sides:
        buffer = np.empty(1 << 16, dtype=_DERIVATION)
        parts += in_threads(_derive, words.codes, side, ngrams.tables, least, _MIN_SCORE, buffer)
    combined = in_threads(_combine, np.concatenate(parts), *sides, least)
    del parts
    derived, features = map(np.concatenate, zip(*combined, strict=True))
    del combined
    codes = np.zeros((len(derived), MAX_LENGTH), dtype=np.uint8)
    in_threads(_write, words.codes, derived, *sides, codes)
    candidates = WordArrays(codes, features[:, -3].astype(np.int64))
    codes = np.concatenate([words.codes, codes])
    lengths = np.concatenate([words.lengths, candidates.lengths])
    in_threads(_count_ends, codes, lengths, len(words.lengths), features)
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
    has.sort_indices()
    weights, num_stems = _autoencoder(has)
    texts = unpack_parts(affix_numbers[common])
    rows, stem_lengths = rows[first], stem_lengths[first]
    begins = np.zeros_like(rows) if at_end else words.lengths[rows] - stem_lengths
    places = np.minimum(np.arange(8), stem_lengths[:, None] - 1)
    places = stem_lengths[:, None] - 1 - places if at_end else begins[:, None] + places
    letters = words.codes[rows[:, None], places].view(">u8").ravel()
    return _Side(
        at_end,
        stem_keys,
        rows,
        begins,
        stem_lengths,
        np.argsort(letters.astype(np.uint64)),
        has.indptr.astype(np.int32),
        has.indices.astype(np.int32),
        weights.indptr.astype(np.int32),
        weights.indices.astype(np.int32),
        weights.data,
        np.log(num_stems).astype(np.float32),
        sequence_keys(*texts),
        texts,
    )


def _autoencoder(has: csr_matrix) -> tuple[csr_matrix, npt.NDArray[np.float64]]:
    """Return the weights from known to other affixes, and the number of stems of each affix.

    Only affixes that share a stem have weights. ``has``, shape (stems, affixes), is 0 or 1.
    """
    shared = (has.T @ has).toarray().astype(np.float64)
    counts = shared.diagonal().copy()
    kept = shared > 0
    np.fill_diagonal(shared, counts + _PENALTY)
    inverse = inv(shared, overwrite_a=True, assume_a="pos")
    weights = inverse / -inverse.diagonal()
    np.fill_diagonal(weights, 0)
    weights[~kept | (np.abs(weights) < _MIN_WEIGHT)] = 0
    return csr_matrix(weights.astype(np.float32)), counts


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
def _spell(codes, ngrams, state, probability, least):
    """Return the state and the probability after more letters; stop if it falls below ``least``."""
    for code in codes:
        if probability < least:
            break
        probability *= ngrams.probabilities[state, code - FIRST_LETTER]
        state = ngrams.next_state[state, code - FIRST_LETTER]
    return state, probability


@njit(cache=True, nogil=True)
def _derive(thread, num_threads, codes, side, ngrams, least_probability, least_score, buffer):
    """Return the derivations of a thread's stems.

    Drops derivations that would not be kept even if the other side's were as strong.
    """
    num_stems, num_affixes = len(side.order), len(side.affix_keys)
    scores = np.zeros(num_affixes, dtype=np.float32)
    is_scored = np.zeros(num_affixes, dtype=np.bool_)
    scored = np.empty(num_affixes, dtype=np.int64)
    powers = np.ones(MAX_LENGTH + 1, dtype=np.uint64)
    for place in range(MAX_LENGTH):
        powers[place + 1] = powers[place] * KEY_BASE
    # The state and the probability after each prefix.
    states, chances = np.empty(num_affixes, dtype=np.int64), np.empty(num_affixes)
    for affix in range(num_affixes):
        letters = side.affixes.codes[affix, : side.affixes.lengths[affix]]
        states[affix], chances[affix] = _spell(letters, ngrams, ngrams.start, 1.0, 0.0)
    derived = np.empty_like(buffer)
    size = 0
    begin, end = thread * num_stems // num_threads, (thread + 1) * num_stems // num_threads
    for stem in side.order[begin:end]:
        known = side.known[side.first[stem] : side.first[stem + 1]]
        num_scored = 0
        for affix in known:
            for entry in range(side.first_weight[affix], side.first_weight[affix + 1]):
                other = side.scored[entry]
                if not is_scored[other]:
                    is_scored[other] = True
                    scored[num_scored] = other
                    num_scored += 1
                scores[other] += side.weights[entry]
        scores[known] = 0
        stem_length = side.lengths[stem]
        text = codes[side.rows[stem], side.begins[stem] : side.begins[stem] + stem_length]
        if side.at_end:
            stem_state, stem_chance = _spell(text, ngrams, ngrams.start, 1.0, 0.0)
        for affix in scored[:num_scored]:
            score = scores[affix]
            scores[affix] = 0
            is_scored[affix] = False
            affix_length = side.affixes.lengths[affix]
            length = stem_length + affix_length
            if score < least_score or length > MAX_LENGTH:
                continue
            least = least_probability[length] / _squared_odds((1 - np.float64(score)) ** 2)
            if side.at_end:
                letters = side.affixes.codes[affix, :affix_length]
                state, chance = _spell(letters, ngrams, stem_state, stem_chance, least)
                key = side.keys[stem] * powers[affix_length] + side.affix_keys[affix]
            else:
                state, chance = _spell(text, ngrams, states[affix], chances[affix], least)
                key = side.affix_keys[affix] * powers[stem_length] + side.keys[stem]
            chance *= ngrams.probabilities[state, END]
            if chance < least:
                continue
            if size == len(derived):
                derived = np.concatenate((derived, derived))
            new = derived[size]
            new.key, new.stem, new.affix, new.side = key, stem, affix, side.at_end
            new.score, new.ngrams = score, np.log(chance)
            size += 1
    return derived[:size]


@njit(cache=True, nogil=True)
def _combine(thread, num_threads, derived, prefixes, suffixes, least_probability):
    """Return a derivation of each kept unknown word of a thread, and its features, by key."""
    # The derivations of a word belong to one bucket, and that to one thread.
    shift, num_buckets = np.uint64(64 - _BUCKET_BITS), 1 << _BUCKET_BITS
    low = thread * num_buckets // num_threads
    size = (thread + 1) * num_buckets // num_threads - low
    first = np.zeros(size + 1, dtype=np.int64)
    for row in range(len(derived)):
        bucket = np.int64(derived[row].key >> shift) - low
        if 0 <= bucket < size:
            first[bucket + 1] += 1
    first = np.cumsum(first)
    own, free = np.empty_like(derived[: first[-1]]), first.copy()
    for row in range(len(derived)):
        bucket = np.int64(derived[row].key >> shift) - low
        if 0 <= bucket < size:
            own[free[bucket]] = derived[row]
            free[bucket] += 1
    chosen = np.empty_like(own)
    features = np.empty((len(own), _NUM_FEATURES), dtype=np.float32)
    num_words = 0
    for bucket in range(size):
        group = own[first[bucket] : first[bucket + 1]]
        order = np.argsort(group["key"].copy())
        begin = 0
        while begin < len(order):
            word = group[order[begin]]
            row = features[num_words]
            row[:] = 0
            is_known = False
            while begin < len(order) and group[order[begin]].key == word.key:
                found = group[order[begin]]
                begin += 1
                is_known |= found.side < 0
                side = suffixes if found.side else prefixes
                part = row[:_FEATURES_PER_SIDE] if found.side else row[_FEATURES_PER_SIDE:]
                part[0] += 1
                if found.score < part[1]:
                    continue
                family = side.first[found.stem + 1] - side.first[found.stem]
                # Ties go to the largest family.
                if found.score > part[1] or family > part[2]:
                    part[1], part[2] = found.score, family
                    part[3] = side.log_counts[found.affix]
            if is_known:
                continue
            side = suffixes if word.side else prefixes
            length = side.lengths[word.stem] + side.affixes.lengths[word.affix]
            row[-3], row[-2] = length, word.ngrams
            absent = (1 - np.float64(row[1])) * (1 - np.float64(row[_FEATURES_PER_SIDE + 1]))
            if np.exp(word.ngrams) * _squared_odds(absent) >= least_probability[length]:
                chosen[num_words] = word
                num_words += 1
    return chosen[:num_words], features[:num_words]


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


@njit(cache=True, nogil=True)
def _count_ends(thread, num_threads, codes, lengths, num_known, features):
    """Write the numbers of known words, the first rows, with the ends of a thread's candidates."""
    begin = num_known + thread * len(features) // num_threads
    end = num_known + (thread + 1) * len(features) // num_threads
    # A hash table that is at most half full; key 0 is a free slot.
    num_slots = 2 << int(np.ceil(np.log2(num_known)))
    keys, counts = np.empty(num_slots, dtype=np.int64), np.empty(num_slots, dtype=np.int64)
    for column in range(2 * len(_END_LETTERS)):
        size = _END_LETTERS[column // 2]
        keys[:] = counts[:] = 0
        for step in range(num_known + end - begin):
            row = step if step < num_known else step - num_known + begin
            first = lengths[row] - size if column % 2 else 0
            # A word with fewer letters is compared as a whole, and equals no known word.
            if lengths[row] < size:
                continue
            key = 0
            for code in codes[row, first : first + size]:
                key = key * PACKED_BASE + code
            slot = np.int64((np.uint64(key) * KEY_BASE) >> np.uint64(32)) % num_slots
            while keys[slot] != 0 and keys[slot] != key:
                slot = (slot + 1) % num_slots
            if step < num_known:
                keys[slot] = key
                counts[slot] += 1
            else:
                features[row - num_known, 2 * _FEATURES_PER_SIDE + column] = counts[slot]
