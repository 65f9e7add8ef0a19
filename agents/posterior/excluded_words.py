"""Words that cannot be the secret, as the passes over an n-gram model's words read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.candidates import BITS, CandidateIndex, count_bits, find_candidates
from agents.smoothed_ngrams import END, SmoothedNgrams
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS


class ExcludedWords(NamedTuple):
    """Words of a list, each with its probability by an n-gram model.

    Attributes
    ----------
    codes, sets, first_set, chunks, first_code, group_sizes : ndarray
        Of :class:`agents.candidates.CandidateIndex`; the words of a length are sorted.
    first_word : ndarray of int64, shape (33,)
        The first word of each length in ``log_probabilities``.
    log_probabilities : ndarray of float64, shape (words,)
        Length by length.
    """

    codes: npt.NDArray[np.uint8]
    sets: npt.NDArray[np.uint64]
    first_set: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int64]
    first_code: npt.NDArray[np.int64]
    group_sizes: npt.NDArray[np.int64]
    first_word: npt.NDArray[np.int64]
    log_probabilities: npt.NDArray[np.float64]


def excluded_words(words: Sequence[str], model: SmoothedNgrams) -> ExcludedWords:
    """Index words for exclusion from what a model allows; none is allowed too.

    Parameters
    ----------
    words : sequence of str
        Distinct, lower-case, 1 to 32 letters a to z.
    model : SmoothedNgrams
    """
    index = CandidateIndex(sorted(words))
    return ExcludedWords(
        index.codes,
        index.sets,
        index.first_set,
        index.chunks,
        index.first_code,
        index.group_sizes,
        np.cumsum(index.group_sizes) - index.group_sizes,
        _log_probabilities(
            index.codes, index.group_sizes, model.probabilities, model.next_state, model.start
        ),
    )


@njit(cache=True)
def _log_probabilities(codes, group_sizes, probabilities, next_state, start):  # noqa: ANN001, ANN202
    result = np.zeros(group_sizes.sum(), dtype=np.float64)
    number = position = 0
    for length in range(len(group_sizes)):
        for _ in range(group_sizes[length]):
            state = start
            for code in codes[position : position + length]:
                result[number] += np.log(probabilities[state, code - FIRST_LETTER])
                state = next_state[state, code - FIRST_LETTER]
            result[number] += np.log(probabilities[state, END])
            position += length
            number += 1
    return result


@njit(cache=True)
def subtract_excluded(word, guessed, length, log_scale, excluded, found, where, sums):  # noqa: ANN001, ANN201
    """Take the masses of the excluded words that fit a game from sums over all that fit.

    Parameters
    ----------
    word, guessed
        Of the game, as it is observed.
    length : int
        Of the word.
    log_scale : float
        The log of a word's probability per mass.
    excluded : ExcludedWords
    found, where : ndarray of uint64 and of int64
        As long as the most chunks of a length; they are overwritten.
    sums : ndarray of float64, shape (27,)
        The mass of the words without each letter behind a blank, and of all words at index 26.
    """
    if length >= len(excluded.chunks) or excluded.group_sizes[length] == 0:
        return
    size = excluded.chunks[length]
    _, filled = find_candidates(
        word,
        guessed,
        length,
        excluded.sets,
        excluded.first_set[length],
        size,
        True,
        True,
        found,
        where,
    )
    for chunk in where[:filled]:
        bits = found[chunk]
        while bits:
            lowest = bits & (~bits + np.uint64(1))
            entry = chunk * BITS + count_bits(lowest - np.uint64(1))
            bits ^= lowest
            number = excluded.first_word[length] + entry
            mass = np.exp(excluded.log_probabilities[number] - log_scale)
            first = excluded.first_code[length] + entry * length
            hidden = 0
            for place in range(length):
                if word[place] == BLANK:
                    hidden |= 1 << (excluded.codes[first + place] - FIRST_LETTER)
            for letter in range(NUM_LETTERS):
                if not (hidden >> letter) & 1:
                    sums[letter] -= mass
            sums[NUM_LETTERS] -= mass


@njit(cache=True)
def is_excluded(word, hidden, length, excluded):  # noqa: ANN001, ANN201
    """Return whether a masked word, with letters 0 to 25 in its blanks, is among the excluded."""
    if length >= len(excluded.group_sizes):
        return False
    low, high = 0, excluded.group_sizes[length]
    while low < high:
        middle = (low + high) // 2
        first = excluded.first_code[length] + middle * length
        blank = difference = 0
        for place in range(length):
            code = np.int64(word[place])
            if code == BLANK:
                code = hidden[blank] + FIRST_LETTER
                blank += 1
            difference = code - excluded.codes[first + place]
            if difference != 0:
                break
        if difference == 0:
            return True
        if difference < 0:
            high = middle
        else:
            low = middle + 1
    return False
