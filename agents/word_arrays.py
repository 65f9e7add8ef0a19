"""Words as arrays of letter codes, as numbers, as hash keys and as compressed bytes."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from hangman_lab.envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_CODES, encode_words

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
    """Return words, sorted by length, then alphabetically, as compressed bytes.

    These are the number of words of each length, the length of the prefix that each word shares
    with the previous word, and the remaining letters.
    """
    codes, lengths = words
    same = np.zeros(codes.shape, dtype=bool)
    same[1:] = (codes[1:] == codes[:-1]) & (lengths[1:] == lengths[:-1])[:, None]
    shared = np.minimum(np.cumprod(same, axis=1, dtype=np.uint8).sum(axis=1), lengths)
    places = np.arange(codes.shape[1])
    remaining = (places >= shared[:, None]) & (places < lengths[:, None])
    sizes = np.bincount(lengths, minlength=MAX_LENGTH + 1).astype("<i8")
    parts = (sizes.tobytes(), shared.astype(np.uint8).tobytes(), codes[remaining].tobytes())
    # A fifth smaller than with zlib, whose window is short.
    return np.frombuffer(lzma.compress(b"".join(parts), preset=4), dtype=np.uint8)


def unpack_words(packed: npt.NDArray[np.uint8]) -> WordArrays:
    """Return the words packed by :func:`pack_words`; raise ValueError or LZMAError for others."""
    content = np.frombuffer(lzma.decompress(packed.tobytes()), dtype=np.uint8)
    head = 8 * (MAX_LENGTH + 1)
    sizes = np.frombuffer(content[:head].tobytes(), dtype="<i8")
    if len(sizes) != MAX_LENGTH + 1 or (sizes < 0).any() or sizes[0] or sizes.sum() > len(content):
        raise ValueError("words: the numbers of words are damaged")
    lengths = np.repeat(np.arange(MAX_LENGTH + 1), sizes)
    shared = content[head : head + len(lengths)].astype(np.int64)
    letters = content[head + len(lengths) :]
    if (
        len(shared) < len(lengths)
        or (shared >= lengths).any()
        or (lengths - shared).sum() != len(letters)
    ):
        raise ValueError("words: the number of letters does not match the lengths")
    codes = np.zeros((len(lengths), MAX_LENGTH), dtype=np.uint8)
    if not _unpack(lengths, shared, letters, codes):
        raise ValueError("words: not distinct, sorted words of letters a to z")
    return WordArrays(codes, lengths)


@njit(cache=True)
def _unpack(lengths, shared, letters, codes):
    """Write the words to ``codes``; return whether they are sorted words of letters a to z."""
    position = 0
    for row in range(len(lengths)):
        begin = shared[row]
        first_of_length = row == 0 or lengths[row] != lengths[row - 1]
        if first_of_length and begin > 0:
            return False
        for place in range(begin):
            codes[row, place] = codes[row - 1, place]
        for place in range(begin, lengths[row]):
            code = letters[position]
            if code < FIRST_LETTER or code >= NUM_CODES:
                return False
            codes[row, place] = code
            position += 1
        if not first_of_length and codes[row, begin] <= codes[row - 1, begin]:
            return False
    return True
