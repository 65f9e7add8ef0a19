"""A long list of words as few bytes: each word by what it shares with the one before it."""

from __future__ import annotations

import lzma

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.word_sets import WordArrays
from envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_CODES


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
