"""Letter sequences as 64-bit numbers: keys of any sequence, and short sequences packed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from agents.word_sets import WordArrays
from envs.encoding import MAX_LENGTH

# Odd, and with bits set all over: a key is a polynomial of the codes in this base. Among ten
# million sequences the chance that two have the same key is one in 400,000.
KEY_BASE = np.uint64(0x9E3779B97F4A7C15)
# Letters of a packed sequence are digits in this base; 12 of them fit into a number.
_LETTER_BITS = 5
PACKED_BASE = 1 << _LETTER_BITS


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
