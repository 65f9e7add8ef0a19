"""Certain wins: whether a guesser can win whatever the host does, by an and-or search.

The host may change its word, as long as a word of a given set fits all that was shown. The words
that still fit and the misses that the guesser has to spare are the whole state, since guessing a
letter with the same places in all words has no effect. A subset of the words is never harder to
win:

- A letter in all words is guessed at once: it costs nothing.
- If the words with a letter at certain places cannot be won, the whole set cannot. Other letters
  are searched only if a miss refutes this one.
- Words that differ in one letter alone need a miss for each of them but the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.compiled import lowest_bit, njit
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS

WIN, NO_WIN, UNKNOWN = 1, 0, -1


class SearchWords(NamedTuple):
    """What a search needs to know of each word; rows are those of :class:`WordSets`."""

    letters: npt.NDArray[np.uint32]  #: shape (words,): The letters, as bits.
    places: npt.NDArray[np.uint32]  #: shape (words, 26): The places of each letter, as bits.
    keys: npt.NDArray[np.uint64]  #: shape (words,): For Zobrist hashing of sets of words.
    weights: npt.NDArray[np.int64]  #: shape (words,): 1 or more.
    #: shape (words, K): The groups of the word, then -1. The words of a group differ in one letter.
    groups: npt.NDArray[np.int32]


class SearchBuffers(NamedTuple):
    """Buffers of a search, for one thread."""

    # A table of sets: the key, the fewest misses not refuted, the fewest known to be enough.
    known: npt.NDArray[np.uint64]  #: shape (size,): The size is a power of two.
    bounds: npt.NDArray[np.int8]  #: shape (size, 2)
    group_sizes: npt.NDArray[np.int64]  #: shape (groups,): 0 between calls.
    #: shape (2,): How many words may still be looked at, and the letter to guess in the last set
    #: that was won.
    progress: npt.NDArray[np.int64]


def search_words(codes: npt.NDArray[np.uint8]) -> SearchWords:
    """Return the words of a search, which must be distinct; see :class:`EncodedWords`."""
    random = np.random.default_rng(0)
    size, width = codes.shape
    keys: npt.NDArray[np.uint64] = random.integers(2**64, size=(size,), dtype=np.uint64)
    salts = random.integers(2**64, size=width, dtype=np.uint64)
    bits = np.uint32(1) << np.arange(width, dtype=np.uint32)
    places = np.zeros((size, NUM_LETTERS), np.uint32)
    hashes = np.zeros((size, NUM_LETTERS), np.uint64)
    for letter in range(NUM_LETTERS):
        is_letter = codes == letter + FIRST_LETTER
        places[:, letter] = is_letter @ bits
        hashes[:, letter] = np.where(is_letter, BLANK, codes) @ salts
    _, inverse, counts = np.unique(hashes[places > 0], return_inverse=True, return_counts=True)
    groups = np.full(hashes.shape, -1, np.int32)
    groups[places > 0] = np.where(counts > 1, np.cumsum(counts > 1) - 1, -1)[inverse]
    groups = -np.sort(-groups, axis=1)
    width = max(1, (groups >= 0).any(axis=0).sum())
    letters = (places > 0) @ (np.uint32(1) << np.arange(NUM_LETTERS, dtype=np.uint32))
    return SearchWords(letters, places, keys, np.ones(size, np.int64), groups[:, :width].copy())


@njit(cache=True)
def search_buffers(words, size):
    """Return buffers with a table of ``size``, a power of two, for searches in ``words``."""
    num_groups = words.groups.max() + 1 if len(words.groups) else 0
    known, bounds = np.zeros(size, np.uint64), np.zeros((size, 2), np.int8)
    return SearchBuffers(known, bounds, np.zeros(num_groups, np.int64), np.zeros(2, np.int64))


@njit(cache=True)
def certain_win(rows, spare, words, buffers):
    """Return WIN if a guesser can win all words of ``rows``, NO_WIN if not, else UNKNOWN.

    ``spare`` misses do not lose, the next one does. ``rows`` are reordered. It is UNKNOWN at the
    limit, ``buffers.progress[0]``. If an empty table leads to a WIN with more than ``spare + 1``
    rows, ``buffers.progress[1]`` is the letter to guess.
    """
    size = len(rows)
    # Every miss with a letter of some word eliminates a word.
    if size <= spare + 1:
        return WIN
    buffers.progress[0] -= size
    if buffers.progress[0] < 0:
        return UNKNOWN
    key = words.keys[rows].sum()
    slot = _table_slot(key, buffers)
    if spare < buffers.bounds[slot, 0]:
        return NO_WIN
    if spare >= buffers.bounds[slot, 1]:
        return WIN
    result, letter = NO_WIN, 0
    counts = np.zeros(NUM_LETTERS, np.int64)
    if _largest_group(rows, words.groups, buffers.group_sizes) <= spare + 1:
        count_letters(rows, words, counts)
    while result == NO_WIN and counts.any():
        letter = counts.argmax()
        if spare == 0 and counts[letter] < size:
            break
        has_letter = words.places[rows, letter] > 0
        misses = size - np.count_nonzero(has_letter)
        rows[:] = np.append(rows[~has_letter], rows[has_letter])
        counts[letter] = 0
        result = certain_win(rows[:misses], spare - 1, words, buffers)
        if result == WIN:
            hits = rows[misses:]
            ends = misses + group_families(hits, words.places[hits, letter])
            for family in np.argsort(ends[:-1] - ends[1:], kind="mergesort"):
                part = rows[ends[family] : ends[family + 1]]
                result = certain_win(part, spare, words, buffers)
                if result != WIN:
                    break
            break
    slot = _table_slot(key, buffers)
    if result == WIN:
        buffers.bounds[slot, 1], buffers.progress[1] = spare, letter
    elif result == NO_WIN:
        buffers.bounds[slot, 0] = spare + 1
    return result


@njit(cache=True)
def _table_slot(key, buffers):
    """Return the slot of a set in the table; another set there is replaced."""
    slot = np.int64(key & np.uint64(len(buffers.known) - 1))
    if buffers.known[slot] != key:
        buffers.known[slot] = key
        buffers.bounds[slot, 0], buffers.bounds[slot, 1] = 0, NUM_LETTERS
    return slot


@njit(cache=True)
def count_letters(rows, words, counts):
    """Write the weight of the words with each letter; return that of all words.

    A letter at the same places of all words has 0.
    """
    total = 0
    counts[:] = 0
    for row in rows:
        weight = words.weights[row]
        total += weight
        letters = words.letters[row]
        while letters:
            counts[lowest_bit(np.uint64(letters))] += weight
            letters &= letters - np.uint32(1)
    for letter in range(NUM_LETTERS):
        if counts[letter] == total:
            places = words.places[rows, letter]
            if (places == places[0]).all():
                counts[letter] = 0
    return total


@njit(cache=True)
def group_families(rows, answers):
    """Reorder ``rows`` and their ``answers``, so that equal answers are together.

    Returns where each family begins, and the end.
    """
    ends, size, end = np.zeros(len(rows) + 1, np.int64), 0, 0
    while end < len(rows):
        answer = answers[end]
        for k in range(end, len(rows)):
            if answers[k] == answer:
                rows[k], rows[end] = rows[end], rows[k]
                answers[k], answers[end] = answers[end], answers[k]
                end += 1
        size += 1
        ends[size] = end
    return ends[: size + 1]


@njit(cache=True)
def _largest_group(rows, groups, group_sizes):
    """Return the largest number of words that differ in one letter alone, from 0."""
    largest = 0
    for change in (1, -1):
        for row in rows:
            for group in groups[row]:
                if group < 0:
                    break
                group_sizes[group] += change
                largest = max(largest, group_sizes[group])
    return largest
