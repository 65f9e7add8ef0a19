"""A long list of words as few bytes."""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt

from agents.word_sets import WordArrays
from envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_CODES


def pack_words(words: WordArrays) -> npt.NDArray[np.uint8]:
    """Return words in the order of their lengths, then of the alphabet, as compressed bytes.

    The words of a length stand place by place, so that equal letters follow each other.
    """
    sizes = np.bincount(words.lengths, minlength=MAX_LENGTH + 1)
    last = np.cumsum(sizes)
    parts = [sizes.astype("<i8").tobytes()]
    for length in range(1, MAX_LENGTH + 1):
        codes = words.codes[last[length] - sizes[length] : last[length], :length]
        parts.append(codes.T.tobytes())
    return np.frombuffer(zlib.compress(b"".join(parts), level=6), dtype=np.uint8)


def unpack_words(packed: npt.NDArray[np.uint8]) -> WordArrays:
    """Return the words that :func:`pack_words` packed.

    Raises
    ------
    ValueError, zlib.error
        If the bytes are not those of such a list: distinct words of letters a to z, in order.
    """
    content = np.frombuffer(zlib.decompress(packed.tobytes()), dtype=np.uint8)
    head = 8 * (MAX_LENGTH + 1)
    sizes = np.frombuffer(content[:head].tobytes(), dtype="<i8")
    if (sizes < 0).any() or sizes @ np.arange(MAX_LENGTH + 1) != len(content) - head or sizes[0]:
        raise ValueError("words: their number is not that of the letters")
    lengths = np.repeat(np.arange(MAX_LENGTH + 1), sizes)
    codes = np.zeros((len(lengths), MAX_LENGTH), dtype=np.uint8)
    position, row = head, 0
    for length, size in enumerate(sizes):
        block = content[position : position + length * size].reshape(length, size)
        codes[row : row + size, :length] = block.T
        text = np.ascontiguousarray(block.T).view(f"S{length}").ravel() if length and size else []
        if len(text) and (
            block.min() < FIRST_LETTER or block.max() >= NUM_CODES or (text[1:] <= text[:-1]).any()
        ):
            raise ValueError("words: they are not distinct words of letters a to z in order")
        position += length * size
        row += size
    return WordArrays(codes, lengths)
