"""Keys of letter sequences: 64-bit numbers by which compiled code tells them apart."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

# Odd, and with bits set all over: a key is a polynomial of the codes in this base. Among ten
# million sequences the chance that two have the same key is one in 400,000.
KEY_BASE = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, inline="always")
def extend_key(key, code):
    """Return the key of a sequence with one more code at its end."""
    return key * KEY_BASE + np.uint64(code)


@njit(cache=True, parallel=True)
def sequence_keys(codes, lengths):
    """Return the keys of the first ``lengths`` codes of each row."""
    keys = np.zeros(len(codes), dtype=np.uint64)
    for number in prange(len(codes)):
        key = np.uint64(0)
        for place in range(lengths[number]):
            key = extend_key(key, codes[number, place])
        keys[number] = key
    return keys
