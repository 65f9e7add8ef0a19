"""Words as arrays, and bit sets of them by length, place and letter, for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.candidates import BITS, count_bits, find_candidates
from envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_LETTERS, encode_words


class WordArrays(NamedTuple):
    """Words as arrays.

    Attributes
    ----------
    codes : ndarray of uint8, shape (words, width)
        As of :class:`envs.encoding.EncodedWords`.
    lengths : ndarray of int64, shape (words,)
    """

    codes: npt.NDArray[np.uint8]
    lengths: npt.NDArray[np.int64]

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


class WordSets(NamedTuple):
    """Words in the order of their lengths, with what finds those that fit a masked word.

    Attributes
    ----------
    letters : ndarray of uint32, shape (words,)
        The letters of each word, as bits.
    first_word : ndarray of int64, shape (34,)
        The first word of each length, and the number of words.
    sets, first_set, chunks : ndarray
        As of :class:`agents.candidates.CandidateIndex`.
    """

    letters: npt.NDArray[np.uint32]
    first_word: npt.NDArray[np.int64]
    sets: npt.NDArray[np.uint64]
    first_set: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int64]


def word_sets(words: WordArrays) -> WordSets:
    """Return the sets of words that are in the order of their lengths."""
    codes, lengths = words
    sizes = np.bincount(lengths, minlength=MAX_LENGTH + 1)
    first_word = np.concatenate([[0], np.cumsum(sizes)])
    chunks = -(-sizes // BITS)
    per_length = chunks * (1 + NUM_LETTERS * (1 + np.arange(MAX_LENGTH + 1)))
    first_set = np.cumsum(per_length) - per_length
    letters = np.zeros(len(codes), dtype=np.uint32)
    sets = np.zeros(per_length.sum(), dtype=np.uint64)
    _fill(codes, first_word, first_set, chunks, letters, sets)
    return WordSets(letters, first_word, sets, first_set, chunks)


@njit(cache=True)
def _fill(codes, first_word, first_set, chunks, letters, sets):
    for length in range(len(chunks)):
        size = chunks[length]
        have = first_set[length] + size
        for number in range(first_word[length], first_word[length + 1]):
            entry = number - first_word[length]
            chunk, bit = entry // BITS, np.uint64(1) << np.uint64(entry % BITS)
            sets[first_set[length] + chunk] |= bit
            for place in range(length):
                letter = codes[number, place] - FIRST_LETTER
                letters[number] |= np.uint32(1) << np.uint32(letter)
                sets[have + letter * size + chunk] |= bit
                sets[have + (NUM_LETTERS * (1 + place) + letter) * size + chunk] |= bit


@njit(cache=True)
def fitting_words(word, guessed, length, words, found, where, numbers):
    """Write the numbers of the words that fit a masked word into ``numbers``; return how many.

    Parameters
    ----------
    word, guessed : ndarray
        As they are observed; ``word`` may be a part of a masked word, for parts of words.
    length : int
        Of the word or part.
    words : WordSets
    found, where : ndarray of uint64 and of int64
        As long as the most chunks of a length; they are overwritten.
    numbers : ndarray of int64
        As long as the most words of a length.
    """
    if length >= len(words.chunks) or words.chunks[length] == 0:
        return 0
    _, filled = find_candidates(
        word,
        guessed,
        length,
        words.sets,
        words.first_set[length],
        words.chunks[length],
        True,
        True,
        found,
        where,
    )
    count = 0
    for chunk in where[:filled]:
        bits = found[chunk]
        while bits:
            lowest = bits & (~bits + np.uint64(1))
            numbers[count] = (
                words.first_word[length] + chunk * BITS + count_bits(lowest - np.uint64(1))
            )
            count += 1
            bits ^= lowest
    return count
