"""Words as arrays, and bit sets of them by length, place and letter, for compiled code.

The words that fit a masked word are a few ANDs of such sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit

from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS, PADDING, encode_words

BITS = 64
# In place of a place, where a letter may stand at any.
ANYWHERE = -1


class WordArrays(NamedTuple):
    """Words as arrays."""

    #: shape (words, width): As of :class:`envs.encoding.EncodedWords`.
    codes: npt.NDArray[np.uint8]
    lengths: npt.NDArray[np.int64]  #: shape (words,)

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
    """Words in the order of their lengths, with what finds those that fit a masked word."""

    codes: npt.NDArray[np.uint8]  #: shape (words, width): Of :class:`WordArrays`.
    letters: npt.NDArray[np.uint32]  #: shape (words,): The letters of each word, as bits.
    #: shape (34,): The first word of each length, and the number of words.
    first_word: npt.NDArray[np.int64]
    #: The bit sets, length by length. Those of a length begin at its ``first_set`` and have
    #: ``chunks`` entries each: all words, then as :func:`set_with` says.
    sets: npt.NDArray[np.uint64]
    first_set: npt.NDArray[np.int64]  #: shape (33,)
    chunks: npt.NDArray[np.int64]  #: shape (33,)


def number_runs(
    digits: npt.NDArray[np.integer], lengths: npt.NDArray[np.int64], size: int, base: int
) -> npt.NDArray[np.int64]:
    """Return each run of ``size`` digits in the first ``lengths`` of each row, as a number."""
    numbers = np.zeros((len(digits), max(digits.shape[1] - size + 1, 0)), dtype=np.int64)
    for place in range(size):
        numbers = numbers * base + digits[:, place : place + numbers.shape[1]]
    return numbers[np.arange(numbers.shape[1]) + size <= lengths[:, None]]


def word_sets(words: WordArrays) -> WordSets:
    """Return the sets of words that are in the order of their lengths."""
    codes, lengths = words
    sizes = np.bincount(lengths, minlength=MAX_LENGTH + 1)
    first_word = np.concatenate([[0], np.cumsum(sizes)])
    chunks = -(-sizes // BITS)
    per_length = chunks * (1 + NUM_LETTERS * (1 + np.arange(MAX_LENGTH + 1)))
    first_set = np.cumsum(per_length) - per_length
    letters = np.zeros(len(codes), dtype=np.uint32)
    bits = np.zeros(per_length.sum(), dtype=np.uint64)
    sets = WordSets(codes, letters, first_word, bits, first_set, chunks)
    _fill(sets)
    return sets


class WordSet(NamedTuple):
    """Some words of one length."""

    length: int  #: Letters of each word.
    size: int  #: The number of words.
    bits: npt.NDArray[np.uint64]  #: One bit per word of that length.
    filled: npt.NDArray[np.int64]  #: The entries of ``bits`` that are not 0.


class SearchRoom(NamedTuple):
    """Arrays that a search for words writes to: those of a :class:`WordSet`, and words' numbers."""

    bits: npt.NDArray[np.uint64]
    filled: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]


@njit(cache=True)
def search_room(words):
    """Return room for searches in ``words``; threads do not share it."""
    chunks = max(1, words.chunks.max())
    return SearchRoom(
        np.empty(chunks, dtype=np.uint64),
        np.empty(chunks, dtype=np.int64),
        np.empty(chunks * BITS, dtype=np.int64),
    )


@njit(cache=True)
def _fill(words):
    sets, letters = words.sets, words.letters
    for length in range(len(words.chunks)):
        start, size = words.first_set[length], words.chunks[length]
        for number in range(words.first_word[length], words.first_word[length + 1]):
            entry = number - words.first_word[length]
            chunk, bit = entry // BITS, np.uint64(1) << np.uint64(entry % BITS)
            sets[start + chunk] |= bit
            for place in range(length):
                letter = words.codes[number, place] - FIRST_LETTER
                letters[number] |= np.uint32(1) << np.uint32(letter)
                sets[set_with(start, size, ANYWHERE, letter) + chunk] |= bit
                sets[set_with(start, size, place, letter) + chunk] |= bit


