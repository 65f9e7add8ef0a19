"""Words as arrays of letter codes; words and parts of them as numbers, keys and few bytes."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_CODES, encode_words

# Odd, and with bits set all over: a key is a polynomial of the codes in this base. Among ten
# million sequences the chance that two have the same key is one in 400,000.
KEY_BASE = np.uint64(0x9E3779B97F4A7C15)
# Letters of a packed sequence are digits in this base; 12 of them fit into a number.
_LETTER_BITS = 5
PACKED_BASE = 1 << _LETTER_BITS


class WordArrays(NamedTuple):
    """Words as arrays."""

    #: shape (words, width): As of :class:`envs.encoding.EncodedWords`.
    codes: npt.NDArray[np.uint8]
    lengths: npt.NDArray[np.int64]  #: shape (words,)

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """Return words of letters a to z, with 32 places a row, in the same order."""
        encoded = encode_words(words, MAX_LENGTH)
        return cls(encoded.codes, encoded.lengths)

    def take(self, chosen: npt.NDArray) -> WordArrays:
        """Return the words of an index or a mask."""
        return WordArrays(self.codes[chosen], self.lengths[chosen])

    def order(self) -> npt.NDArray[np.intp]:
        """Return the order by length, then by alphabet."""
        rows = np.ascontiguousarray(self.codes)
        text = rows.view(f"S{rows.shape[1]}").ravel()
        return np.lexsort((text, self.lengths))


def number_runs(
    digits: npt.NDArray[np.integer], lengths: npt.NDArray[np.int64], size: int, base: int
) -> npt.NDArray[np.int64]:
    """Return each run of ``size`` digits in the first ``lengths`` of each row, as a number."""
    numbers = np.zeros((len(digits), max(digits.shape[1] - size + 1, 0)), dtype=np.int64)
    for place in range(size):
        numbers = numbers * base + digits[:, place : place + numbers.shape[1]]
    return numbers[np.arange(numbers.shape[1]) + size <= lengths[:, None]]


@njit(cache=True, parallel=True)
def sequence_keys(codes, lengths):
    """Return the keys of the first ``lengths`` codes of each row."""
    keys = np.zeros(len(codes), dtype=np.uint64)
    for row in prange(len(codes)):
        key = np.uint64(0)
        for place in range(lengths[row]):
            key = key * KEY_BASE + np.uint64(codes[row, place])
        keys[row] = key
    return keys


def pack_parts(
    codes: npt.NDArray[np.uint8],
    rows: npt.NDArray[np.int64],
    begins: npt.NDArray[np.int64],
    length: int,
) -> npt.NDArray[np.int64]:
    """Return parts of words, 0 to 12 letters of the rows of ``codes``, as numbers; "" is 0."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    for place in range(length):
        numbers = numbers << _LETTER_BITS | codes[rows, begins + place]
    return numbers


def unpack_parts(numbers: npt.NDArray[np.int64]) -> WordArrays:
    """Return the parts that :func:`pack_parts` wrote as numbers."""
    most = 63 // _LETTER_BITS
    lengths = (numbers[:, None] >> _LETTER_BITS * np.arange(most) > 0).sum(axis=1)
    codes = np.zeros((len(numbers), MAX_LENGTH), dtype=np.uint8)
    for place in range(most):
        long = lengths > place
        later = _LETTER_BITS * (lengths[long] - 1 - place)
        codes[long, place] = numbers[long] >> later & PACKED_BASE - 1
    return WordArrays(codes, lengths)


def pack_words(words: WordArrays) -> npt.NDArray[np.uint8]:
    """Return words in the order of their lengths, then of the alphabet, as compressed bytes.

    First the number of words of each length, then how many letters each word shares with the one
    before it, then all other letters.
    """
    codes, lengths = words
    same = np.zeros(codes.shape, dtype=bool)
    same[1:] = (codes[1:] == codes[:-1]) & (lengths[1:] == lengths[:-1])[:, None]
    shared = np.minimum(np.cumprod(same, axis=1, dtype=np.uint8).sum(axis=1), lengths)
    places = np.arange(codes.shape[1])
    own = (places >= shared[:, None]) & (places < lengths[:, None])
    sizes = np.bincount(lengths, minlength=MAX_LENGTH + 1).astype("<i8")
    parts = (sizes.tobytes(), shared.astype(np.uint8).tobytes(), codes[own].tobytes())
    # Words share parts far from each other, which zlib does not look back for: a fifth smaller.
    return np.frombuffer(lzma.compress(b"".join(parts), preset=4), dtype=np.uint8)


def unpack_words(packed: npt.NDArray[np.uint8]) -> WordArrays:
    """Return the words that :func:`pack_words` packed.

    Raises
    ------
    ValueError, lzma.LZMAError
        If the bytes are not those of such a list: distinct words of letters a to z, in order.
    """
    content = np.frombuffer(lzma.decompress(packed.tobytes()), dtype=np.uint8)
    head = 8 * (MAX_LENGTH + 1)
    sizes = np.frombuffer(content[:head].tobytes(), dtype="<i8")
    if len(sizes) != MAX_LENGTH + 1 or (sizes < 0).any() or sizes[0] or sizes.sum() > len(content):
        raise ValueError("words: their numbers are damaged")
    lengths = np.repeat(np.arange(MAX_LENGTH + 1), sizes)
    shared = content[head : head + len(lengths)].astype(np.int64)
    letters = content[head + len(lengths) :]
    if (
        len(shared) < len(lengths)
        or (shared >= lengths).any()
        or (lengths - shared).sum() != len(letters)
    ):
        raise ValueError("words: their number is not that of the letters")
    codes = np.zeros((len(lengths), MAX_LENGTH), dtype=np.uint8)
    if not _unpack(lengths, shared, letters, codes):
        raise ValueError("words: they are not distinct words of letters a to z in order")
    return WordArrays(codes, lengths)


@njit(cache=True)
def _unpack(lengths, shared, letters, codes):
    """Write the words; return whether they are in order and of letters alone."""
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
