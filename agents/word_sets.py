"""Words as arrays, and bit sets of them by length, place and letter, for compiled code.

For each length, place and letter one bit per word says whether the word has the letter there. The
words that fit a masked word are then a few ANDs of such sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit

from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS, PADDING, encode_words

BITS = 64


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
    codes : ndarray of uint8, shape (words, width)
        Of :class:`WordArrays`.
    letters : ndarray of uint32, shape (words,)
        The letters of each word, as bits.
    first_word : ndarray of int64, shape (34,)
        The first word of each length, and the number of words.
    sets : ndarray of uint64
        The bit sets, length by length. Those of a length begin at its ``first_set`` and have
        ``chunks`` entries each: all words, the words that have each letter, and the words that
        have each letter at each place.
    first_set, chunks : ndarray of int64, shape (33,)
    """

    codes: npt.NDArray[np.uint8]
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
    return WordSets(codes, letters, first_word, sets, first_set, chunks)


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
def count_bits(bits):
    """Return the number of bits that are set in 64 bits."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    low = np.uint64(0x3333333333333333)
    bits = (bits & low) + ((bits >> np.uint64(2)) & low)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def word_length(word):
    """Return the number of letters of a masked word."""
    length = 0
    while length < len(word) and word[length] != PADDING:
        length += 1
    return length


@njit(cache=True)
def letter_bits(guessed):
    """Return the guessed letters of a game as bits."""
    bits = 0
    for letter in range(NUM_LETTERS):
        if guessed[letter]:
            bits |= 1 << letter
    return bits


@njit(cache=True)
def fitting_set(word, guessed, length, words, exclude_wrong, exclude_shown, found, where):
    """Find the words that fit a masked word, as a set.

    Parameters
    ----------
    word, guessed : ndarray
        As they are observed; ``word`` may be a part of a masked word, for parts of words.
    length : int
        Of the word or part.
    words : WordSets
    exclude_wrong : bool
        Leave out words that have a wrong letter.
    exclude_shown : bool
        Leave out words that have a shown letter behind a blank.
    found, where : ndarray of uint64 and of int64
        As long as the most chunks of a length: overwritten with the set, and with its chunks that
        are not empty.

    Returns
    -------
    num_found, num_chunks : int
        The number of words, and of entries of ``where``.
    """
    if length >= len(words.chunks):
        return 0, 0
    sets, start, size = words.sets, words.first_set[length], words.chunks[length]
    have = start + size
    have_at = have + NUM_LETTERS * size
    for chunk in range(size):
        found[chunk] = sets[start + chunk]
    for place in range(length):
        if word[place] != BLANK:
            base = have_at + (place * NUM_LETTERS + word[place] - FIRST_LETTER) * size
            for chunk in range(size):
                found[chunk] &= sets[base + chunk]
    for letter in range(NUM_LETTERS):
        if not guessed[letter]:
            continue
        is_shown = False
        for place in range(length):
            is_shown |= word[place] == letter + FIRST_LETTER
        if is_shown and exclude_shown:
            for place in range(length):
                if word[place] == BLANK:
                    base = have_at + (place * NUM_LETTERS + letter) * size
                    for chunk in range(size):
                        found[chunk] &= ~sets[base + chunk]
        elif exclude_wrong and not is_shown:
            base = have + letter * size
            for chunk in range(size):
                found[chunk] &= ~sets[base + chunk]
    return filled_chunks(found[:size], where)


@njit(cache=True)
def filled_chunks(found, where):
    """Write the chunks of a set that are not empty; return the numbers of words and of chunks."""
    num_found = filled = 0
    for chunk in range(len(found)):
        if found[chunk]:
            num_found += count_bits(found[chunk])
            where[filled] = chunk
            filled += 1
    return num_found, filled


@njit(cache=True)
def write_numbers(found, where, first, numbers):
    """Write the numbers of the words of a set, of which ``where`` has the chunks.

    ``first`` is the number of the first word of the set's length.
    """
    count = 0
    for chunk in where:
        bits = found[chunk]
        while bits:
            lowest = bits & (~bits + np.uint64(1))
            numbers[count] = first + chunk * BITS + count_bits(lowest - np.uint64(1))
            count += 1
            bits ^= lowest


@njit(cache=True)
def fitting_words(word, guessed, length, words, found, where, numbers):
    """Write the numbers of the words that fit a masked word into ``numbers``; return how many.

    ``numbers`` is as long as the most words of a length; all else is as for :func:`fitting_set`.
    """
    count, filled = fitting_set(word, guessed, length, words, True, True, found, where)
    if count:
        write_numbers(found, where[:filled], words.first_word[length], numbers)
    return count
