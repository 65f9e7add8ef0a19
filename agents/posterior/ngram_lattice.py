"""The mass of the words that an n-gram model and a game allow: a pruned forward pass.

The places of a word are passed from left to right. At each, a beginning of the word is known by
its context, a state of :class:`agents.smoothed_ngrams.SmoothedNgrams`; shown letters are where
they are shown, blanks hold letters that have not been guessed, and the word ends where it does.
Beginnings are pruned by their mass so far times the mass of what can follow, which a backward pass
over n-grams of order 3 gives exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.compiled import letter_columns, open_word
from agents.smoothed_ngrams import END, NUM_SYMBOLS
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS

# An edge below this share of the beam is dropped before it is known what else leads to its context.
_EDGE_BEAM = 0.1


class _Contexts(NamedTuple):
    """The contexts that beginnings of a word end in."""

    states: npt.NDArray[np.int32]  #: shape (contexts,)
    #: shape (contexts, 2): Their last two letters, 26 where there is none.
    lasts: npt.NDArray[np.int8]


class _Edges(NamedTuple):
    """Contexts with a letter after them."""

    before: npt.NDArray[np.int64]  #: shape (edges,): The row of the context.
    letter: npt.NDArray[np.int8]  #: shape (edges,)
    total: npt.NDArray[np.float32]  #: shape (edges,): The mass.


@njit(cache=True)
def ngram_masses(word, guessed, tables, beam, slot, sums):
    """Write the probability of all words that fit a game into ``sums``, shape (27,).

    Of those without each letter behind a blank, and of all at index 26.

    Parameters
    ----------
    word : ndarray of uint8
        Of :func:`agents.compiled.open_word`: with a blank and without padding.
    guessed : ndarray of int8, shape (26,)
    tables : NgramTables
    beam : float
        Contexts below this share of a place's mass are dropped; 0 keeps all, and is exact.
    slot : ndarray of int32, shape (states,)
        -1 everywhere; where a state is among the contexts of the next place. Left as it was.
    sums : ndarray of float64, shape (27,)
    """
    columns, last = letter_columns(guessed)
    # As many columns more as fill the registers.
    width = (last // 8 + 1) * 8
    open_letters = np.flatnonzero(guessed == 0).astype(np.int8)
    follows = _masses_that_follow(word, open_letters, tables.pairs)
    lasts = np.full((1, 2), NUM_LETTERS, dtype=np.int8)
    contexts = _Contexts(np.full(1, tables.start, dtype=np.int32), lasts)
    # For each context, of the beginnings that end in it: the mass of those without each letter
    # behind a blank so far, and of all.
    mass = np.ones((1, width), dtype=np.float32)
    log_scale = 0.0
    for place in range(len(word)):
        letters = _letters_at(word[place], open_letters)
        edges, whole = _likely_edges(
            contexts, letters, mass[:, last], tables, follows[place + 1], beam
        )
        following, row, kept_mass = _merge(contexts, edges, tables, slot, beam * whole)
        new_mass = np.zeros((len(following.states), width), dtype=np.float32)
        for edge in range(len(row)):
            after, before, letter = row[edge], edges.before[edge], edges.letter[edge]
            if after < 0:
                continue
            factor = tables.probabilities[contexts.states[before], letter]
            column = columns[letter]
            without_letter = new_mass[after, column]
            for other in range(width):
                new_mass[after, other] += factor * mass[before, other]
            if word[place] == BLANK:
                new_mass[after, column] = without_letter
        contexts, mass = following, new_mass
        # Keep the masses away from the smallest numbers of their type.
        largest = mass[:, last].max()
        mass /= largest
        # What was pruned is assumed to continue as what was kept.
        if kept_mass > 0.0:
            log_scale += np.log(whole / kept_mass)
        log_scale += np.log(largest)
    sums[:] = 0.0
    for context in range(len(contexts.states)):
        end = np.float64(tables.probabilities[contexts.states[context], END]) * np.exp(log_scale)
        for letter in range(NUM_LETTERS):
            sums[letter] += end * mass[context, columns[letter]]
        sums[NUM_LETTERS] += end * mass[context, last]


@njit(cache=True)
def _letters_at(code, open_letters):
    """Return the letters that can be at a place, by the code that is observed there."""
    if code == BLANK:
        return open_letters
    return np.full(1, code - FIRST_LETTER, dtype=np.int8)


@njit(cache=True)
def _masses_that_follow(word, open_letters, pairs):
    """Return the mass of all that can follow two letters at each place, by n-grams of order 3.

    Shape (length + 1, 27, 27), scaled to a highest mass of 1: ``[place, b, a]`` is for the letters
    ``a`` and ``b`` before the place, 26 where there is none.
    """
    length = len(word)
    # No constant, so that the compiler vectorises the loops over the letters two places before.
    width = len(pairs)
    follows = np.zeros((length + 1, width, width), dtype=np.float32)
    letters = open_letters
    for place in range(length, 0, -1):
        here = follows[place]
        largest = np.float32(0)
        letters_before = _letters_at(word[place - 1], open_letters)
        for last in letters_before:
            if place == length:
                for before in range(width):
                    here[last, before] = pairs[last, END, before]
            else:
                for letter in letters:
                    after = follows[place + 1, letter, last]
                    for before in range(width):
                        here[last, before] += pairs[last, letter, before] * after
            largest = max(largest, here[last].max())
        here /= largest
        letters = letters_before
    return follows


@njit(cache=True)
def _likely_edges(contexts, letters, mass, tables, follows, beam):
    """Return the likelier edges from contexts to the next place, and the mass of all edges.

    ``mass``, shape (contexts,), is that of each context; the mass of an edge is counted with what
    can follow.
    """
    totals = np.empty(len(contexts.states) * len(letters), dtype=np.float32)
    whole = 0.0
    edge = 0
    for context in range(len(contexts.states)):
        state, before = contexts.states[context], contexts.lasts[context, 1]
        for letter in letters:
            totals[edge] = (
                mass[context] * tables.probabilities[state, letter] * follows[letter, before]
            )
            whole += totals[edge]
            edge += 1
    likely = np.flatnonzero(totals >= min(_EDGE_BEAM * beam * whole, totals.max()))
    letter_of = letters[likely % len(letters)]
    return _Edges(likely // len(letters), letter_of, totals[likely]), whole


@njit(cache=True)
def _merge(contexts, edges, tables, slot, lowest):
    """Return the contexts that edges lead to, without those below a mass, and the mass kept.

    In between, the row among them that each edge leads to, -1 if it was dropped.
    """
    most = len(edges.total)
    states = np.empty(most, dtype=np.int32)
    lasts = np.empty((most, 2), dtype=np.int8)
    total = np.zeros(most, dtype=np.float64)
    row = np.empty(most, dtype=np.int32)
    count = 0
    # By itself, so that reads of a large table wait for memory together.
    for edge in range(most):
        row[edge] = tables.next_state[contexts.states[edges.before[edge]], edges.letter[edge]]
    for edge in range(most):
        before, after = edges.before[edge], row[edge]
        if slot[after] < 0:
            slot[after] = count
            states[count] = after
            lasts[count, 0], lasts[count, 1] = contexts.lasts[before, 1], edges.letter[edge]
            count += 1
        row[edge] = slot[after]
        total[row[edge]] += edges.total[edge]
    for new in range(count):
        slot[states[new]] = -1
    # Where all are below the beam, the likeliest stays.
    lowest = min(lowest, total.max())
    new_row = np.full(count, -1, dtype=np.int32)
    kept_mass = 0.0
    kept = 0
    for new in range(count):
        if total[new] >= lowest:
            new_row[new] = kept
            kept_mass += total[new]
            # Survivors move to the front, so that nothing unread is overwritten.
            states[kept] = states[new]
            lasts[kept] = lasts[new]
            kept += 1
    for edge in range(most):
        row[edge] = new_row[row[edge]]
    return _Contexts(states[:kept], lasts[:kept]), row, kept_mass


@njit(cache=True)
def presence_of(sums, guessed, presence):
    """Write the probability of each letter behind a blank: one minus the share without it.

    ``sums`` are of :func:`ngram_masses`; ``presence``, shape (26,), is 0 for guessed letters.
    """
    for letter in range(NUM_LETTERS):
        presence[letter] = 0.0
        if not guessed[letter] and sums[NUM_LETTERS] > 0.0:
            # Pruning takes from the sums, and not from what is subtracted from them.
            presence[letter] = 1.0 - min(max(sums[letter] / sums[NUM_LETTERS], 0.0), 1.0)


@njit(cache=True, nogil=True)
def ngram_presence(thread, num_threads, word, guessed, tables, beam, presence):
    """Write the probability of each letter behind a blank by n-grams alone, shape (N, 26)."""
    slot = np.full(len(tables.next_state), -1, dtype=np.int32)
    sums = np.empty(NUM_SYMBOLS, dtype=np.float64)
    for game in range(thread, len(word), num_threads):
        masked = open_word(word[game], guessed[game])
        if len(masked):
            ngram_masses(masked, guessed[game], tables, beam, slot, sums)
            presence_of(sums, guessed[game], presence[game])
