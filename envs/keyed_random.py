"""Random draws that depend on their keys alone, not on the order in which they are made.

A game drawn in a batch of 4,096 and the same game drawn alone get the same numbers, because each
number is a hash of (seed, game, turn) rather than the next value of a shared stream.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)


def keyed_bits(*keys: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """Return 64 random bits for each row of keys.

    Parameters
    ----------
    *keys : array_like of integers
        Broadcast against each other; order matters. Negative numbers wrap around.

    References
    ----------
    The finaliser of SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014.
    """
    bits = np.zeros((), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for key in keys:
            bits = (bits ^ np.asarray(key).astype(np.uint64)) + _GOLDEN
            bits = (bits ^ (bits >> np.uint64(30))) * _MIX_1
            bits = (bits ^ (bits >> np.uint64(27))) * _MIX_2
            bits = bits ^ (bits >> np.uint64(31))
    return bits


def keyed_uniform(*keys: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return a float in [0, 1) for each row of keys, as :func:`keyed_bits` has it."""
    return (keyed_bits(*keys) >> np.uint64(11)) * np.float64(2.0**-53)


def below(bits: npt.NDArray[np.uint64], bound: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Scale the low 32 of some random bits to integers in [0, bound).

    The bias is below ``bound / 2**32``.
    """
    scaled = (bits & _LOW_32) * np.asarray(bound).astype(np.uint64)
    return (scaled >> np.uint64(32)).astype(np.int64)


def new_stream(random: np.random.Generator) -> np.uint64:
    """Draw the stream of one game from the generator that was seeded for it."""
    return np.uint64(random.integers(2**63))
