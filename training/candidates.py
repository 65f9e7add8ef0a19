"""Candidates: likely unknown words, each derived from known ones in all ways, and their features.

From "nation", "national" and "rational" one can derive "ration", "nationally" and "rationality".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hangman_lab.agents.posterior.multigrams import Multigrams
from hangman_lab.agents.sequences import pack_ends, sequence_keys
from hangman_lab.agents.smoothed_ngrams import SmoothedNgrams
from hangman_lab.envs.encoding import MAX_LENGTH, EncodedWords
from hangman_lab.envs.numba_cache import in_threads, njit
from hangman_lab.training.derivations import DERIVATION, Side, derive, squared_odds

# Derivations with a lower score are dropped.
_MIN_SCORE = 0.01
# Minimum of log P(ngrams) + 2 log-odds(derivation) + 0.8 length.
_MIN_MERIT = -19.0
_LENGTH_WEIGHT = 0.8
_FEATURES_PER_SIDE = 4
# The numbers of first and of last letters in which known words are compared.
_END_LETTERS = (3, 5, 7)
_NUM_FEATURES = 2 * (_FEATURES_PER_SIDE + len(_END_LETTERS)) + 3


class Candidates(NamedTuple):
    """Unknown words and their features."""

    words: EncodedWords
    #: shape (words,): See :func:`agents.sequences.sequence_keys`; ascending.
    keys: npt.NDArray[np.uint64]
    #: shape (words, 17): For suffixes, then for prefixes: the number of derivations; the highest
    #: score; of that derivation, the number of the stem's known affixes, and the logarithm of the
    #: number of stems with the affix; all 0 without a derivation. Then the numbers of known words
    #: with the same first and with the same last 3, 5 and 7 letters, the length of the word, and
    #: its log-probabilities by n-grams and by multigrams.
    features: npt.NDArray[np.float32]


def derive_candidates(
    words: EncodedWords, ngrams: SmoothedNgrams, multigrams: Multigrams
) -> Candidates:
    """Derive candidates from known words, on which both models were fitted."""
    prefixes, suffixes = sides = Side.of(words, False), Side.of(words, True)
    # By length, the minimal product of a word's probability and its squared odds.
    least = np.exp(_MIN_MERIT - _LENGTH_WEIGHT * np.arange(MAX_LENGTH + 1))
    derived = np.zeros(len(words), dtype=DERIVATION)
    derived["key"], derived["side"] = sequence_keys(words), -1
    parts = [derived]
    for side in sides:
        parts += in_threads(derive, words.codes, side, ngrams.tables, least, _MIN_SCORE)
    derived = np.concatenate(parts)
    # Stable: a known word is the first of its key, and ties do not depend on the machine.
    derived = derived.take(np.argsort(derived["key"], kind="stable"))
    parts = in_threads(_combine, words.codes, derived, prefixes, suffixes, least)
    keys, codes, features = map(np.concatenate, zip(*parts, strict=True))
    candidates = EncodedWords(codes, features[:, -3].astype(np.int64))
    features[:, 2 * _FEATURES_PER_SIDE : -3] = _count_ends(words, candidates)
    features[:, -1] = multigrams.log_probabilities(candidates)
    return Candidates(candidates, keys, features)


@njit
def _combine(thread, num_threads, word_codes, derived, prefixes, suffixes, least_probability):
    """Return the keys, letters and features of the kept unknown words of a thread, by key."""
    # All derivations of a word belong to one thread.
    begin, end = thread * len(derived) // num_threads, (thread + 1) * len(derived) // num_threads
    while 0 < begin < len(derived) and derived[begin].key == derived[begin - 1].key:
        begin += 1
    size = max(end - begin, 0)
    keys = np.empty(size, dtype=np.uint64)
    codes = np.empty((size, MAX_LENGTH), dtype=np.uint8)
    features = np.empty((size, _NUM_FEATURES), dtype=np.float32)
    num_words = 0
    while begin < end:
        word = derived[begin]
        row = features[num_words]
        row[:] = 0
        while begin < len(derived) and derived[begin].key == word.key:
            found = derived[begin]
            begin += 1
            if word.side < 0:  # a known word is no candidate
                continue
            side = suffixes if found.side else prefixes
            part = row[:_FEATURES_PER_SIDE] if found.side else row[_FEATURES_PER_SIDE:]
            part[0] += 1
            if found.score > part[1]:
                part[1] = found.score
                part[2] = side.first[found.stem + 1] - side.first[found.stem]
                part[3] = side.log_counts[found.affix]
        if word.side < 0:
            continue
        side = suffixes if word.side else prefixes
        stem_begin, stem_length = side.begins[word.stem], side.lengths[word.stem]
        length = stem_length + side.affix_lengths[word.affix]
        row[-3], row[-2] = length, word.ngrams
        absent = (1 - np.float64(row[1])) * (1 - np.float64(row[_FEATURES_PER_SIDE + 1]))
        if np.exp(word.ngrams) * squared_odds(absent) < least_probability[length]:
            continue
        stem = word_codes[side.rows[word.stem], stem_begin : stem_begin + stem_length]
        affix = side.affix_codes[word.affix, : length - stem_length]
        before, after = (stem, affix) if word.side else (affix, stem)
        codes[num_words, : len(before)] = before
        codes[num_words, len(before) : length] = after
        codes[num_words, length:] = 0
        keys[num_words] = word.key
        num_words += 1
    return keys[:num_words], codes[:num_words], features[:num_words]


def _count_ends(known: EncodedWords, candidates: EncodedWords) -> npt.NDArray[np.int64]:
    """Return the numbers of known words with the same ends, shape (candidates, 6).

    A word with fewer letters is compared as a whole, and equals no known word.
    """
    counts = []
    for size in _END_LETTERS:
        for at_end in (False, True):
            ends, others = (pack_ends(words, size, at_end) for words in (candidates, known))
            frequencies = pd.Series(others).value_counts()
            counts.append(frequencies.reindex(ends, fill_value=0).to_numpy())
    return np.stack(counts, axis=1)
