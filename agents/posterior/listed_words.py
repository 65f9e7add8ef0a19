"""Words with probabilities of their own, in place of what the models of letters give them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.word_sets import WordSets, lowest_bit
from envs.encoding import NUM_LETTERS


class ListedTables(NamedTuple):
    """Words of a list, each with two probabilities."""

    words: WordSets
    is_known: npt.NDArray[np.bool_]  #: shape (words,): Of ``agents.posterior.prior.ListedWords``.
    own: npt.NDArray[np.float64]  #: shape (words,): That the word is the secret.
    #: shape (words,): By the models that all other words' probabilities come from, on the same
    #: scale.
    replaced: npt.NDArray[np.float64]


@njit(cache=True)
def listed_masses(listed, numbers, bits, own, replaced):
    """Sum both probabilities of the listed words that fit a game, by their numbers.

    Those of the words without each letter behind a blank, and of all at index 26, overwrite
    ``own`` and ``replaced``, shape (27,). ``bits`` are the guessed letters.
    """
    own[:] = 0.0
    replaced[:] = 0.0
    for number in numbers:
        own[NUM_LETTERS] += listed.own[number]
        replaced[NUM_LETTERS] += listed.replaced[number]
        # No guessed letter is behind a blank.
        letters = np.uint64(listed.words.letters[number]) & ~np.uint64(bits)
        while letters:
            letter = lowest_bit(letters)
            own[letter] += listed.own[number]
            replaced[letter] += listed.replaced[number]
            letters &= letters - np.uint64(1)
    for letter in range(NUM_LETTERS):
        own[letter] = max(own[NUM_LETTERS] - own[letter], 0.0)
        replaced[letter] = max(replaced[NUM_LETTERS] - replaced[letter], 0.0)
