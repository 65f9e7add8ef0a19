"""Guessing the word whose answers divide the words that are left best."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.word_guess.base import CandidateSets, Positions, WordGuessAgent

POOLS = ("consistent", "all")

# Sums of c * log2(c) are kept in units of 2**-32, so that equal divisions have equal costs.
_FIXED_POINT = 2.0**32


class PartitionAgent(WordGuessAgent):
    """An agent that gives each guess a cost by the sizes of the sets that its answers leave.

    Among guesses of the same cost one that may be the secret goes first, then the first in the
    list.

    Parameters
    ----------
    pool : {"consistent", "all"}, default "consistent"
        Guess words that may be the secret, or any word of the allowed list.
    lookahead : int, default 1
        1 takes the guess of the lowest cost. More compares that many guesses of the lowest costs by
        playing on: for every word that is left as the secret, each further guess the one of the
        lowest cost. It takes the guess that needs the fewest guesses in the mean.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    References
    ----------
    G. Tesauro and G. Galperin, "On-line policy improvement using Monte-Carlo search", NeurIPS
    1996, for the lookahead, there by drawn games and here by all of them.
    """

    def __init__(self, pool: str = "consistent", lookahead: int = 1) -> None:
        if pool not in POOLS:
            raise ValueError(f"pool: {pool!r} is not one of {POOLS}")
        if lookahead < 1:
            raise ValueError(f"lookahead: {lookahead} is below 1")
        self.pool = pool
        self.lookahead = lookahead

    @abstractmethod
    def set_costs(self, num_words: int) -> npt.NDArray[np.int64]:
        """Return what a set of 0, 1, ... ``num_words`` words costs."""

    #: Whether the cost of a guess is that of its most expensive set, or of all its sets together.
    takes_worst: bool

    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Return the best guess of each game's set."""
        measure = _Measure(
            self.matrix_,
            self.secrets_,
            self.set_costs(int(sets.sizes.max())),
            self.takes_worst,
            self.pool == "all",
        )
        guesses = _best_guesses(*sets, measure, self.rule_.num_codes, self.lookahead)
        return guesses[positions.set_of_game]


class MinimaxAgent(PartitionAgent):
    """Takes the guess whose worst answer leaves the fewest words.

    The answer to the secret itself leaves none. Parameters are those of :class:`PartitionAgent`.

    References
    ----------
    D. E. Knuth, "The computer as Master Mind", Journal of Recreational Mathematics 9 (1976).
    """

    takes_worst = True

    def set_costs(self, num_words: int) -> npt.NDArray[np.int64]:
        """Return the sizes themselves."""
        return np.arange(num_words + 1, dtype=np.int64)


class EntropyAgent(PartitionAgent):
    """Takes the guess whose answer is expected to give the most information.

    With ``c`` of ``n`` words behind an answer, that is ``log2(n) - sum(c * log2(c)) / n`` bits.
    Parameters are those of :class:`PartitionAgent`.

    References
    ----------
    E. Neuwirth, "Some strategies for Mastermind", Zeitschrift für Operations Research 26 (1982).
    """

    takes_worst = False

    def set_costs(self, num_words: int) -> npt.NDArray[np.int64]:
        """Return ``c * log2(c)`` in fixed point."""
        sizes = np.arange(num_words + 1, dtype=np.float64)
        return np.rint(sizes * np.log2(np.maximum(sizes, 1)) * _FIXED_POINT).astype(np.int64)


class _Measure(NamedTuple):
    """What a guess is measured by."""

    matrix: npt.NDArray[np.uint8]  #: Of :class:`~agents.word_guess.base.WordGuessAgent`.
    secrets: npt.NDArray[np.int64]
    costs: npt.NDArray[np.int64]  #: Of a set of 0, 1, ... words.
    takes_worst: bool  #: Of :class:`PartitionAgent`.
    any_word: bool  #: Whether the pool is all words.


@njit(cache=True)
def _guess_cost(guess, words, measure, counts):
    answers, costs = measure.matrix[guess], measure.costs
    counts[:] = 0
    for word in words:
        counts[answers[word]] += 1
    # The last code is that of the secret, which ends the game: one word at most, at no cost.
    cost = 0
    for count in counts[:-1]:
        cost = max(cost, costs[count]) if measure.takes_worst else cost + costs[count]
    return cost


@njit(cache=True)
def _pool(words, measure):
    """Return the guesses to choose from: first those that may be the secret."""
    if measure.any_word:
        return np.concatenate((measure.secrets[words], np.arange(len(measure.matrix))))
    return measure.secrets[words]


@njit(cache=True)
def _cheapest_guess(words, measure, counts):
    """Return the guess of the lowest cost: the first that may be the secret, if there is one."""
    cheapest = measure.secrets[words[0]]
    # With one or two words left, no guess does better than one of them.
    if len(words) > 2:
        lowest = np.iinfo(np.int64).max
        for guess in _pool(words, measure):
            cost = _guess_cost(guess, words, measure, counts)
            if cost < lowest:
                lowest, cheapest = cost, guess
    return cheapest


@njit(cache=True)
def _play_on(guess, words, limit, measure, counts):
    """Return the guesses of all the games whose secret is in ``words``, together.

    The first is ``guess``, the rest have the lowest cost. Stops when ``limit`` is reached.
    """
    num_words = len(words)
    left, divided = words.copy(), words.copy()
    # Sets that are still to be played, as ranges of ``left``; they do not overlap.
    starts = np.empty(num_words + 1, dtype=np.int64)
    ends = np.empty(num_words + 1, dtype=np.int64)
    starts[0], ends[0], depth = 0, num_words, 1
    position = np.empty(len(counts) + 1, dtype=np.int64)
    total = 0
    while depth > 0 and total < limit:
        depth -= 1
        start, end = starts[depth], ends[depth]
        if total > 0:
            guess = _cheapest_guess(left[start:end], measure, counts)
        total += end - start
        counts[:] = 0
        for word in left[start:end]:
            counts[measure.matrix[guess, word]] += 1
        position[0] = start
        for code in range(len(counts)):
            position[code + 1] = position[code] + counts[code]
            if counts[code] > 0 and code < len(counts) - 1:
                starts[depth], ends[depth] = position[code], position[code + 1]
                depth += 1
        for word in left[start:end]:
            code = measure.matrix[guess, word]
            divided[position[code]] = word
            position[code] += 1
        left[start:end] = divided[start:end]
    return total


@njit(cache=True)
def _best_guesses(offsets, members, measure, num_codes, lookahead):
    """Return the best guess of each set, 0 for an empty one."""
    num_sets = len(offsets) - 1
    guesses = np.zeros(num_sets, dtype=np.int64)
    counts = np.zeros(num_codes, dtype=np.int64)
    none_better = np.iinfo(np.int64).max
    for group in range(num_sets):
        words = members[offsets[group] : offsets[group + 1]]
        if len(words) == 0:
            continue
        if lookahead == 1 or len(words) <= 2:
            guesses[group] = _cheapest_guess(words, measure, counts)
            continue
        pool = _pool(words, measure)
        pool_costs = np.empty(len(pool), dtype=np.int64)
        for place in range(len(pool)):
            pool_costs[place] = _guess_cost(pool[place], words, measure, counts)
        fewest = none_better
        for _ in range(min(lookahead, len(pool))):
            place = pool_costs.argmin()
            pool_costs[place] = none_better
            total = _play_on(pool[place], words, fewest, measure, counts)
            if total < fewest:
                fewest = total
                guesses[group] = pool[place]
    return guesses
