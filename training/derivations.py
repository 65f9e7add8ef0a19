"""Derivations: words made of a known stem and an affix, scored as recommendations.

Each known word is divided into a stem and an affix, a suffix or prefix of a few letters, in all
ways. The affixes that a stem is known with predict its other affixes, as the items that a user has
chosen predict further ones in a recommender system.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import inv
from scipy.sparse import csr_matrix

from hangman_lab.agents.sequences import KEY_BASE, pack_ends, sequence_keys, unpack_parts
from hangman_lab.agents.smoothed_ngrams import END
from hangman_lab.envs.encoding import FIRST_LETTER, MAX_LENGTH, EncodedWords
from hangman_lab.envs.numba_cache import njit

_NUM_AFFIXES = 4000
_MAX_AFFIX_LENGTH = 7
_MIN_STEM_LENGTH = 2
# Affixes of fewer stems are left out: one stem tells nothing about others.
_MIN_STEMS_PER_AFFIX = 2
# The L2 penalty of the autoencoder.
_PENALTY = 100.0
# Weights closer to 0 are pruned.
_MIN_WEIGHT = 0.002
_POWERS = KEY_BASE ** np.arange(MAX_LENGTH + 1, dtype=np.uint64)

#: A derivation: the word's key, the stem, the affix, the side (1 for suffixes, 0 for prefixes, -1
#: for a known word), the score, and the word's n-gram log-probability.
DERIVATION = np.dtype(
    {
        "names": ["key", "stem", "affix", "side", "score", "ngrams"],
        "formats": ["u8", "i4", "i2", "i2", "f4", "f4"],
    }
)


class Side(NamedTuple):
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
    affix_codes: npt.NDArray[np.uint8]  #: shape (affixes, 32)
    affix_lengths: npt.NDArray[np.int64]  #: shape (affixes,)

    @classmethod
    def of(cls, words: EncodedWords, at_end: bool) -> Side:
        """Return the stems and the most frequent affixes of known words, and their weights.

        The affixes are at most 4,000, each of two or more stems.

        Stems are the users and affixes the items of a linear autoencoder: the score of an affix is
        the sum of its weights over the stem's known affixes, about the probability that the stem
        has it.

        References
        ----------
        Morphology by pairs of stems and affixes: John Goldsmith, "Unsupervised learning of the
        morphology of a natural language", Computational Linguistics 27 (2001). The autoencoder:
        Harald Steck, "Embarrassingly shallow autoencoders for sparse data", WWW 2019.
        """
        divisions = _divisions(words, at_end)
        packed, columns, counts = np.unique(divisions[1], return_inverse=True, return_counts=True)
        common = np.sort(np.argsort(-counts, kind="stable")[:_NUM_AFFIXES])
        common = common[counts[common] >= _MIN_STEMS_PER_AFFIX]
        column_of = np.full(len(counts), -1)
        column_of[common] = np.arange(len(common))
        kept = column_of[columns] >= 0
        stems, _, rows, lengths = (array[kept] for array in divisions)
        keys, first, stem_rows = np.unique(stems, return_index=True, return_inverse=True)
        has = csr_matrix(
            (np.ones(len(stems), dtype=np.float32), (stem_rows, column_of[columns[kept]])),
            shape=(len(keys), len(common)),
        )
        has.sort_indices()
        weights, num_stems = _autoencoder(has)
        rows, lengths = rows[first], lengths[first]
        begins = np.zeros_like(rows) if at_end else words.lengths[rows] - lengths
        # The 8 letters of each stem next to the affix, the nearest first, as a number to sort by.
        places = np.minimum(np.arange(8), lengths[:, None] - 1)
        places = lengths[:, None] - 1 - places if at_end else begins[:, None] + places
        letters = words.codes[rows[:, None], places].view(">u8").ravel()
        affixes = unpack_parts(packed[common])
        return cls(
            at_end,
            keys,
            rows,
            begins,
            lengths,
            np.argsort(letters.astype(np.uint64), kind="stable"),
            has.indptr.astype(np.int32),
            has.indices.astype(np.int32),
            weights.indptr.astype(np.int32),
            weights.indices.astype(np.int32),
            weights.data.astype(np.float32),
            np.log(num_stems).astype(np.float32),
            sequence_keys(affixes),
            affixes.codes,
            affixes.lengths,
        )


def _divisions(words: EncodedWords, at_end: bool) -> tuple[npt.NDArray[Any], ...]:
    """Return the stem key, the packed affix, the word and the stem length of each division."""
    parts = []
    for size in range(_MAX_AFFIX_LENGTH + 1):
        rows = np.flatnonzero(words.lengths >= size + _MIN_STEM_LENGTH)
        part = words[rows]
        stems = EncodedWords(part.codes[:, 0 if at_end else size :], part.lengths - size)
        parts.append((sequence_keys(stems), pack_ends(part, size, at_end), rows, stems.lengths))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


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


@njit
def squared_odds(absent):
    """Return the squared odds of a derivation with this probability of being wrong."""
    absent = min(max(absent, 1e-3), 1 - 1e-3)
    return ((1 - absent) / absent) ** 2


@njit
def _spell(codes, ngrams, state, probability, least):
    """Return the state and the probability after more letters; stop if it falls below ``least``."""
    for code in codes:
        if probability < least:
            break
        probability *= ngrams.probabilities[state, code - FIRST_LETTER]
        state = ngrams.next_state[ngrams.row[state], code - FIRST_LETTER]
    return state, probability


@njit
def _score(known, side, scores, is_scored, scored):
    """Score a stem's unknown affixes by its known ones; return the number of ``scored`` affixes."""
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
    return num_scored


