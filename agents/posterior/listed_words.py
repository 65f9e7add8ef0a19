"""Words with probabilities of their own, as the passes over an n-gram model's words read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.candidates import BITS, CandidateIndex, count_bits, find_candidates
from agents.smoothed_ngrams import END, SmoothedNgrams
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS

# However much of the model's mass the listed words have, this is taken to be left for all others.
_MIN_LEFT = 1e-3


class ListedWords(NamedTuple):
    """Words of a list, each with two masses: by an n-gram model, and its own in place of that.

    Attributes
    ----------
    codes, sets, first_set, chunks, first_code, group_sizes : ndarray
        Of :class:`agents.candidates.CandidateIndex`; the words of a length are sorted.
    first_word : ndarray of int64, shape (33,)
        The first word of each length in the arrays below, which go length by length.
    probabilities : ndarray of float64, shape (words,)
        By the n-gram model.
    masses : ndarray of float64, shape (words,)
        The words' own, where those of all other words are their probabilities by the n-gram model;
        0 for words that cannot be the secret.
    """

    codes: npt.NDArray[np.uint8]
    sets: npt.NDArray[np.uint64]
    first_set: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int64]
    first_code: npt.NDArray[np.int64]
    group_sizes: npt.NDArray[np.int64]
    first_word: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]
    masses: npt.NDArray[np.float64]


def list_words(
    words: Sequence[str], probabilities: npt.ArrayLike, model: SmoothedNgrams
) -> ListedWords:
    """List words with their probabilities; what these leave is for all other words, by the model.

    Parameters
    ----------
    words : sequence of str
        Distinct, lower-case, 1 to 32 letters a to z; none is allowed too.
    probabilities : array_like, shape (words,)
        That each is the secret; below 1 together.
    model : SmoothedNgrams
    """
    alphabetical = sorted(range(len(words)), key=words.__getitem__)
    index = CandidateIndex([words[number] for number in alphabetical])
    lengths = [len(words[number]) for number in alphabetical]
    own = np.asarray(probabilities, dtype=np.float64)[alphabetical]
    own = own[np.argsort(lengths, kind="stable")]
    by_ngrams = _probabilities(
        index.codes, index.group_sizes, model.probabilities, model.next_state, model.start
    )
    # All other words have the rest of their mass, which stands for the rest of the probability.
    scale = max(1.0 - by_ngrams.sum(), _MIN_LEFT) / (1.0 - own.sum())
    return ListedWords(
        index.codes,
        index.sets,
        index.first_set,
        index.chunks,
        index.first_code,
        index.group_sizes,
        np.cumsum(index.group_sizes) - index.group_sizes,
        by_ngrams,
        own * scale,
    )


@njit(cache=True)
def _probabilities(codes, group_sizes, probabilities, next_state, start):  # noqa: ANN001, ANN202
    result = np.ones(group_sizes.sum(), dtype=np.float64)
    number = position = 0
    for length in range(len(group_sizes)):
        for _ in range(group_sizes[length]):
            state = start
            for code in codes[position : position + length]:
                result[number] *= probabilities[state, code - FIRST_LETTER]
                state = next_state[state, code - FIRST_LETTER]
            result[number] *= probabilities[state, END]
            position += length
            number += 1
    return result


@njit(cache=True)
def replace_masses(word, guessed, length, log_scale, listed, found, where, sums, own):  # noqa: ANN001, ANN201
    """Take the n-grams' masses of the listed words that fit a game, and sum up their own.

    Parameters
    ----------
    word, guessed
        Of the game, as it is observed.
    length : int
        Of the word.
    log_scale : float
        The log of a word's probability per mass.
    listed : ListedWords
    found, where : ndarray of uint64 and of int64
        As long as the most chunks of a length; they are overwritten.
    sums, own : ndarray of float64, shape (27,)
        The mass of the words without each letter behind a blank, and of all words at index 26:
        what is taken from, and what is added to.
    """
    factor = np.exp(-log_scale)
    for chunk in where[: _find(word, guessed, length, listed, found, where)]:
        bits = found[chunk]
        while bits:
            lowest = bits & (~bits + np.uint64(1))
            entry = chunk * BITS + count_bits(lowest - np.uint64(1))
            bits ^= lowest
            number = listed.first_word[length] + entry
            by_ngrams = listed.probabilities[number] * factor
            mass = listed.masses[number] * factor
            first = listed.first_code[length] + entry * length
            hidden = 0
            for place in range(length):
                if word[place] == BLANK:
                    hidden |= 1 << (listed.codes[first + place] - FIRST_LETTER)
            for letter in range(NUM_LETTERS):
                if not (hidden >> letter) & 1:
                    sums[letter] -= by_ngrams
                    own[letter] += mass
            sums[NUM_LETTERS] -= by_ngrams
            own[NUM_LETTERS] += mass


@njit(cache=True)
def heaviest_words(word, guessed, length, listed, num_words):  # noqa: ANN001, ANN201
    """Return the listed words that fit a game, by their own masses: at most ``num_words``.

    Returns
    -------
    hidden : ndarray of int8, shape (found, MAX_LENGTH)
        The letters behind the blanks, in their order; entries after the last are 0.
    masses : ndarray of float64, shape (found,)
    """
    found = np.empty(max(1, listed.chunks.max()), dtype=np.uint64)
    where = np.empty(len(found), dtype=np.int64)
    filled = _find(word, guessed, length, listed, found, where)
    most = 0
    for chunk in where[:filled]:
        most += count_bits(found[chunk])
    entries = np.empty(most, dtype=np.int64)
    masses = np.empty(most, dtype=np.float64)
    count = 0
    for chunk in where[:filled]:
        bits = found[chunk]
        while bits:
            lowest = bits & (~bits + np.uint64(1))
            entry = chunk * BITS + count_bits(lowest - np.uint64(1))
            bits ^= lowest
            mass = listed.masses[listed.first_word[length] + entry]
            if mass > 0:
                entries[count], masses[count] = entry, mass
                count += 1
    entries, masses = entries[:count], masses[:count]
    if count > num_words:
        least = np.partition(masses, count - num_words)[count - num_words]
        kept = np.flatnonzero(masses >= least)[:num_words]
        entries, masses = entries[kept], masses[kept]
    hidden = np.zeros((len(entries), len(word)), dtype=np.int8)
    for number in range(len(entries)):
        first = listed.first_code[length] + entries[number] * length
        blank = 0
        for place in range(length):
            if word[place] == BLANK:
                hidden[number, blank] = listed.codes[first + place] - FIRST_LETTER
                blank += 1
    return hidden, masses


@njit(cache=True)
def _find(word, guessed, length, listed, found, where):  # noqa: ANN001, ANN202
    """Find the listed words that fit a game; return how many chunks of them there are."""
    if length >= len(listed.chunks) or listed.group_sizes[length] == 0:
        return 0
    _, filled = find_candidates(
        word,
        guessed,
        length,
        listed.sets,
        listed.first_set[length],
        listed.chunks[length],
        True,
        True,
        found,
        where,
    )
    return filled


@njit(cache=True)
def is_listed(word, hidden, length, listed):  # noqa: ANN001, ANN201
    """Return whether a masked word, with letters 0 to 25 in its blanks, is listed."""
    if length >= len(listed.group_sizes):
        return False
    low, high = 0, listed.group_sizes[length]
    while low < high:
        middle = (low + high) // 2
        first = listed.first_code[length] + middle * length
        blank = difference = 0
        for place in range(length):
            code = np.int64(word[place])
            if code == BLANK:
                code = hidden[blank] + FIRST_LETTER
                blank += 1
            difference = code - listed.codes[first + place]
            if difference != 0:
                break
        if difference == 0:
            return True
        if difference < 0:
            high = middle
        else:
            low = middle + 1
    return False
