"""A guesser by the best partition of the remaining words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.word_guess.base import CandidateSets, Positions, WordGuessAgent
from hangman_lab.envs.errors import check_choice, check_integer
from hangman_lab.envs.numba_cache import njit

# Fixed point, so that equal partitions have exactly equal sums of c * log2(c).
_FIXED_POINT = 2.0**32


class PartitionAgent(WordGuessAgent):
    """Takes the guess with the lowest cost of the partition by answers.

    Ties go to guesses that can be the secret, then to the first in the list.

    Parameters
    ----------
    cost : {"minimax", "entropy"}
        The number of words in the largest set, or the expected information with a negative sign:
        ``log2(n) - sum(c * log2(c)) / n`` bits, if each answer leaves ``c`` of ``n`` words.
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
    Minimax: D. E. Knuth, "The computer as Master Mind", Journal of Recreational Mathematics 9
    (1976). Entropy: E. Neuwirth, "Some strategies for Mastermind", Zeitschrift für Operations
    Research 26 (1982). Rollouts: G. Tesauro and G. Galperin, "On-line policy improvement using
    Monte-Carlo search", NeurIPS 1996; they sample games.
    """

    def __init__(self, cost: str, pool: str = "consistent", lookahead: int = 1) -> None:
        check_choice("cost", cost, ("minimax", "entropy"))
        check_choice("pool", pool, ("consistent", "all"))
        check_integer("lookahead", lookahead, 1)
        self.cost = cost
        self.pool = pool
        self.lookahead = lookahead

    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Return the best guess of each game's set."""
        costs = np.arange(sets.sizes.max(initial=0) + 1)
        if self.cost == "entropy":
            information = costs * np.log2(np.maximum(costs, 1))
            costs = np.rint(information * _FIXED_POINT).astype(np.int64)
        is_minimax, any_word = self.cost == "minimax", self.pool == "all"
        measure = _Measure(self.matrix_, self.secrets_, costs, is_minimax, any_word)
        guesses = _best_guesses(*sets, measure, self.rule_.num_codes, self.lookahead)
        return guesses[positions.set_of_game]


class _Measure(NamedTuple):
    """The cost of guesses, for compiled code."""

    matrix: npt.NDArray[np.uint8]  #: See :class:`~agents.word_guess.base.WordGuessAgent`.
    secrets: npt.NDArray[np.int64]
    costs: npt.NDArray[np.int64]  #: The costs of sets of 0, 1, ... words.
    takes_largest: bool  #: The cost of a guess is the largest of its sets' costs, or their sum.
    any_word: bool  #: Whether the pool is all allowed words.


@njit(cache=True)
def _guess_cost(guess, words, measure, counts):
    answers, costs = measure.matrix[guess], measure.costs
    counts[:] = 0
    for word in words:
        counts[answers[word]] += 1
    cost = 0
    for count in counts:
        cost = max(cost, costs[count]) if measure.takes_largest else cost + costs[count]
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
    answers = measure.matrix[guess][words]
    total = len(words)
    for code, size in enumerate(np.bincount(answers)[: len(counts) - 1]):
        if total >= limit:
            break
        if size <= 2:
            total += size * (size + 1) // 2
            continue
        left = words[answers == code]
        cheapest = _cheapest_guess(left, measure, counts)
        total += _rollout(cheapest, left, limit - total, measure, counts)
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
        pool_costs = np.array([_guess_cost(guess, words, measure, counts) for guess in pool])
        fewest = highest
        for _ in range(min(lookahead, len(pool))):
            place = pool_costs.argmin()
            pool_costs[place] = highest
            total = _rollout(pool[place], words, fewest, measure, counts)
            if total < fewest:
                fewest = total
                guesses[group] = pool[place]
    return guesses
