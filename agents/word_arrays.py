"""Words as arrays of letter codes, numbers, hash keys, compressed bytes and prefix trees."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import prange

from hangman_lab.envs.compiled import njit
from hangman_lab.envs.encoding import (
    BLANK,
    FIRST_LETTER,
    MAX_LENGTH,
    NUM_CODES,
    NUM_LETTERS,
    PADDING,
    encode_words,
)

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


def pack_ends(words: WordArrays, size: int, at_end: bool) -> npt.NDArray[np.int64]:
    """Return the last or first letters of words as numbers in base ``PACKED_BASE``, shape (words,).

    They are ``size`` letters, at most 12; all letters of a word with fewer, with zeros after them.
    """
    rows = np.arange(len(words.lengths))
    first = np.maximum(words.lengths - size, 0) if at_end else 0
    packed = np.zeros(len(rows), dtype=np.int64)
    for place in range(size):
        # The padding after the letters is 0.
        packed = packed << _LETTER_BITS | words.codes[rows, first + place]
    return packed


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


class SortedWords(NamedTuple):
    """Distinct words, sorted by length, then alphabetically, in as little memory as their text."""

    text: npt.NDArray[np.uint8]  #: The letter codes of the words, and ``PADDING`` after each word.
    sizes: npt.NDArray[np.int64]  #: shape (33,): The number of words of each length.

    @classmethod
    def of(cls, words: WordArrays) -> Self:
        """Return words that are sorted and distinct."""
        sizes = np.bincount(words.lengths, minlength=MAX_LENGTH + 1)
        codes = np.pad(words.codes, [(0, 0), (0, 1)])
        parts = np.split(codes, np.cumsum(sizes)[:-1])
        text = [part[:, : length + 1].ravel() for length, part in enumerate(parts)]
        return cls(np.concatenate(text), sizes)

    def groups(self) -> list[npt.NDArray[np.uint8]]:
        """Return the codes of the words of each length, with the padding, as views."""
        widths = np.arange(1, len(self.sizes) + 1)
        parts = np.split(self.text, np.cumsum(self.sizes * widths)[:-1])
        return [part.reshape(-1, width) for part, width in zip(parts, widths, strict=True)]

    def by_length(self, values: npt.NDArray) -> list[npt.NDArray]:
        """Return the parts of an array by word that are of each length."""
        return np.split(values, np.cumsum(self.sizes)[:-1])

    def arrays(self, chosen: npt.NDArray[np.bool_] | None = None) -> WordArrays:
        """Return the words, or those of a mask, as arrays of width 32."""
        chosen = np.ones(self.sizes.sum(), dtype=np.bool_) if chosen is None else chosen
        masks = self.by_length(chosen)
        lengths = np.repeat(np.arange(len(masks)), [mask.sum() for mask in masks])
        codes = np.zeros((len(lengths), MAX_LENGTH), dtype=np.uint8)
        row = 0
        for length, (group, mask) in enumerate(zip(self.groups(), masks, strict=True)):
            part = group[mask, :length]
            codes[row : row + len(part), :length] = part
            row += len(part)
        return WordArrays(codes, lengths)


def pack_words(words: SortedWords) -> npt.NDArray[np.uint8]:
    """Return the compressed text of words."""
    # A fifth smaller than with zlib, whose window is short.
    return np.frombuffer(lzma.compress(words.text.tobytes(), preset=1), dtype=np.uint8)


def unpack_words(packed: npt.NDArray[np.uint8]) -> SortedWords:
    """Return the words packed by :func:`pack_words`; raise ValueError or LZMAError for others."""
    # Copied since compiled code tells arrays that are read-only from others.
    text = np.frombuffer(lzma.decompress(packed.tobytes()), dtype=np.uint8).copy()
    if (text == BLANK).any() or text.max(initial=0) >= NUM_CODES:
        raise ValueError("words: not in letters a to z")
    lengths = np.diff(np.flatnonzero(text == PADDING), prepend=-1) - 1
    if (
        text[-1:].any()
        or (np.diff(lengths) < 0).any()
        or lengths.min(initial=1) < 1
        or lengths.max(initial=1) > MAX_LENGTH
    ):
        raise ValueError(f"words: not of 1 to {MAX_LENGTH} letters, or not sorted by length")
    words = SortedWords(text, np.bincount(lengths, minlength=MAX_LENGTH + 1))
    rows = [group.view(f"S{group.shape[1]}").ravel() for group in words.groups() if len(group)]
    if any((row[1:] <= row[:-1]).any() for row in rows):
        raise ValueError("words: not sorted")
    return words


class Trie(NamedTuple):
    """A prefix tree of letter sequences."""

    child: npt.NDArray[np.int32]  #: shape (nodes, 26): The node after each letter; 0 for none.
    sequence: npt.NDArray[np.int32]  #: shape (nodes,): The sequence that ends here; -1 for none.


@njit(cache=True)
def make_trie(codes, lengths):
    """Return the prefix tree of distinct sequences."""
    child = np.zeros((1 + lengths.sum(), NUM_LETTERS), dtype=np.int32)
    sequence = np.full(len(child), -1, dtype=np.int32)
    size = 1
    for row in range(len(codes)):
        node = 0
        for place in range(lengths[row]):
            letter = codes[row, place] - FIRST_LETTER
            if child[node, letter] == 0:
                child[node, letter] = size
                size += 1
            node = child[node, letter]
        sequence[node] = row
    return Trie(child[:size].copy(), sequence[:size].copy())
