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
from numba import njit

from hangman_lab.envs.compiled import lowest_bit
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER, NUM_CODES, NUM_LETTERS, PADDING
from hangman_lab.envs.word_sets import WordSets

WIN, NO_WIN, UNKNOWN = 1, 0, -1


class SearchWords(NamedTuple):
    """What the search needs to know of each word; rows are those of :class:`WordSets`."""

    letters: npt.NDArray[np.uint32]  #: shape (words,): The letters of each word, as bits.
    places: npt.NDArray[np.uint32]  #: shape (words, 26): The places of each letter, as bits.
    keys: npt.NDArray[np.uint64]  #: shape (words,): For Zobrist hashing of sets of words.
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


def search_words(words: WordSets) -> SearchWords:
    """Return the words of the search, which must be distinct."""
    random = np.random.default_rng(0)
    keys = random.integers(2**64, size=len(words.codes), dtype=np.uint64)
    salts = random.integers(2**64, size=(words.codes.shape[1], NUM_CODES), dtype=np.uint64)
    places, hashes = _places(words.codes, salts)
    is_letter = hashes > 0
    _, inverse, counts = np.unique(hashes[is_letter], return_inverse=True, return_counts=True)
    numbers = np.where(counts > 1, np.cumsum(counts > 1) - 1, -1)
    groups = np.full(hashes.shape, -1, np.int32)
    groups[is_letter] = numbers[inverse]
    groups = -np.sort(-groups, axis=1)
    width = max(1, (groups >= 0).any(axis=0).sum())
    return SearchWords(words.letters, places, keys, np.ascontiguousarray(groups[:, :width]))


@njit(cache=True)
def search_buffers(words, size):
    """Return buffers with a table of ``size``, a power of two, for searches in ``words``."""
    num_groups = words.groups.max() + 1 if len(words.groups) else 0
    known, bounds = np.zeros(size, np.uint64), np.zeros((size, 2), np.int8)
    return SearchBuffers(known, bounds, np.zeros(num_groups, np.int64), np.zeros(2, np.int64))


@njit(cache=True)
def _places(codes, salts):
    """Return the places of each letter, and a hash of each word without one of its letters."""
    places = np.zeros((len(codes), NUM_LETTERS), np.uint32)
    hashes = np.zeros(codes.shape, np.uint64)
    for row in range(len(codes)):
        for place in range(codes.shape[1]):
            code = codes[row, place]
            if code == PADDING:
                break
            if places[row, code - FIRST_LETTER] == 0:
                for other in range(codes.shape[1]):
                    left = codes[row, other]
                    hashes[row, place] += salts[other, BLANK if left == code else left]
            places[row, code - FIRST_LETTER] |= np.uint32(1) << np.uint32(place)
    return places, hashes


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
    key = np.uint64(0)
    for row in rows:
        key += words.keys[row]
    slot = _table_slot(key, buffers)
    if spare < buffers.bounds[slot, 0]:
        return NO_WIN
    if spare >= buffers.bounds[slot, 1]:
        return WIN
    result, letter = NO_WIN, 0
    counts = _useful_letters(rows, spare, words, buffers.group_sizes)
    while result == NO_WIN and counts.any():
        letter = counts.argmax()
        misses = split_off_misses(rows, letter, words)
        result = certain_win(rows[:misses], spare - 1, words, buffers)
        if result == WIN:
            ends = misses + sort_families(rows[misses:], letter, words)
            for family in np.argsort(ends[:-1] - ends[1:], kind="mergesort"):
                part = rows[ends[family] : ends[family + 1]]
                result = certain_win(part, spare, words, buffers)
                if result != WIN:
                    break
            break
        counts[letter] = 0
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
def _useful_letters(rows, spare, words, group_sizes):
    """Return the number of words with each letter, 0 for one that need not be tried."""
    counts = np.zeros(NUM_LETTERS, np.int64)
    if _largest_group(rows, words.groups, group_sizes) > spare + 1:
        return counts
    for row in rows:
        letters = np.uint64(words.letters[row])
        while letters:
            counts[lowest_bit(letters)] += 1
            letters &= letters - np.uint64(1)
    for letter in np.flatnonzero(counts == len(rows)):
        counts[letter] = 0
        for row in rows:
            if words.places[row, letter] != words.places[rows[0], letter]:
                counts[:] = 0
                counts[letter] = len(rows)
                return counts
    return counts if spare > 0 else np.zeros_like(counts)


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


@njit(cache=True)
def split_off_misses(rows, letter, words):
    """Move the words without a letter to the front of ``rows``; return their number."""
    misses = 0
    for k in range(len(rows)):
        if words.places[rows[k], letter] == 0:
            rows[misses], rows[k] = rows[k], rows[misses]
            misses += 1
    return misses


@njit(cache=True)
def sort_families(rows, letter, words):
    """Sort ``rows`` by the places of a letter; return where families begin, and their end."""
    looks = words.places[rows, letter]
    order = np.argsort(looks)
    rows[:] = rows[order]
    looks = looks[order]
    ends = np.append(np.flatnonzero(looks[1:] != looks[:-1]) + 1, len(rows))
    return np.append(np.zeros(1, np.int64), ends)
