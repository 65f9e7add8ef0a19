"""Compiled parts of the window posterior that playing and learning share.

Games are rows of an observation's ``word`` and ``guessed``. The functions work on one game; callers
loop over games in parallel.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_CODES, NUM_LETTERS, PADDING
from envs.keyed_random import keyed_bits

# A row of the table is 32 floats, two cache lines: 26 logits, then room for the learner.
LANES = 32
# Rows after the hashed ones: one a length, one an absent letter.
NUM_LENGTH_ROWS = MAX_LENGTH + 1
NUM_EXTRA_ROWS = NUM_LENGTH_ROWS + NUM_LETTERS

# One random number for each offset from the blank and each code that can stand there. A window's
# hash is the sum of its places' numbers and of its own, so that longer windows build on shorter.
MAX_REACH = 12
_OFFSETS = 2 * MAX_REACH + 1
PLACE_NUMBERS = keyed_bits(1, np.arange(_OFFSETS)[:, None], np.arange(NUM_CODES))
WINDOW_NUMBERS = keyed_bits(2, np.arange(MAX_REACH + 1)[:, None], np.arange(MAX_REACH + 1))


def empty_table(num_rows: int) -> npt.NDArray[np.float32]:
    """Return a table of zeros whose rows begin at cache lines, shape (num_rows, 32)."""
    size = num_rows * LANES
    floats = np.zeros(size + LANES, dtype=np.float32)
    first = -floats.ctypes.data % (LANES * floats.itemsize) // floats.itemsize
    return floats[first : first + size].reshape(num_rows, LANES)


@njit(cache=True, inline="always")
def mix(bits):  # noqa: ANN001, ANN201 - compiled
    """Return 64 bits that depend on all of ``bits`` (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@njit(cache=True)
def find_blanks(word, blanks):  # noqa: ANN001, ANN201
    """Write the places of the blanks into ``blanks``; return their number and the word's length."""
    count = 0
    length = 0
    while length < len(word) and word[length] != PADDING:
        if word[length] == BLANK:
            blanks[count] = length
            count += 1
        length += 1
    return count, length


@njit(cache=True)
def find_absent(word, guessed, absent):  # noqa: ANN001, ANN201
    """Write the guessed letters that are not shown into ``absent``; return their number."""
    count = 0
    for letter in range(NUM_LETTERS):
        if guessed[letter]:
            shown = False
            for code in word:
                shown |= code == letter + FIRST_LETTER
            if not shown:
                absent[count] = letter
                count += 1
    return count


@njit(cache=True)
def window_rows(word, place, length, reach, shift, place_numbers, window_numbers, rows, sizes):  # noqa: ANN001, ANN201
    """Hash all windows around one blank to rows of the table.

    A window reaches i places to the left and j to the right of the blank, ``i + j <= reach``, and
    at most one place beyond either end of the word. Writes the rows, and ``i + j`` of each into
    ``sizes``; returns their number.
    """
    count = 0
    left_hash = np.uint64(0)
    for left in range(min(reach, place + 1) + 1):
        if left > 0:
            position = place - left
            code = word[position] if position >= 0 else np.uint8(PADDING)
            left_hash += place_numbers[MAX_REACH - left, code]
        both_hash = left_hash
        for right in range(min(reach - left, length - place) + 1):
            if right > 0:
                position = place + right
                code = word[position] if position < length else np.uint8(PADDING)
                both_hash += place_numbers[MAX_REACH + right, code]
            rows[count] = np.int64((both_hash + window_numbers[left, right]) >> shift)
            sizes[count] = left + right
            count += 1
    return count


@njit(cache=True)
def blank_probabilities(table, rows, num_rows, is_guessed, probabilities):  # noqa: ANN001, ANN201
    """Sum rows of the table and turn the logits of letters not guessed into probabilities."""
    for lane in range(LANES):
        probabilities[lane] = np.float32(0)
    # Four rows at a time, so that four fetches from memory are under way at once.
    number = 0
    while number + 4 <= num_rows:
        first = np.uint64(rows[number])
        second = np.uint64(rows[number + 1])
        third = np.uint64(rows[number + 2])
        fourth = np.uint64(rows[number + 3])
        for lane in range(LANES):
            at = np.uint64(lane)
            probabilities[at] += (table[first, at] + table[second, at]) + (
                table[third, at] + table[fourth, at]
            )
        number += 4
    while number < num_rows:
        row = np.uint64(rows[number])
        for lane in range(LANES):
            probabilities[np.uint64(lane)] += table[row, np.uint64(lane)]
        number += 1
    highest = np.float32(-1e30)
    for letter in range(NUM_LETTERS):
        if not is_guessed[letter]:
            highest = max(highest, probabilities[letter])
    total = np.float32(0)
    for letter in range(NUM_LETTERS):
        if is_guessed[letter]:
            probabilities[letter] = np.float32(0)
        else:
            probabilities[letter] = np.exp(probabilities[letter] - highest)
            total += probabilities[letter]
    for lane in range(LANES):
        probabilities[lane] = probabilities[lane] / total if lane < NUM_LETTERS else np.float32(0)