@njit(cache=True)
def set_with(first_set, chunks, place, letter):
    """Return where the set of the words with a letter at a place, or anywhere, begins.

    ``first_set`` and ``chunks`` are those of the words' length.
    """
    return first_set + (1 + NUM_LETTERS * (1 + place) + letter) * chunks


@njit(cache=True)
def count_bits(bits):
    """Return the number of bits that are set in 64 bits."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    low = np.uint64(0x3333333333333333)
    bits = (bits & low) + ((bits >> np.uint64(2)) & low)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def lowest_bit(bits):
    """Return the number of the lowest bit that is set, of 64 bits of which one is set at least."""
    return count_bits(~bits & (bits - np.uint64(1)))


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
def load(bits, sets, first):
    """Make ``bits`` the set that begins at ``first`` of ``sets``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] = sets[begin + np.uint64(chunk)]


@njit(cache=True)
def keep(bits, sets, first):
    """Leave what is in ``bits`` and in the set that begins at ``first`` of ``sets``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] &= sets[begin + np.uint64(chunk)]


@njit(cache=True)
def leave_out(bits, sets, first):
    """Take what is in the set that begins at ``first`` of ``sets`` out of ``bits``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] &= ~sets[begin + np.uint64(chunk)]


@njit(cache=True)
def include(bits, sets, first):
    """Add what is in the set that begins at ``first`` of ``sets`` to ``bits``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] |= sets[begin + np.uint64(chunk)]


@njit(cache=True)
def as_set(length, bits, filled):
    """Return bits as a :class:`WordSet`; ``filled`` is overwritten."""
    size = count = 0
    for chunk in range(len(bits)):
        if bits[chunk]:
            size += count_bits(bits[chunk])
            filled[count] = chunk
            count += 1
    return WordSet(length, size, bits, filled[:count])


@njit(cache=True)
def fitting_set(word, guessed, words, exclude_wrong, exclude_shown, room):
    """Return the :class:`WordSet` of the words that fit a masked word.

    Parameters
    ----------
    word : ndarray of uint8
        As it is observed, without padding; it may be a part of a masked word, for parts of words.
    guessed : ndarray of int8, shape (26,)
    words : WordSets
    exclude_wrong, exclude_shown : bool
        Leave out words that have a wrong letter, and those that have a shown one behind a blank.
    room : SearchRoom
        The set is written to it.
    """
    length = len(word)
    sets, start, size = words.sets, words.first_set[length], words.chunks[length]
    bits = room.bits[:size]
    load(bits, sets, start)
    for place in range(length):
        if word[place] != BLANK:
            keep(bits, sets, set_with(start, size, place, word[place] - FIRST_LETTER))
    for letter in range(NUM_LETTERS):
        if not guessed[letter]:
            continue
        is_shown = False
        for place in range(length):
            is_shown |= word[place] == letter + FIRST_LETTER
        if is_shown and exclude_shown:
            for place in range(length):
                if word[place] == BLANK:
                    leave_out(bits, sets, set_with(start, size, place, letter))
        elif exclude_wrong and not is_shown:
            leave_out(bits, sets, set_with(start, size, ANYWHERE, letter))
    return as_set(length, bits, room.filled)


@njit(cache=True)
def write_numbers(words, chosen, numbers):
    """Write the numbers of the words of a set; return those that were written."""
    count = 0
    for chunk in chosen.filled:
        bits = chosen.bits[chunk]
        while bits:
            numbers[count] = words.first_word[chosen.length] + chunk * BITS + lowest_bit(bits)
            count += 1
            bits &= bits - np.uint64(1)
    return numbers[:count]


@njit(cache=True)
def fitting_words(word, guessed, words, room):
    """Return the numbers of the words that fit a masked word in all ways, in ``room``.

    Parameters are those of :func:`fitting_set`.
    """
    return write_numbers(words, fitting_set(word, guessed, words, True, True, room), room.numbers)
