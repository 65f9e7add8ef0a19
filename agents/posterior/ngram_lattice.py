"""The mass of the words that an n-gram model and a game allow: a pruned forward pass.

The places of a word are passed from left to right. At each, a beginning of the word is known by
its context, a state of :class:`agents.smoothed_ngrams.SmoothedNgrams`; shown letters stand where
they are shown, blanks hold letters that have not been guessed, and the word ends where it does.
Beginnings are pruned by their mass so far times the mass of what can follow, which a backward pass
over n-grams of order 3 gives exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.smoothed_ngrams import END, NUM_SYMBOLS, SmoothedNgrams
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, PADDING


class NgramTables(NamedTuple):
    """What compiled code reads of an n-gram model.

    Attributes
    ----------
    probabilities, next_state, start
        Of :class:`~agents.smoothed_ngrams.SmoothedNgrams`.
    pairs : ndarray of float32, shape (27, 27, 27)
        The probabilities of the order-3 model by the two letters before; index 26 on the first two
        axes is the beginning of the word (and what is before it).
    """

    probabilities: npt.NDArray[np.float32]
    next_state: npt.NDArray[np.int32]
    start: int
    pairs: npt.NDArray[np.float32]


def ngram_tables(model: SmoothedNgrams) -> NgramTables:
    """Return the tables of a model."""
    return NgramTables(
        model.probabilities, model.next_state, model.start, _pair_table(model.of_order(3))
    )


def _pair_table(model: SmoothedNgrams) -> npt.NDArray[np.float32]:
    """Return ``pairs`` of :class:`NgramTables`, of an order-3 model."""
    table = np.empty((NUM_SYMBOLS, NUM_SYMBOLS, NUM_SYMBOLS), dtype=np.float32)
    for first in range(NUM_SYMBOLS):
        before = model.start if first == NUM_LETTERS else model.next_state[0, first]
        for second in range(NUM_SYMBOLS):
            state = model.start if second == NUM_LETTERS else model.next_state[before, second]
            table[first, second] = model.probabilities[state]
    return table


@njit(cache=True)
def ngram_masses(word, guessed, tables, beam, slot, sums):
    """Write the probability of all words that fit a game into ``sums``, shape (27,).

    Of those without each letter behind a blank, and of all at index 26.

    Parameters
    ----------
    word, guessed
        Of the game, as it is observed, with a blank.
    tables : NgramTables
    beam : float
        Contexts below this share of a place's mass are dropped; 0 keeps all, and is exact.
    slot : ndarray of int32, shape (states,)
        -1 everywhere; where a state is among the contexts of the next place. Left as it was.
    sums : ndarray of float64, shape (27,)
    """
    probabilities, next_state, start, pairs = tables
    choices, num_choices, length = _choices(word, guessed)
    follows = _following_mass(length, choices, num_choices, pairs)
    # For each kept context: its state, its last two letters, and the mass of the beginnings that
    # end in it: without each letter behind a blank so far, and of all at index 26.
    states = np.full(1, start, dtype=np.int32)
    lasts = np.full((1, 2), NUM_LETTERS, dtype=np.int8)
    mass = np.ones((1, NUM_SYMBOLS), dtype=np.float32)
    log_scale = 0.0
    for place in range(length):
        is_blank = word[place] == BLANK
        # Which contexts come next, and with what mass.
        most = min(len(states) * num_choices[place], len(next_state))
        new_states = np.empty(most, dtype=np.int32)
        new_lasts = np.empty((most, 2), dtype=np.int8)
        total = np.empty(most, dtype=np.float64)
        num_new = 0
        for kept in range(len(states)):
            state = states[kept]
            for choice in range(num_choices[place]):
                letter = choices[place, choice]
                after = next_state[state, letter]
                if slot[after] < 0:
                    slot[after] = num_new
                    new_states[num_new] = after
                    new_lasts[num_new, 0] = lasts[kept, 1]
                    new_lasts[num_new, 1] = letter
                    total[num_new] = 0.0
                    num_new += 1
                total[slot[after]] += mass[kept, NUM_LETTERS] * probabilities[state, letter]
        whole = 0.0
        for new in range(num_new):
            total[new] *= follows[place + 1, new_lasts[new, 0], new_lasts[new, 1]]
            whole += total[new]
        # Where all are below the beam, the likeliest stays.
        lowest = min(beam * whole, total[:num_new].max())
        num_kept = 0
        for new in range(num_new):
            if total[new] >= lowest:
                slot[new_states[new]] = num_kept
                # Survivors move to the front, so that nothing unread is overwritten.
                new_states[num_kept] = new_states[new]
                new_lasts[num_kept] = new_lasts[new]
                num_kept += 1
            else:
                slot[new_states[new]] = -1
        new_mass = np.zeros((num_kept, NUM_SYMBOLS), dtype=np.float32)
        for kept in range(len(states)):
            state = states[kept]
            for choice in range(num_choices[place]):
                letter = choices[place, choice]
                new = slot[next_state[state, letter]]
                if new < 0:
                    continue
                factor = probabilities[state, letter]
                without = new_mass[new, letter]
                for symbol in range(NUM_SYMBOLS):
                    new_mass[new, symbol] += factor * mass[kept, symbol]
                if is_blank:
                    new_mass[new, letter] = without
        states = new_states[:num_kept]
        lasts = new_lasts[:num_kept]
        mass = new_mass
        # Keep the masses away from the smallest numbers of their type.
        largest = np.float32(0)
        for kept in range(num_kept):
            slot[states[kept]] = -1
            largest = max(largest, mass[kept, NUM_LETTERS])
        mass /= largest
        log_scale += np.log(largest)
    sums[:] = 0.0
    for kept in range(len(states)):
        ending = np.float64(probabilities[states[kept], END])
        for symbol in range(NUM_SYMBOLS):
            sums[symbol] += ending * mass[kept, symbol]
    sums *= np.exp(log_scale)


@njit(cache=True)
def _choices(word, guessed):
    """Return the letters that can stand at each place, their numbers, and the length."""
    left = np.flatnonzero(guessed == 0).astype(np.int8)
    choices = np.empty((len(word), NUM_LETTERS), dtype=np.int8)
    num_choices = np.zeros(len(word), dtype=np.int64)
    length = 0
    while length < len(word) and word[length] != PADDING:
        if word[length] == BLANK:
            choices[length, : len(left)] = left
            num_choices[length] = len(left)
        else:
            choices[length, 0] = word[length] - FIRST_LETTER
            num_choices[length] = 1
        length += 1
    return choices, num_choices, length


@njit(cache=True)
def _following_mass(length, choices, num_choices, pairs):
    """Return the mass of all that can follow two letters at each place, by n-grams of order 3.

    ``[place, a, b]`` is for the letters ``a`` and ``b`` before the place, 26 where there is none.
    Each place is scaled to a highest mass of 1.
    """
    follows = np.empty((length + 1, NUM_SYMBOLS, NUM_SYMBOLS), dtype=np.float32)
    beginning = np.full(1, NUM_LETTERS, dtype=np.int8)
    for place in range(length, 0, -1):
        lasts = choices[place - 1, : num_choices[place - 1]]
        befores = choices[place - 2, : num_choices[place - 2]] if place > 1 else beginning
        largest = np.float32(0)
        for before in befores:
            for last in lasts:
                if place == length:
                    value = pairs[before, last, END]
                else:
                    value = np.float32(0)
                    for choice in range(num_choices[place]):
                        letter = choices[place, choice]
                        value += pairs[before, last, letter] * follows[place + 1, last, letter]
                follows[place, before, last] = value
                largest = max(largest, value)
        for before in befores:
            for last in lasts:
                follows[place, before, last] /= largest
    return follows


@njit(cache=True)
def presence_of(sums, guessed, presence):
    """Write the probability of each letter behind a blank: one minus the share without it.

    Parameters
    ----------
    sums : ndarray of float64, shape (27,)
        As of :func:`ngram_masses`.
    guessed : ndarray, shape (26,)
    presence : ndarray of float64, shape (26,)
        0 for guessed letters.
    """
    for letter in range(NUM_LETTERS):
        presence[letter] = 0.0
        if not guessed[letter] and sums[NUM_LETTERS] > 0.0:
            # Pruning takes from the sums, and not from what is subtracted from them.
            presence[letter] = 1.0 - min(max(sums[letter] / sums[NUM_LETTERS], 0.0), 1.0)


@njit(cache=True, nogil=True)
def ngram_presence(thread, num_threads, word, guessed, tables, beam, presence):
    """Write the probability of each letter behind a blank by n-grams alone, shape (N, 26)."""
    num_games = len(word)
    slot = np.full(len(tables.next_state), -1, dtype=np.int32)
    sums = np.empty(NUM_SYMBOLS, dtype=np.float64)
    for game in range(thread, num_games, num_threads):
        if (word[game] == BLANK).any() and not guessed[game].all():
            ngram_masses(word[game], guessed[game], tables, beam, slot, sums)
            presence_of(sums, guessed[game], presence[game])
