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

# An edge below this share of the beam is dropped before it is known what else leads to its context.
_EDGE_BEAM = 0.1


class NgramTables(NamedTuple):
    """What compiled code reads of an n-gram model."""

    probabilities: npt.NDArray[np.float32]  #: Of :class:`~agents.smoothed_ngrams.SmoothedNgrams`.
    next_state: npt.NDArray[np.int32]
    start: int
    #: shape (27, 27, 27): The probabilities of the order-3 model: ``[b, symbol, a]`` after the
    #: letters ``a`` and ``b``, which are 26 at the beginning of the word (and before it).
    pairs: npt.NDArray[np.float32]


def ngram_tables(model: SmoothedNgrams) -> NgramTables:
    """Return the tables of a model."""
    short = model.of_order(3)
    pairs = np.empty((NUM_SYMBOLS, NUM_SYMBOLS, NUM_SYMBOLS), dtype=np.float32)
    for first in range(NUM_SYMBOLS):
        before = short.start if first == NUM_LETTERS else short.next_state[0, first]
        for second in range(NUM_SYMBOLS):
            state = short.start if second == NUM_LETTERS else short.next_state[before, second]
            pairs[second, :, first] = short.probabilities[state]
    return NgramTables(model.probabilities, model.next_state, model.start, pairs)


class Lattice(NamedTuple):
    """What a game allows, whatever the beam."""

    word: npt.NDArray  #: As it is observed.
    letters: npt.NDArray[np.int8]  #: Those that have not been guessed.
    #: shape (length, 26): The letters that can stand at each place, at most so many as
    #: ``num_choices`` says.
    choices: npt.NDArray[np.int8]
    num_choices: npt.NDArray[np.int64]  #: shape (length,)
    #: shape (length + 1, 27, 27): The mass of all that can follow two letters at each place, by
    #: n-grams of order 3, scaled to a highest mass of 1: ``[place, b, a]`` is for the letters
    #: ``a`` and ``b`` before the place, 26 where there is none.
    follows: npt.NDArray[np.float32]


@njit(cache=True)
def lattice_of(word, guessed, tables):
    """Return the lattice of a game; ``word`` has no padding."""
    length = len(word)
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
    # A column for each letter that is not guessed, one for all words, and as many more as fill
    # the registers.
    last = len(lattice.letters)
    width = (last // 8 + 1) * 8
    columns = np.full(NUM_LETTERS, last)
    for column in range(last):
        columns[lattice.letters[column]] = column
    lasts = np.full((1, 2), NUM_LETTERS, dtype=np.int8)
    contexts = _Contexts(np.full(1, tables.start, dtype=np.int32), lasts)
    # For each context, of the beginnings that end in it: the mass of those without each letter
    # behind a blank so far, and of all.
    mass = np.ones((1, width), dtype=np.float32)
    log_scale = 0.0
    for place in range(len(lattice.choices)):
        here = lattice.choices[place, : lattice.num_choices[place]]
        follows = lattice.follows[place + 1]
        edges, whole = _follow(contexts, here, mass[:, last], tables, follows, beam)
        following, row, kept_mass = _merge(contexts, edges, tables, slot, beam * whole)
        is_blank = lattice.word[place] == BLANK
        new_mass = np.zeros((len(following.states), width), dtype=np.float32)
        for edge in range(len(row)):
            new, kept, letter = row[edge], edges.before[edge], edges.letter[edge]
            if new < 0:
                continue
            factor = tables.probabilities[contexts.states[kept], letter]
            column = columns[letter]
            without = new_mass[new, column]
            for symbol in range(width):
                new_mass[new, symbol] += factor * mass[kept, symbol]
            if is_blank:
                new_mass[new, column] = without
        contexts, mass = following, new_mass
        # Keep the masses away from the smallest numbers of their type.
        largest = mass[:, last].max()
        mass /= largest
        # What was pruned is taken to go on as what was kept.
        if kept_mass > 0.0:
            log_scale += np.log(whole / kept_mass)
        log_scale += np.log(largest)
    sums[:] = 0.0
    for kept in range(len(contexts.states)):
        ending = np.float64(tables.probabilities[contexts.states[kept], END]) * np.exp(log_scale)
        for letter in range(NUM_LETTERS):
            sums[letter] += ending * mass[kept, columns[letter]]
        sums[NUM_LETTERS] += ending * mass[kept, last]


@njit(cache=True)
def _follow(contexts, letters, mass, tables, follows, beam):
    """Return the likelier edges from contexts to the next place, and the mass of all edges.

    ``mass``, shape (contexts,), is that of each context; the mass of an edge is counted with what
    can follow.
    """
    totals = np.empty(len(contexts.states) * len(letters), dtype=np.float32)
    # Nothing is added: without it, the compiler would leave the fetching out.
    whole = 0.0 * _fetch(tables.probabilities, contexts.states)
    edge = 0
    for kept in range(len(contexts.states)):
        state, before = contexts.states[kept], contexts.lasts[kept, 1]
        for letter in letters:
            totals[edge] = (
                mass[kept] * tables.probabilities[state, letter] * follows[letter, before]
            )
            whole += totals[edge]
            edge += 1
    likely = np.flatnonzero(totals >= min(_EDGE_BEAM * beam * whole, totals.max()))
    letter_of = letters[likely % len(letters)]
    return _Edges(likely // len(letters), letter_of, totals[likely]), whole


@njit(cache=True)
def _fetch(table, rows):
    """Return a sum over rows of a table.

    The rows are far apart in memory, and reading them one by one would wait for each; read at once,
    they are at hand when the work begins.
    """
    total = np.float32(0)
    for row in rows:
        total += table[row, 0] + table[row, NUM_SYMBOLS // 2] + table[row, NUM_SYMBOLS - 1]
    return total


@njit(cache=True)
def _merge(contexts, edges, tables, slot, lowest):
    """Return the contexts that edges lead to, without those below a mass.

    Returns
    -------
    kept : _Contexts
    row : ndarray of int32, shape (edges,)
        The row in ``kept`` that each edge leads to, -1 if it was dropped.
    kept_mass : float
    """
    most = len(edges.total)
    states = np.empty(most, dtype=np.int32)
    lasts = np.empty((most, 2), dtype=np.int8)
    total = np.zeros(most, dtype=np.float64)
    row = np.empty(most, dtype=np.int32)
    count = 0
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
        if (word[game] == BLANK).any() and not guessed[game].all():
            masked = word[game, : word_length(word[game])]
            ngram_masses(lattice_of(masked, guessed[game], tables), tables, beam, slot, sums)
            presence_of(sums, guessed[game], presence[game])
