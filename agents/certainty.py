"""Certain wins: whether a guesser wins every word of a set, with some misses to spare.

The host may change the word, as long as one of the set fits all that was shown. A set of words and
the misses to spare are the whole state: guessed letters have the same places in all words. A part
of a set is never harder than the set, with two consequences:

- A letter in all words is guessed at once, since it costs nothing.
- If the words with a shown letter at certain places cannot be won, the whole set cannot. So the
  other letters are searched only if the host's answer to this one is a miss.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from hangman_lab.envs.compiled import lowest_bit
from hangman_lab.envs.encoding import FIRST_LETTER, NUM_LETTERS

WIN, NO_WIN, UNKNOWN = 1, 0, -1


class Search(NamedTuple):
    """Words and buffers of a search."""

    letters: npt.NDArray[np.uint32]  #: shape (words,): The letters of each word, as bits.
    #: shape (words, 26): The places of each letter, as bits.
    places: npt.NDArray[np.uint32]
    groups: npt.NDArray[np.int32]
    group_sizes: npt.NDArray[np.int64]
    keys: npt.NDArray[np.uint64]  #: shape (words,): For Zobrist hashing of sets of words.
    # A table of states: the key of a set, the fewest misses that may be enough, the fewest that are
    # known to be.
    known: npt.NDArray[np.uint64]  #: shape (size,); the size is a power of 2.
    bounds: npt.NDArray[np.int8]  #: shape (size, 2)
    left: npt.NDArray[np.int64]  #: shape (1,): How many more words the search may look at.


def new_search(codes, letters, places, size: int) -> Search:
    groups, group_sizes = find_groups(codes)
    keys = np.random.default_rng(0).integers(2**64, size=len(letters), dtype=np.uint64)
    known = np.zeros(size, np.uint64)
    return Search(letters, places, groups, group_sizes, keys, known, np.zeros((size, 2), np.int8), np.zeros(1, np.int64))


def find_groups(codes):
    """codes (W, L)"""
    W, L = codes.shape
    rng = np.random.default_rng(1)
    r = rng.integers(2**64, size=(L, 27), dtype=np.uint64)
    full = r[np.arange(L), codes].sum(axis=1)
    out = np.zeros((W, L), np.uint64)
    for p in range(L):
        same = codes == codes[:, p : p + 1]
        first = same.argmax(axis=1) == p
        h = full.copy()
        for q in range(L):
            h += np.where(same[:, q], r[q, 26] - r[q, codes[:, q]], 0).astype(np.uint64)
        out[:, p] = np.where(first, h, 0)
    vals, inv, cnt = np.unique(out, return_inverse=True, return_counts=True)
    inv = inv.reshape(out.shape)
    ok = (cnt[inv] > 1) & (out != 0)
    new = np.full(out.shape, -1, np.int32)
    used = np.unique(inv[ok])
    new[ok] = np.searchsorted(used, inv[ok])
    new = -np.sort(-new, axis=1)
    width = max(1, (new >= 0).sum(axis=1).max())
    return np.ascontiguousarray(new[:, :width]), np.zeros(len(used) + 1, np.int64)


@njit(cache=True)
def clique(words, search):
    most = 0
    width = search.groups.shape[1]
    for word in words:
        for k in range(width):
            g = search.groups[word, k]
            if g < 0:
                break
            search.group_sizes[g] += 1
            most = max(most, search.group_sizes[g])
    for word in words:
        for k in range(width):
            g = search.groups[word, k]
            if g < 0:
                break
            search.group_sizes[g] = 0
    return most


@njit(cache=True)
def certain_win(words, spare, search):
    """Return WIN, NO_WIN or UNKNOWN for ``words``, rows of ``search``, which are reordered."""
    num_words = len(words)
    # Each miss with a letter of some word excludes a word.
    if num_words <= spare + 1:
        return WIN
    search.left[0] -= num_words
    if search.left[0] < 0:
        return UNKNOWN
    key = np.uint64(0)
    for word in words:
        key += search.keys[word]
    slot = np.int64(key & np.uint64(len(search.known) - 1))
    if search.known[slot] == key:
        if spare < search.bounds[slot, 0]:
            return NO_WIN
        if spare >= search.bounds[slot, 1]:
            return WIN
    if clique(words, search) > spare + 1:
        return NO_WIN
    counts = useful_letters(words, spare, search)
    holders = _holders(words, search)
    result = NO_WIN
    while result == NO_WIN:
        letter = counts.argmax()
        if counts[letter] == 0:
            break
        begin = _split(words, letter, search)
        result = certain_win(words[:begin], spare - 1, search)
        if result == WIN:
            sizes = _families(words[begin:], letter, search)
            for k in np.argsort(-sizes[:, 1]):
                result = certain_win(words[begin + sizes[k, 0] : begin + sizes[k, 0] + sizes[k, 1]], spare, search)
                if result != WIN:
                    break
            break
        counts[letter] = 0
        for other in range(NUM_LETTERS):
            if holders[other] & ~holders[letter] == 0:
                counts[other] = 0
    if result != UNKNOWN:
        if search.known[slot] != key:
            search.known[slot] = key
            search.bounds[slot, 0] = 0
            search.bounds[slot, 1] = 127
        if result == WIN:
            search.bounds[slot, 1] = spare
        else:
            search.bounds[slot, 0] = spare + 1
    return result


@njit(cache=True)
def useful_letters(words, spare, search):
    """Return the number of words with each letter, 0 for letters that need no try; shape (26,)."""
    num_words = len(words)
    counts = np.zeros(NUM_LETTERS, np.int64)
    for word in words:
        letters = np.uint64(search.letters[word])
        while letters:
            counts[lowest_bit(letters)] += 1
            letters &= letters - np.uint64(1)
    for letter in range(NUM_LETTERS):
        if counts[letter] == num_words:
            first = search.places[words[0], letter]
            same = True
            for word in words:
                if search.places[word, letter] != first:
                    same = False
                    break
            if same:
                counts[letter] = 0
            else:
                counts[:] = 0
                counts[letter] = num_words
                return counts
    # A host that always says miss
    top = np.sort(counts)[NUM_LETTERS - spare - 1:].sum()
    if top < num_words:
        counts[:] = 0
    return counts


@njit(cache=True)
def _holders(words, search):
    holders = np.zeros(NUM_LETTERS, np.uint64)
    if len(words) > 64:
        for letter in range(NUM_LETTERS):
            holders[letter] = np.uint64(1) << np.uint64(letter)
    else:
        for k in range(len(words)):
            letters = np.uint64(search.letters[words[k]])
            while letters:
                holders[lowest_bit(letters)] |= np.uint64(1) << np.uint64(k)
                letters &= letters - np.uint64(1)
    return holders


@njit(cache=True)
def _families(words, letter, search):
    looks = search.places[words, letter]
    order = np.argsort(looks)
    looks = looks[order]
    words[:] = words[order]
    num = 1
    for k in range(1, len(words)):
        num += looks[k] != looks[k - 1]
    sizes = np.zeros((num, 2), np.int64)
    family = 0
    for k in range(len(words)):
        if k and looks[k] != looks[k - 1]:
            family += 1
            sizes[family, 0] = k
        sizes[family, 1] += 1
    return sizes


@njit(cache=True)
def _split(words, letter, search):
    """Move the words without a letter to the front; return their number."""
    begin = 0
    for index in range(len(words)):
        if search.places[words[index], letter] == 0:
            words[begin], words[index] = words[index], words[begin]
            begin += 1
    return begin
