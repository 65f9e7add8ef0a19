"""Words as arrays of letter codes, as numbers, as hash keys and as compressed bytes."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import prange

from hangman_lab.envs.compiled import njit
from hangman_lab.envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_CODES, PADDING, encode_words

# A key is a polynomial hash of the codes in this base. A collision among ten million sequences has
# a probability of 1 in 400,000.
KEY_BASE = np.uint64(0x9E3779B97F4A7C15)
# Letters of a packed part are digits in this base; 12 of them fit into a number.
_LETTER_BITS = 5
PACKED_BASE = 1 << _LETTER_BITS


class WordArrays(NamedTuple):
    """Words as arrays."""

    codes: npt.NDArray[np.uint8]  #: shape (words, width): See :class:`envs.encoding.EncodedWords`.
    lengths: npt.NDArray[np.int64]  #: shape (words,)

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """Return words of letters a to z as arrays of width 32."""
        encoded = encode_words(words, MAX_LENGTH)
        return cls(encoded.codes, encoded.lengths)

    def take(self, chosen: npt.NDArray) -> WordArrays:
        """Return the words at an index or a mask."""
        return WordArrays(self.codes[chosen], self.lengths[chosen])

    def order(self) -> npt.NDArray[np.intp]:
        """Return the indices that sort the words by length, then alphabetically."""
        rows = np.ascontiguousarray(self.codes)
        text = rows.view(f"S{rows.shape[1]}").ravel()
        return np.lexsort((text, self.lengths))


def number_runs(
    digits: npt.NDArray[np.integer], lengths: npt.NDArray[np.int64], size: int, base: int
) -> npt.NDArray[np.int64]:
    """Return each run of ``size`` digits in the first ``lengths`` digits of a row, as a number."""
    numbers = np.zeros((len(digits), max(digits.shape[1] - size + 1, 0)), dtype=np.int64)
    for place in range(size):
        numbers = numbers * base + digits[:, place : place + numbers.shape[1]]
    return numbers[np.arange(numbers.shape[1]) + size <= lengths[:, None]]


@njit(cache=True, parallel=True)
def sequence_keys(codes, lengths):
    """Return the hash keys of words, shape (words,)."""
    keys = np.zeros(len(codes), dtype=np.uint64)
    for row in prange(len(codes)):
        key = np.uint64(0)
        for place in range(lengths[row]):
            key = key * KEY_BASE + np.uint64(codes[row, place])
        keys[row] = key
    return keys


def unpack_parts(numbers: npt.NDArray[np.int64]) -> WordArrays:
    """Return parts of words from numbers in base ``PACKED_BASE``; the empty part is 0."""
    most = 63 // _LETTER_BITS
    lengths = (numbers[:, None] >> _LETTER_BITS * np.arange(most) > 0).sum(axis=1)
    codes = np.zeros((len(numbers), MAX_LENGTH), dtype=np.uint8)
    for place in range(most):
        long = lengths > place
        later = _LETTER_BITS * (lengths[long] - 1 - place)
        codes[long, place] = numbers[long] >> later & PACKED_BASE - 1
    return WordArrays(codes, lengths)


def pack_words(words: WordArrays) -> npt.NDArray[np.uint8]:
    """Return words as compressed bytes: their letter codes, and ``PADDING`` after each word."""
    codes = np.pad(words.codes, [(0, 0), (0, 1)])
    text = codes[np.arange(codes.shape[1]) <= words.lengths[:, None]]
    # A fifth smaller than with zlib, whose window is short.
    return np.frombuffer(lzma.compress(text.tobytes(), preset=1), dtype=np.uint8)


def unpack_words(packed: npt.NDArray[np.uint8]) -> WordArrays:
    """Return the words packed by :func:`pack_words`; raise ValueError or LZMAError for others.

    They have to be sorted by length, then alphabetically, and distinct.
    """
    text = np.frombuffer(lzma.decompress(packed.tobytes()), dtype=np.uint8)
    is_letter = text != PADDING
    lengths = np.diff(np.flatnonzero(~is_letter), prepend=-1) - 1
    letters = text[is_letter]
    if letters.min(initial=FIRST_LETTER) < FIRST_LETTER or letters.max(initial=0) >= NUM_CODES:
        raise ValueError("words: not in letters a to z")
    if lengths.sum() != len(letters) or lengths.min(initial=1) < 1 or lengths.max() > MAX_LENGTH:
        raise ValueError(f"words: not of 1 to {MAX_LENGTH} letters")
    width = lengths.max(initial=1)
    codes = np.zeros((len(lengths), width), dtype=np.uint8)
    codes[np.arange(width) < lengths[:, None]] = letters
    rows = codes.view(f"S{width}").ravel()
    longer = lengths[1:] - lengths[:-1]
    if not ((longer > 0) | ((longer == 0) & (rows[1:] > rows[:-1]))).all():
        raise ValueError("words: not sorted")
    return WordArrays(codes, lengths)
