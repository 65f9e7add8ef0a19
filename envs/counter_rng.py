"""Counter-based random numbers: each depends on its keys only, not on the order of draws.

A game has the same random numbers in a batch of 4,096 as alone, because each number is a hash of
(seed, game, turn) and not the next value of a shared stream.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.array([30, 27, 31], dtype=np.uint64)
_LOW_32 = np.uint64(0xFFFFFFFF)


def keyed_bits(*keys: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """Return 64 random bits for each row of integer keys, which are broadcast.

    The order of the keys matters; negative keys wrap around.

    References
    ----------
    The finalizer of SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014.
    """
    bits = np.zeros((), dtype=np.uint64)
    # Arrays overflow silently, scalars with a warning.
    with np.errstate(over="ignore"):
        for key in keys:
            bits = add_key(bits, np.asarray(key))
    return bits


def add_key(bits: npt.NDArray[np.uint64], key: npt.NDArray) -> npt.NDArray[np.uint64]:
    """Return the random bits for a further key, given those for the keys before it."""
    bits = (bits ^ key.astype(np.uint64)) + _GOLDEN
    bits = (bits ^ (bits >> _SHIFT_1)) * _MIX_1
    bits = (bits ^ (bits >> _SHIFT_2)) * _MIX_2
    return bits ^ (bits >> _SHIFT_3)


def keyed_uniform(*keys: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return a float in [0, 1) for each row of keys; see :func:`keyed_bits`."""
    return (keyed_bits(*keys) >> np.uint64(11)) * np.float64(2.0**-53)


def below(bits: npt.NDArray[np.uint64], bound: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Map the low 32 bits of random numbers to integers in [0, bound).

    The bias is below ``bound / 2**32``.
    """
    scaled = (bits & _LOW_32) * np.asarray(bound).astype(np.uint64)
    return (scaled >> np.uint64(32)).astype(np.int64)


def new_stream(random: np.random.Generator) -> np.uint64:
    """Draw the stream of words of a game, bits for :func:`add_key`, from its seeded generator."""
    return np.uint64(keyed_bits(random.integers(2**63)))
