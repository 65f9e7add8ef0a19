"""Guessers by the best partition of the remaining words."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from hangman_lab.agents.word_guess.base import CandidateSets, Positions, WordGuessAgent
from hangman_lab.envs.errors import check_at_least, check_choice

# Fixed point, so that equal partitions have exactly equal sums of c * log2(c).
_FIXED_POINT = 2.0**32


class PartitionAgent(WordGuessAgent):
    """Base class of agents that minimize a cost of the partition by answers.

    Ties go to guesses that can be the secret, then to the first in the list.

    Parameters
    ----------
    pool : {"consistent", "all"}, default "consistent"
        Guess words that can be the secret, or any allowed word.
    lookahead : int, default 1
        The number of guesses with the lowest costs that are compared by rollouts, which play all
        possible secrets to the end with the guesses of the lowest cost. The guess with the lowest
        mean number of guesses wins. With 1 there are no rollouts.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    References
    ----------
    Rollouts: G. Tesauro and G. Galperin, "On-line policy improvement using Monte-Carlo search",
    NeurIPS 1996; they sample games.
    """

    def __init__(self, pool: str = "consistent", lookahead: int = 1) -> None:
        check_choice("pool", pool, ("consistent", "all"))
        check_at_least("lookahead", lookahead, 1)
        self.pool = pool
        self.lookahead = lookahead

    @abstractmethod
    def set_costs(self, num_words: int) -> npt.NDArray[np.int64]:
        """Return the costs of sets of 0, 1, ... ``num_words`` words."""

    #: Whether the cost of a guess is the maximum over its sets, or their sum.
    takes_worst: bool

    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Return the best guess of each game's set."""
        costs, any_word = self.set_costs(int(sets.sizes.max(initial=0))), self.pool == "all"
        measure = _Measure(self.matrix_, self.secrets_, costs, self.takes_worst, any_word)
        guesses = _best_guesses(*sets, measure, self.rule_.num_codes, self.lookahead)
        return guesses[positions.set_of_game]


class MinimaxAgent(PartitionAgent):
    """Takes the guess with the smallest largest set of remaining words.

    The parameters are those of :class:`PartitionAgent`.

    References
    ----------
    D. E. Knuth, "The computer as Master Mind", Journal of Recreational Mathematics 9 (1976).
    """

    takes_worst = True

    def set_costs(self, num_words: int) -> npt.NDArray[np.int64]:
        """Return the sizes of the sets."""
        return np.arange(num_words + 1, dtype=np.int64)


class EntropyAgent(PartitionAgent):
    """Takes the guess with the highest expected information.

    This is ``log2(n) - sum(c * log2(c)) / n`` bits, if each answer leaves ``c`` of ``n`` words.
    The parameters are those of :class:`PartitionAgent`.

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
    """The cost of guesses, for compiled code."""

    matrix: npt.NDArray[np.uint8]  #: See :class:`~agents.word_guess.base.WordGuessAgent`.
    secrets: npt.NDArray[np.int64]
    costs: npt.NDArray[np.int64]  #: The costs of sets of 0, 1, ... words.
    takes_worst: bool  #: See :class:`PartitionAgent`.
    any_word: bool  #: Whether the pool is all allowed words.


@njit(cache=True)
def _guess_cost(guess, words, measure, counts):
    answers, costs = measure.matrix[guess], measure.costs
    counts[:] = 0
    for word in words:
        counts[answers[word]] += 1
    # The last code is that of the correct guess, which costs nothing.
    cost = 0
    for count in counts[:-1]:
        cost = max(cost, costs[count]) if measure.takes_worst else cost + costs[count]
    return cost


@njit(cache=True)
def _pool(words, measure):
    """Return the guesses to choose from; those that can be the secret are first."""
    if measure.any_word:
        return np.concatenate((measure.secrets[words], np.arange(len(measure.matrix))))
    return measure.secrets[words]


@njit(cache=True)
def _cheapest_guess(words, measure, counts):
    """Return the guess of the lowest cost."""
    cheapest = measure.secrets[words[0]]
    # With one or two words left, guessing the first word is optimal.
    if len(words) > 2:
        lowest = np.iinfo(np.int64).max
        for guess in _pool(words, measure):
            cost = _guess_cost(guess, words, measure, counts)
            if cost < lowest:
                lowest, cheapest = cost, guess
    return cheapest


@njit(cache=True)
def _rollout(guess, words, limit, measure, counts):
    """Return the total number of guesses over all secrets in ``words``, or at least ``limit``.

    The first guess is ``guess``; further guesses are those of the lowest cost.
    """
    num_words = len(words)
    left, divided = words.copy(), words.copy()
    # A stack of sets, as disjoint ranges of ``left``.
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
    highest = np.iinfo(np.int64).max
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
        fewest = highest
        for _ in range(min(lookahead, len(pool))):
            place = pool_costs.argmin()
            pool_costs[place] = highest
            total = _rollout(pool[place], words, fewest, measure, counts)
            if total < fewest:
                fewest = total
                guesses[group] = pool[place]
    return guesses