@njit
def derive(thread, num_threads, codes, side, ngrams, least_probability, least_score):
    """Return the derivations of a thread's stems, of :data:`DERIVATION`.

    ``least_probability``, by length, is the minimum of a word's n-gram probability times the
    squared odds of its derivation. Drops derivations that would be below it even if the other
    side's were as strong.
    """
    num_stems, num_affixes = len(side.order), len(side.affix_keys)
    scores = np.zeros(num_affixes, dtype=np.float32)
    is_scored = np.zeros(num_affixes, dtype=np.bool_)
    scored = np.empty(num_affixes, dtype=np.int64)
    # The state and the probability after each prefix.
    states, probabilities = np.empty(num_affixes, dtype=np.int64), np.empty(num_affixes)
    for affix in range(num_affixes):
        letters = side.affix_codes[affix, : side.affix_lengths[affix]]
        states[affix], probabilities[affix] = _spell(letters, ngrams, ngrams.start, 1.0, 0.0)
    derived = np.empty(1 << 16, dtype=DERIVATION)
    size = 0
    begin, end = thread * num_stems // num_threads, (thread + 1) * num_stems // num_threads
    for stem in side.order[begin:end]:
        known = side.known[side.first[stem] : side.first[stem + 1]]
        num_scored = _score(known, side, scores, is_scored, scored)
        stem_length = side.lengths[stem]
        text = codes[side.rows[stem], side.begins[stem] : side.begins[stem] + stem_length]
        stem_state, stem_probability = ngrams.start, 1.0
        if side.at_end:
            stem_state, stem_probability = _spell(text, ngrams, ngrams.start, 1.0, 0.0)
        for affix in scored[:num_scored]:
            score = scores[affix]
            scores[affix] = 0
            is_scored[affix] = False
            affix_length = side.affix_lengths[affix]
            length = stem_length + affix_length
            if score < least_score or length > MAX_LENGTH:
                continue
            least = least_probability[length] / squared_odds((1 - np.float64(score)) ** 2)
            if side.at_end:
                letters = side.affix_codes[affix, :affix_length]
                state, probability = _spell(letters, ngrams, stem_state, stem_probability, least)
                key = side.keys[stem] * _POWERS[affix_length] + side.affix_keys[affix]
            else:
                before = states[affix], probabilities[affix]
                state, probability = _spell(text, ngrams, *before, least)
                key = side.affix_keys[affix] * _POWERS[stem_length] + side.keys[stem]
            probability *= ngrams.probabilities[state, END]
            if probability < least:
                continue
            if size == len(derived):
                derived = np.concatenate((derived, derived))
            new = derived[size]
            new.key, new.stem, new.affix, new.side = key, stem, affix, side.at_end
            new.score, new.ngrams = score, np.log(probability)
            size += 1
    return derived[:size]
