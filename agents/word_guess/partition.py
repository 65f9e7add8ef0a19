"""A guesser by the best partition of the remaining words."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.word_guess.base import WordGuessAgent
from hangman_lab.envs.errors import check_choice, check_integer
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_guess.words import WordGame

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
    any_word : bool, default False
        Guess any allowed word, or words that can be the secret.
    lookahead : int, default 1
        The number of guesses with the lowest costs that are compared by rollouts, which play all
        possible secrets to the end with the guesses of the lowest cost. The guess with the lowest
        mean number of guesses wins. With 1 there are no rollouts.

    Raises
    ------
    InputError
        If a parameter is out of range.

    References
    ----------
    Minimax: D. E. Knuth, "The computer as Master Mind", Journal of Recreational Mathematics 9
    (1976). Entropy: E. Neuwirth, "Some strategies for Mastermind", Zeitschrift für Operations
    Research 26 (1982). Rollouts: G. Tesauro and G. Galperin, "On-line policy improvement using
    Monte-Carlo search", NeurIPS 1996; they sample games.
    """

    def __init__(self, cost: str, any_word: bool = False, lookahead: int = 1) -> None:
        check_choice("cost", cost, ("minimax", "entropy"))
        self.cost = cost
        self.any_word = any_word
        self.lookahead = check_integer("lookahead", lookahead, 1)

    def fit(self, game: WordGame) -> Self:
        """Compute the answer to every guess about every secret."""
        super().fit(game)
        costs = np.arange(len(game.secrets) + 1)
        if self.cost == "entropy":
            information = costs * np.log2(np.maximum(costs, 1))
            costs = np.rint(information * _FIXED_POINT).astype(np.int64)
        is_minimax, table = self.cost == "minimax", game.answer_table
        self.costs_ = _Costs(table, game.secrets, game.solved, costs, is_minimax, self.any_word)
        return self

    def choose(self, candidates: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> np.int64:
        """Return the best guess."""
        # With one or two words left, guessing the first word is optimal.
        if len(candidates) <= 2:
            return self.game_.secrets[candidates[0]]
        pool, pool_costs = _pool_costs(candidates, self.costs_)
        best, fewest = pool[pool_costs.argmin()], np.iinfo(np.int64).max
        if self.lookahead > 1:
            for guess in pool[np.argsort(pool_costs, kind="stable")[: self.lookahead]]:
                total = _rollout(guess, candidates, fewest, self.costs_)
                if total < fewest:
                    best, fewest = guess, total
        return best


class _Costs(NamedTuple):
    """The costs of guesses, for compiled code."""

    table: npt.NDArray[np.uint8]  #: See :attr:`WordGame.answer_table`.
    secrets: npt.NDArray[np.int64]
    solved: int  #: The code of the answer to the secret itself.
    of_sizes: npt.NDArray[np.int64]  #: The costs of sets of 0, 1, ... words.
    takes_largest: bool  #: The cost of a guess is the largest of its sets' costs, or their sum.
    any_word: bool  #: Whether the pool is all allowed words.


@njit(cache=True)
def _pool_costs(words, costs):
    """Return the guesses to choose from, those that can be the secret first, and their costs."""
    pool = costs.secrets[words]
    if costs.any_word:
        pool = np.concatenate((pool, np.arange(len(costs.table))))
    pool_costs = np.zeros(len(pool), dtype=np.int64)
    sizes = np.zeros(costs.solved + 1, dtype=np.int64)
    for place, guess in enumerate(pool):
        sizes[:] = 0
        answers = costs.table[guess]
        for word in words:
            sizes[answers[word]] += 1
        total = 0
        for size in sizes:
            cost = costs.of_sizes[size]
            total = max(total, cost) if costs.takes_largest else total + cost
        pool_costs[place] = total
    return pool, pool_costs


@njit(cache=True)
def _rollout(guess, words, limit, costs):
    """Return the total number of guesses over all secrets in ``words``, or at least ``limit``.

    The first guess is ``guess``; further guesses are those of the lowest cost.
    """
    answers = costs.table[guess][words]
    total = len(words)
    for code, size in enumerate(np.bincount(answers)[: costs.solved]):
        if total >= limit:
            break
        if size <= 2:
            total += size * (size + 1) // 2
            continue
        left = words[answers == code]
        pool, pool_costs = _pool_costs(left, costs)
        total += _rollout(pool[pool_costs.argmin()], left, limit - total, costs)
    return total
