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
from agents.word_sets import word_length
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS


class NgramTables(NamedTuple):
    """What compiled code reads of an n-gram model.

    Attributes
    ----------
    probabilities, next_state, start
        Of :class:`~agents.smoothed_ngrams.SmoothedNgrams`.
    pairs : ndarray of float32, shape (27, 27, 27)
        The probabilities of the order-3 model: ``[b, symbol, a]`` after the letters ``a`` and
        ``b``, which are 26 at the beginning of the word (and before it).
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
            table[second, :, first] = model.probabilities[state]
    return table


class Lattice(NamedTuple):
    """What a game allows, whatever the beam.

    Attributes
    ----------
    word : ndarray
        As it is observed.
    letters : ndarray of int8
        Those that have not been guessed.
    choices : ndarray of int8, shape (length, 26)
        The letters that can stand at each place, at most so many as ``num_choices`` says.
    num_choices : ndarray of int64, shape (length,)
    follows : ndarray of float32, shape (length + 1, 27, 27)
        The mass of all that can follow two letters at each place, by n-grams of order 3, scaled to
        a highest mass of 1: ``[place, b, a]`` is for the letters ``a`` and ``b`` before the place,
        26 where there is none.
    """

    word: npt.NDArray
    letters: npt.NDArray[np.int8]
    choices: npt.NDArray[np.int8]
    num_choices: npt.NDArray[np.int64]
    follows: npt.NDArray[np.float32]


@njit(cache=True)
def lattice_of(word, guessed, length, tables):
    """Return the lattice of a game with a word of ``length`` letters."""
    letters = np.flatnonzero(guessed == 0).astype(np.int8)
    choices = np.empty((length, NUM_LETTERS), dtype=np.int8)
    num_choices = np.empty(length, dtype=np.int64)
    for place in range(length):
        if word[place] == BLANK:
            num_choices[place] = len(letters)
            choices[place, : len(letters)] = letters
        else:
            num_choices[place] = 1
            choices[place, 0] = word[place] - FIRST_LETTER
    pairs = tables.pairs
    # No constant, so that the compiler vectorises the loops over the letters two places before.
    width = len(pairs)
    follows = np.zeros((length + 1, width, width), dtype=np.float32)
    for place in range(length, 0, -1):
        here = follows[place]
        largest = np.float32(0)
        for last in choices[place - 1, : num_choices[place - 1]]:
            if place == length:
                for before in range(width):
                    here[last, before] = pairs[last, END, before]
            else:
                for letter in choices[place, : num_choices[place]]:
                    after = follows[place + 1, letter, last]
                    for before in range(width):
                        here[last, before] += pairs[last, letter, before] * after
            largest = max(largest, here[last].max())
        here /= largest
    return Lattice(word, letters, choices, num_choices, follows)


@njit(cache=True)
def ngram_masses(lattice, tables, beam, slot, sums):
    """Write the probability of all words that fit a game into ``sums``, shape (27,).

    Of those without each letter behind a blank, and of all at index 26.

    Parameters
    ----------
    lattice : Lattice
        Of a game with a blank.
    tables : NgramTables
    beam : float
        Contexts below this share of a place's mass are dropped; 0 keeps all, and is exact.
    slot : ndarray of int32, shape (states,)
        -1 everywhere; where a state is among the contexts of the next place. Left as it was.
    sums : ndarray of float64, shape (27,)
    """
    probabilities, next_state, start, _ = tables
    word, letters, choices, num_choices, follows = lattice
    # A column for each letter that is not guessed, one for all words, and as many more as fill
    # the registers.
    last = len(letters)
    width = (last // 8 + 1) * 8
    columns = np.full(NUM_LETTERS, last)
    for column in range(last):
        columns[letters[column]] = column
    # For each kept context: its state, its last two letters, and the mass of the beginnings that
    # end in it: without each letter behind a blank so far, and of all.
    states = np.full(1, start, dtype=np.int32)
    lasts = np.full((1, 2), NUM_LETTERS, dtype=np.int8)
    mass = np.ones((1, width), dtype=np.float32)
    log_scale = 0.0
    for place in range(len(choices)):
        here = choices[place, : num_choices[place]]
        # Which contexts come next, and with what mass.
        most = len(states) * len(here)
        following = np.empty(most, dtype=np.int32)
        most = min(most, len(next_state))
        new_states = np.empty(most, dtype=np.int32)
        new_lasts = np.empty((most, 2), dtype=np.int8)
        total = np.empty(most, dtype=np.float64)
        num_new = edge = 0
        for kept in range(len(states)):
            state = states[kept]
            for letter in here:
                after = next_state[state, letter]
                new = slot[after]
                if new < 0:
                    slot[after] = new = num_new
                    new_states[new] = after
                    new_lasts[new, 0] = lasts[kept, 1]
                    new_lasts[new, 1] = letter
                    total[new] = 0.0
                    num_new += 1
                following[edge] = new
                edge += 1
                total[new] += mass[kept, last] * probabilities[state, letter]
        whole = 0.0
        for new in range(num_new):
            slot[new_states[new]] = -1
            total[new] *= follows[place + 1, new_lasts[new, 1], new_lasts[new, 0]]
            whole += total[new]
        # Where all are below the beam, the likeliest stays.
        lowest = min(beam * whole, total[:num_new].max())
        number = np.full(num_new, -1, dtype=np.int32)
        num_kept = 0
        kept_mass = 0.0
        for new in range(num_new):
            if total[new] >= lowest:
                number[new] = num_kept
                kept_mass += total[new]
                # Survivors move to the front, so that nothing unread is overwritten.
                new_states[num_kept] = new_states[new]
                new_lasts[num_kept] = new_lasts[new]
                num_kept += 1
        new_mass = np.zeros((num_kept, width), dtype=np.float32)
        edge = 0
        for kept in range(len(states)):
            for letter in here:
                new = number[following[edge]]
                edge += 1
                if new < 0:
                    continue
                factor = probabilities[states[kept], letter]
                column = columns[letter]
                without = new_mass[new, column]
                for symbol in range(width):
                    new_mass[new, symbol] += factor * mass[kept, symbol]
                if word[place] == BLANK:
                    new_mass[new, column] = without
        states = new_states[:num_kept]
        lasts = new_lasts[:num_kept]
        mass = new_mass
        # Keep the masses away from the smallest numbers of their type.
        largest = mass[:, last].max()
        mass /= largest
        log_scale += np.log(largest)
        if kept_mass > 0.0:
            # What was pruned is taken to go on as what was kept.
            log_scale += np.log(whole / kept_mass)
    sums[:] = 0.0
    for kept in range(len(states)):
        ending = np.float64(probabilities[states[kept], END]) * np.exp(log_scale)
        for letter in range(NUM_LETTERS):
            sums[letter] += ending * mass[kept, columns[letter]]
        sums[NUM_LETTERS] += ending * mass[kept, last]


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
            length = word_length(word[game])
            lattice = lattice_of(word[game], guessed[game], length, tables)
            ngram_masses(lattice, tables, beam, slot, sums)
            presence_of(sums, guessed[game], presence[game])
