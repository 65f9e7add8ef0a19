"""The total n-gram probability of the words that match a game, by a pruned forward pass.

The pass goes over the places from left to right. Prefixes with the same n-gram context, a state of
:class:`agents.smoothed_ngrams.SmoothedNgrams`, are summed; shown places allow one letter, blanks
allow the unguessed letters. Contexts are pruned by their mass times the mass of what can follow,
which an exact backward pass over trigrams estimates.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.smoothed_ngrams import END
from hangman_lab.envs.bits import letter_columns, strip_padding
from hangman_lab.envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS
from hangman_lab.envs.numba_cache import njit

# First pruning, per edge: a fraction of the beam. Contexts are pruned again after merging.
_EDGE_BEAM = 0.1


@njit
def ngram_masses(thread, num_threads, word, guessed, tables, beam, sums):
    """Write the total probability of the words that match each of N games, shape (N, 27).

    Columns 0 to 25 are for the words without that letter behind a blank, column 26 is for all;
    0 for games without a letter to guess. Contexts with a smaller share of a place's mass than
    ``beam`` are pruned; 0 is exact.
    """
    slot = np.full(len(tables.row), -1, dtype=np.int32)
    for game in range(thread, len(word), num_threads):
        masked = strip_padding(word[game], guessed[game])
        if len(masked):
            _sum_words(masked, guessed[game], tables, beam, slot, sums[game])


def presence_from_absent_sums(
    sums: npt.NDArray[np.float64], guessed: npt.NDArray[np.int8]
) -> npt.NDArray[np.float64]:
    """Return the probability of each letter behind a blank, shape (N, 26); 0 for guessed letters.

    ``sums``, shape (N, 27), are those of :func:`ngram_masses`.
    """
    total = sums[:, NUM_LETTERS:]
    absent = np.divide(sums[:, :NUM_LETTERS], total, out=np.ones(guessed.shape), where=total > 0.0)
    # Pruned sums can be slightly out of range.
    return np.where(guessed != 0, 0.0, 1.0 - absent.clip(0.0, 1.0))


@njit
def _sum_words(word, guessed, tables, beam, slot, sums):
    """Write the row of one game in :func:`ngram_masses`.

    ``word`` has no padding. ``slot``, shape (states,), is a buffer, -1 everywhere before and after
    the call.
    """
    columns, last = letter_columns(guessed)
    # Padded to fill vector registers.
    width = (last // 8 + 1) * 8
    open_letters = np.flatnonzero(guessed == 0).astype(np.int8)
    follows = _masses_that_follow(word, open_letters, tables.pairs)
    # The n-gram contexts of the prefixes and their last two letters, 26 for none.
    states = np.full(1, tables.start, dtype=np.int32)
    lasts = np.full((1, 2), NUM_LETTERS, dtype=np.int8)
    # By context, the mass of the prefixes without each letter behind a blank, and of all prefixes.
    mass = np.ones((1, width), dtype=np.float32)
    log_scale = 0.0
    for place in range(len(word)):
        letters = _letters_at(word[place], open_letters)
        edges, whole = _likely_edges(
            states, lasts, letters, mass[:, last], tables, follows[place + 1], beam
        )
        following, lasts, row, kept_mass = _merge(states, lasts, edges, tables, slot, beam * whole)
        new_mass = np.zeros((len(following), width), dtype=np.float32)
        for edge in range(len(row)):
            after, before, letter = row[edge], edges[0][edge], edges[1][edge]
            if after < 0:
                continue
            factor = tables.probabilities[states[before], letter]
            column = columns[letter]
            without_letter = new_mass[after, column]
            for other in range(width):
                new_mass[after, other] += factor * mass[before, other]
            if word[place] == BLANK:
                new_mass[after, column] = without_letter
        states, mass = following, new_mass
        # Avoid underflow.
        largest = np.float32(0)
        for context in range(len(states)):
            largest = max(largest, mass[context, last])
        for context in range(len(states)):
            for column in range(width):
                mass[context, column] /= largest
        # Assume that pruned mass has the same suffixes as kept mass.
        if kept_mass > 0.0:
            log_scale += np.log(whole / kept_mass)
        log_scale += np.log(largest)
    sums[:] = 0.0
    for context in range(len(states)):
        end = np.float64(tables.probabilities[states[context], END]) * np.exp(log_scale)
        for letter in range(NUM_LETTERS):
            sums[letter] += end * mass[context, columns[letter]]
        sums[NUM_LETTERS] += end * mass[context, last]


@njit
def _letters_at(code, open_letters):
    """Return the possible letters of a place with an observed code."""
    if code == BLANK:
        return open_letters
    return np.full(1, code - FIRST_LETTER, dtype=np.int8)


@njit
def _masses_that_follow(word, open_letters, pairs):
    """Return the trigram mass of the possible suffixes, shape (length + 1, 27, 27).

    ``[place, b, a]`` is for the letters ``a`` and ``b`` before the place, 26 for none; the largest
    mass of a place is scaled to 1.
    """
    length = len(word)
    # Not a constant: the compiler would unroll the inner loops instead of vectorizing them.
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


@njit
def _likely_edges(states, lasts, letters, mass, tables, follows, beam):
    """Return the edges to the next place that are not pruned, and the mass of all edges.

    ``mass``, shape (contexts,), is that of each context. An edge is a context followed by a letter:
    its index, the letter, and the mass, which includes that of the suffixes.
    """
    totals = np.empty(len(states) * len(letters), dtype=np.float32)
    whole = 0.0
    edge = 0
    for context in range(len(states)):
        before = lasts[context, 1]
        for letter in letters:
            prefix = mass[context] * tables.probabilities[states[context], letter]
            totals[edge] = prefix * follows[letter, before]
            whole += totals[edge]
            edge += 1
    likely = np.flatnonzero(totals >= min(_EDGE_BEAM * beam * whole, totals.max()))
    return (likely // len(letters), letters[likely % len(letters)], totals[likely]), whole


@njit
def _merge(states_before, lasts_before, edges, tables, slot, lowest):
    """Sum edges by the contexts that they lead to, and prune contexts with a mass below ``lowest``.

    Returns the states and last letters of the kept contexts, the row of each edge's context (-1 if
    pruned), and the mass kept.
    """
    befores, letters, totals = edges
    num_edges = len(totals)
    states = np.empty(num_edges, dtype=np.int32)
    lasts = np.empty((num_edges, 2), dtype=np.int8)
    total = np.zeros(num_edges, dtype=np.float64)
    row = np.empty(num_edges, dtype=np.int32)
    count = 0
    # In a loop of its own, so that reads of the large table overlap.
    for edge in range(num_edges):
        before = tables.row[states_before[befores[edge]]]
        row[edge] = tables.next_state[before, letters[edge]]
    for edge in range(num_edges):
        after = row[edge]
        if slot[after] < 0:
            slot[after] = count
            states[count] = after
            lasts[count, 0], lasts[count, 1] = lasts_before[befores[edge], 1], letters[edge]
            count += 1
        row[edge] = slot[after]
        total[row[edge]] += totals[edge]
    for new in range(count):
        slot[states[new]] = -1
    # At least one context is kept.
    lowest = min(lowest, total.max())
    new_row = np.full(count, -1, dtype=np.int32)
    kept_mass = 0.0
    kept = 0
    for new in range(count):
        if total[new] >= lowest:
            new_row[new] = kept
            kept_mass += total[new]
            states[kept] = states[new]
            lasts[kept, 0], lasts[kept, 1] = lasts[new]
            kept += 1
    for edge in range(num_edges):
        row[edge] = new_row[row[edge]]
    return states[:kept], lasts[:kept], row, kept_mass
