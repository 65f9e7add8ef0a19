"""Letter sequences as numbers: hash keys, runs of letters, and packed parts of words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import MAX_LENGTH, EncodedWords
from hangman_lab.envs.numba_cache import njit

# A key is a polynomial hash of the codes in this base. A collision among ten million sequences has
# a probability of 1 in 400,000.
KEY_BASE = np.uint64(0x9E3779B97F4A7C15)
# Letters of a packed part are digits in this base; 12 of them fit into a number.
_LETTER_BITS = 5
PACKED_BASE = 1 << _LETTER_BITS


def encode_runs(
    digits: npt.NDArray[np.integer], lengths: npt.NDArray[np.int64], size: int, base: int
) -> npt.NDArray[np.int64]:
    """Return each run of ``size`` digits in the first ``lengths`` digits of a row, as a number."""
    numbers = np.zeros((len(digits), max(digits.shape[1] - size + 1, 0)), dtype=np.int64)
    for place in range(size):
        numbers = numbers * base + digits[:, place : place + numbers.shape[1]]
    return numbers[np.arange(numbers.shape[1]) + size <= lengths[:, None]]


def sequence_keys(words: EncodedWords) -> npt.NDArray[np.uint64]:
    """Return the hash keys of words, shape (words,)."""
    return _keys(np.ascontiguousarray(words.codes), words.lengths)


@njit
def _keys(codes, lengths):
    keys = np.zeros(len(codes), dtype=np.uint64)
    for row in range(len(codes)):
        key = np.uint64(0)
        for place in range(lengths[row]):
            key = key * KEY_BASE + np.uint64(codes[row, place])
        keys[row] = key
    return keys


def pack_ends(words: EncodedWords, size: int, at_end: bool) -> npt.NDArray[np.int64]:
    """Return the last or first letters of words as numbers in base ``PACKED_BASE``, shape (words,).

    They are ``size`` letters, at most 12 and the width of ``words``; all letters of a word with
    fewer, with zeros after them.
    """
    rows = np.arange(len(words.lengths))
    first = np.maximum(words.lengths - size, 0) if at_end else 0
    packed = np.zeros(len(rows), dtype=np.int64)
    for place in range(size):
        # The padding after the letters is 0.
        packed = packed << _LETTER_BITS | words.codes[rows, first + place]
    return packed


def unpack_parts(numbers: npt.NDArray[np.int64]) -> EncodedWords:
    """Return parts of words from numbers in base ``PACKED_BASE``; the empty part is 0."""
    most = 63 // _LETTER_BITS
    lengths = (numbers[:, None] >> _LETTER_BITS * np.arange(most) > 0).sum(axis=1)
    codes = np.zeros((len(numbers), MAX_LENGTH), dtype=np.uint8)
    for place in range(most):
        long = lengths > place
        later = _LETTER_BITS * (lengths[long] - 1 - place)
        codes[long, place] = numbers[long] >> later & PACKED_BASE - 1
    return EncodedWords(codes, lengths)
