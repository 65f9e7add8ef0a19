"""Bit sets of words by length, place and letter, for compiled code.

The words that match a masked word are an intersection of a few sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.bits import count_bits, lowest_bit
from hangman_lab.envs.encoding import (
    BLANK,
    FIRST_LETTER,
    MAX_LENGTH,
    NUM_CODES,
    NUM_LETTERS,
    EncodedWords,
    as_words,
    encode_words,
)
from hangman_lab.envs.numba_cache import njit

_BITS = 64
ANYWHERE = -1  # A pseudo-place: at any place of the word.


class WordSets(NamedTuple):
    """Words sorted by length, with an index of bit sets."""

    codes: npt.NDArray[np.uint8]  #: shape (words, width): See :class:`envs.encoding.EncodedWords`.
    letters: npt.NDArray[np.uint32]  #: shape (words,): The letters of each word, as bits.
    #: shape (34,): The first word of each length, and the number of words.
    first_word: npt.NDArray[np.int64]
    #: The bit sets. Those of a length begin at its ``first_set`` and have ``chunks`` entries each:
    #: first all words, then the sets at :func:`set_with`.
    sets: npt.NDArray[np.uint64]
    first_set: npt.NDArray[np.int64]  #: shape (33,)
    chunks: npt.NDArray[np.int64]  #: shape (33,)

    def sizes(self) -> npt.NDArray[np.int64]:
        """Return the number of words of each length, shape (33,)."""
        return np.diff(self.first_word)

    def letter_counts(self) -> npt.NDArray[np.int64]:
        """Return the number of occurrences of each letter, shape (26,)."""
        return np.bincount(self.codes.ravel(), minlength=NUM_CODES)[FIRST_LETTER:]

    def word_counts(self) -> npt.NDArray[np.int64]:
        """Return the number of words with each letter, shape (26,)."""
        return (self.letters[:, None] >> np.arange(NUM_LETTERS) & 1).sum(axis=0)


def index_words(words: Sequence[str]) -> WordSets:
    """Return the bit sets of words, shorter words first; duplicates count repeatedly."""
    return word_sets(encode_words(sorted(as_words("words", words), key=len)))


def word_sets(words: EncodedWords) -> WordSets:
    """Return the bit sets of words that are sorted by length."""
    sizes = np.bincount(words.lengths, minlength=MAX_LENGTH + 1)
    first_word = np.concatenate([[0], np.cumsum(sizes)])
    chunks = -(-sizes // _BITS)
    per_length = chunks * (1 + NUM_LETTERS * (1 + np.arange(MAX_LENGTH + 1)))
    first_set = np.cumsum(per_length) - per_length
    letters = np.zeros(len(words), dtype=np.uint32)
    bits = np.zeros(per_length.sum(), dtype=np.uint64)
    sets = WordSets(words.codes, letters, first_word, bits, first_set, chunks)
    _fill(sets, words.lengths)
    return sets


@njit
def _fill(words, lengths):
    sets, letters = words.sets, words.letters
    for row in range(len(lengths)):
        length = lengths[row]
        start, size = words.first_set[length], words.chunks[length]
        entry = row - words.first_word[length]
        chunk, bit = entry // _BITS, np.uint64(1) << np.uint64(entry % _BITS)
        sets[start + chunk] |= bit
        for place in range(length):
            letter = words.codes[row, place] - FIRST_LETTER
            letters[row] |= np.uint32(1) << np.uint32(letter)
            sets[set_with(start, size, ANYWHERE, letter) + chunk] |= bit
            sets[set_with(start, size, place, letter) + chunk] |= bit


@njit
def set_with(first_set, chunks, place, letter):
    """Return the index of the set of words with a letter at a place, or anywhere."""
    return first_set + (1 + NUM_LETTERS * (1 + place) + letter) * chunks


@njit
def _intersect(bits, sets, first):
    """Intersect ``bits`` with the set at ``first``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] &= sets[begin + np.uint64(chunk)]


@njit
def _subtract(bits, sets, first):
    """Remove the set at ``first`` from ``bits``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] &= ~sets[begin + np.uint64(chunk)]


@njit
def matching_set(word, guessed, words, exclude_wrong, exclude_shown):
    """Return the bit set of the words that match a masked word.

    ``word`` has no padding. ``exclude_wrong`` and ``exclude_shown`` exclude words with a wrong
    letter, and words with a shown letter behind a blank.
    """
    length = len(word)
    sets, start, size = words.sets, words.first_set[length], words.chunks[length]
    bits = sets[start : start + size].copy()
    for place in range(length):
        if word[place] != BLANK:
            _intersect(bits, sets, set_with(start, size, place, word[place] - FIRST_LETTER))
    for letter in range(NUM_LETTERS):
        if not guessed[letter]:
            continue
        is_shown = False
        for place in range(length):
            is_shown |= word[place] == letter + FIRST_LETTER
        if is_shown and exclude_shown:
            for place in range(length):
                if word[place] == BLANK:
                    _subtract(bits, sets, set_with(start, size, place, letter))
        elif exclude_wrong and not is_shown:
            _subtract(bits, sets, set_with(start, size, ANYWHERE, letter))
    return bits


@njit
def rows_of(bits, length, words):
    """Return the rows of the words of a bit set."""
    size = 0
    for chunk in bits:
        size += count_bits(chunk)
    rows = np.empty(size, dtype=np.int64)
    count = 0
    for chunk in range(len(bits)):
        left = bits[chunk]
        while left:
            rows[count] = words.first_word[length] + chunk * _BITS + lowest_bit(left)
            count += 1
            left &= left - np.uint64(1)
    return rows


@njit
def matching_rows(word, guessed, words, exclude_wrong, exclude_shown):
    """Return the rows of the words of :func:`matching_set`."""
    bits = matching_set(word, guessed, words, exclude_wrong, exclude_shown)
    return rows_of(bits, len(word), words)
