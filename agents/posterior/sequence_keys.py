"""Keys of letter sequences: 64-bit numbers by which compiled code tells them apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit, prange

# Odd, and with bits set all over: a key is a polynomial of the codes in this base. Among ten
# million sequences the chance that two have the same key is one in 400,000.
KEY_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)


class KeyTable(NamedTuple):
    """A hash table with open addressing: from keys to their numbers.

    Attributes
    ----------
    slots : ndarray of int32
        Numbers of keys, -1 where none is; their count is a power of 2.
    keys : ndarray of uint64
    """

    slots: npt.NDArray[np.int32]
    keys: npt.NDArray[np.uint64]


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


@njit(cache=True)
def _slot(key, num_slots):
    return np.int64((key * _MIX) >> np.uint64(20)) & (num_slots - 1)


@njit(cache=True)
def _fill(slots, keys):
    for number in range(len(keys)):
        slot = _slot(keys[number], len(slots))
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number


def key_table(keys: npt.NDArray[np.uint64]) -> KeyTable:
    """Return a table of distinct keys."""
    slots = np.full(1 << (4 * len(keys) + 1).bit_length(), -1, dtype=np.int32)
    _fill(slots, keys)
    return KeyTable(slots, keys)


@njit(cache=True)
def find_key(table, key):
    """Return the number of a key in a :class:`KeyTable`; -1 if it is not there."""
    slot = _slot(key, len(table.slots))
    while table.slots[slot] >= 0:
        if table.keys[table.slots[slot]] == key:
            return table.slots[slot]
        slot = (slot + 1) & (len(table.slots) - 1)
    return np.int32(-1)
