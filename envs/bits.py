"""Bits and masked words in compiled code."""

from __future__ import annotations

import numpy as np

from hangman_lab.envs.encoding import BLANK, NUM_LETTERS, PADDING
from hangman_lab.envs.numba_cache import njit


@njit
def count_bits(bits):
    """Return the number of set bits of a uint64."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    low = np.uint64(0x3333333333333333)
    bits = (bits & low) + ((bits >> np.uint64(2)) & low)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit
def lowest_bit(bits):
    """Return the index of the lowest set bit of a nonzero uint64."""
    return count_bits(~bits & (bits - np.uint64(1)))


@njit
def word_length(word):
    """Return the number of letters of a masked word."""
    length = 0
    while length < len(word) and word[length] != PADDING:
        length += 1
    return length


@njit
def letter_bits(guessed):
    """Return the guessed letters of a game as bits."""
    bits = 0
    for letter in range(NUM_LETTERS):
        if guessed[letter]:
            bits |= 1 << letter
    return bits


@njit
def strip_padding(word, guessed):
    """Return a masked word without its padding, or an empty one if no letter can be guessed."""
    blanks = unguessed = 0
    for code in word:
        blanks += code == BLANK
    for is_guessed in guessed:
        unguessed += is_guessed == 0
    return word[: word_length(word) if blanks and unguessed else 0]


@njit
def letter_columns(guessed):
    """Return the column of each letter, shape (26,), and the number of unguessed letters.

    Column k is for the words without the k-th unguessed letter. The last column is for all words;
    guessed letters map to it.
    """
    last = 0
    for letter in range(NUM_LETTERS):
        last += guessed[letter] == 0
    columns = np.empty(NUM_LETTERS, dtype=np.int64)
    column = 0
    for letter in range(NUM_LETTERS):
        columns[letter] = last if guessed[letter] else column
        column += guessed[letter] == 0
    return columns, last
