"""Bit sets of words by length, place and letter, for compiled code.

The words that fit a masked word are a few ANDs of such sets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.compiled import lowest_bit
from agents.word_arrays import WordArrays
from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS

_BITS = 64
# In place of a place: at any place.
_ANYWHERE = -1


class WordSets(NamedTuple):
    """Words in the order of their lengths, with what finds those that fit a masked word."""

    codes: npt.NDArray[np.uint8]  #: shape (words, width): Of :class:`WordArrays`.
    letters: npt.NDArray[np.uint32]  #: shape (words,): The letters of each word, as bits.
    #: shape (34,): The first word of each length, and the number of words.
    first_word: npt.NDArray[np.int64]
    #: The bit sets, length by length. Those of a length begin at its ``first_set`` and have
    #: ``chunks`` entries each: all words, then as :func:`_set_with` says.
    sets: npt.NDArray[np.uint64]
    first_set: npt.NDArray[np.int64]  #: shape (33,)
    chunks: npt.NDArray[np.int64]  #: shape (33,)


def word_sets(words: WordArrays) -> WordSets:
    """Return the sets of words that are in the order of their lengths."""
    codes, lengths = words
    sizes = np.bincount(lengths, minlength=MAX_LENGTH + 1)
    first_word = np.concatenate([[0], np.cumsum(sizes)])
    chunks = -(-sizes // _BITS)
    per_length = chunks * (1 + NUM_LETTERS * (1 + np.arange(MAX_LENGTH + 1)))
    first_set = np.cumsum(per_length) - per_length
    letters = np.zeros(len(codes), dtype=np.uint32)
    bits = np.zeros(per_length.sum(), dtype=np.uint64)
    sets = WordSets(codes, letters, first_word, bits, first_set, chunks)
    _fill(sets)
    return sets


class SearchRoom(NamedTuple):
    """Arrays that a search for words writes to; threads do not share them."""

    bits: npt.NDArray[np.uint64]  #: One bit per word of a length.
    numbers: npt.NDArray[np.int64]  #: Words, as rows of ``codes``.


@njit(cache=True)
def search_room(words):
    """Return room for searches in ``words``."""
    chunks = max(1, words.chunks.max())
    return SearchRoom(np.empty(chunks, dtype=np.uint64), np.empty(chunks * _BITS, dtype=np.int64))


@njit(cache=True)
def _fill(words):
    sets, letters = words.sets, words.letters
    for length in range(len(words.chunks)):
        start, size = words.first_set[length], words.chunks[length]
        for number in range(words.first_word[length], words.first_word[length + 1]):
            entry = number - words.first_word[length]
            chunk, bit = entry // _BITS, np.uint64(1) << np.uint64(entry % _BITS)
            sets[start + chunk] |= bit
            for place in range(length):
                letter = words.codes[number, place] - FIRST_LETTER
                letters[number] |= np.uint32(1) << np.uint32(letter)
                sets[_set_with(start, size, _ANYWHERE, letter) + chunk] |= bit
                sets[_set_with(start, size, place, letter) + chunk] |= bit


@njit(cache=True)
def _set_with(first_set, chunks, place, letter):
    """Return where the set of the words with a letter at a place, or anywhere, begins.

    ``first_set`` and ``chunks`` are those of the words' length.
    """
    return first_set + (1 + NUM_LETTERS * (1 + place) + letter) * chunks


@njit(cache=True)
def _load(bits, sets, first):
    """Make ``bits`` the set that begins at ``first`` of ``sets``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] = sets[begin + np.uint64(chunk)]


@njit(cache=True)
def _keep(bits, sets, first):
    """Leave what is in ``bits`` and in the set that begins at ``first`` of ``sets``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] &= sets[begin + np.uint64(chunk)]


@njit(cache=True)
def _leave_out(bits, sets, first):
    """Take what is in the set that begins at ``first`` of ``sets`` out of ``bits``."""
    begin = np.uint64(first)
    for chunk in range(len(bits)):
        bits[chunk] &= ~sets[begin + np.uint64(chunk)]


@njit(cache=True)
def fitting_set(word, guessed, words, exclude_wrong, exclude_shown, room):
    """Return the set of the words that fit a masked word, in ``room.bits``.

    Parameters
    ----------
    word : ndarray of uint8
        As it is observed, without padding; it may be a part of a masked word, for parts of words.
    guessed : ndarray of int8, shape (26,)
    words : WordSets
    exclude_wrong, exclude_shown : bool
        Leave out words that have a wrong letter, and those that have a shown one behind a blank.
    room : SearchRoom
    """
    length = len(word)
    sets, start, size = words.sets, words.first_set[length], words.chunks[length]
    bits = room.bits[:size]
    _load(bits, sets, start)
    for place in range(length):
        if word[place] != BLANK:
            _keep(bits, sets, _set_with(start, size, place, word[place] - FIRST_LETTER))
    for letter in range(NUM_LETTERS):
        if not guessed[letter]:
            continue
        is_shown = False
        for place in range(length):
            is_shown |= word[place] == letter + FIRST_LETTER
        if is_shown and exclude_shown:
            for place in range(length):
                if word[place] == BLANK:
                    _leave_out(bits, sets, _set_with(start, size, place, letter))
        elif exclude_wrong and not is_shown:
            _leave_out(bits, sets, _set_with(start, size, _ANYWHERE, letter))
    return bits


@njit(cache=True)
def write_numbers(words, length, bits, room):
    """Return the numbers of the words of a set, in ``room.numbers``."""
    count = 0
    for chunk in range(len(bits)):
        left = bits[chunk]
        while left:
            room.numbers[count] = words.first_word[length] + chunk * _BITS + lowest_bit(left)
            count += 1
            left &= left - np.uint64(1)
    return room.numbers[:count]


@njit(cache=True)
def fitting_words(word, guessed, words, exclude_wrong, exclude_shown, room):
    """Return the numbers of the words that fit a masked word, in ``room.numbers``.

    Parameters are those of :func:`fitting_set`.
    """
    bits = fitting_set(word, guessed, words, exclude_wrong, exclude_shown, room)
    return write_numbers(words, len(word), bits, room)
