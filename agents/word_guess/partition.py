"""Guessing the word whose answers divide the words that are left best."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.word_guess.base import WordGuessAgent
from agents.word_guess.candidates import CandidateSets

POOLS = ("consistent", "all")

# Sums of c * log2(c) are kept in units of 2**-32, so that equal divisions have equal costs.
_FIXED_POINT = 2.0**32


class PartitionAgent(WordGuessAgent):
    """An agent that gives each guess a cost by the sizes of the sets that its answers leave.

    Among guesses of the same cost it takes one that may be the secret, and the first in the list.

    Parameters
    ----------
    pool : {"consistent", "all"}
        Guess words that may be the secret, or any word of the allowed list.

    Raises
    ------
    ValueError
        If ``pool`` is neither of the two.
    """

    def __init__(self, pool: str = "consistent") -> None:
        if pool not in POOLS:
            raise ValueError(f"pool: {pool!r} is not one of {POOLS}")
        self.pool = pool

    @abstractmethod
    def set_costs(self, num_words: int) -> npt.NDArray[np.int64]:
        """Return what a set of 0, 1, ... ``num_words`` words costs."""

    #: Whether the cost of a guess is that of its most expensive set, or of all its sets together.
    takes_worst: bool

    def choose(
        self,
        sets: CandidateSets,
        set_of_game: npt.NDArray[np.int64],
        games: npt.NDArray[np.uint64],
        turns: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        """Return the guess of the lowest cost for each game."""
        guesses = _best_guesses(
            sets.offsets,
            sets.members,
            self.matrix_,
            self.secrets_,
            self.set_costs(int(sets.sizes.max())),
            self.rule_.num_codes,
            self.takes_worst,
            self.pool == "all",
        )
        return guesses[set_of_game]


class MinimaxAgent(PartitionAgent):
    """Takes the guess whose worst answer leaves the fewest words.

    The answer to the secret itself leaves none.

    Parameters
    ----------
    pool : {"consistent", "all"}

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

    Parameters
    ----------
    pool : {"consistent", "all"}

    References
    ----------
    E. Neuwirth, "Some strategies for Mastermind", Zeitschrift für Operations Research 26 (1982).
    """

    takes_worst = False

    def set_costs(self, num_words: int) -> npt.NDArray[np.int64]:
        """Return ``c * log2(c)`` in fixed point."""
        sizes = np.arange(num_words + 1, dtype=np.float64)
        return np.rint(sizes * np.log2(np.maximum(sizes, 1)) * _FIXED_POINT).astype(np.int64)


@njit(cache=True)
def _guess_cost(answers, words, costs, counts, takes_worst):  # noqa: ANN001, ANN202 - compiled
    counts[:] = 0
    for number in range(len(words)):
        counts[answers[words[number]]] += 1
    # The last code is that of the secret, which ends the game: one word at most, at no cost.
    cost = 0
    for code in range(len(counts) - 1):
        if takes_worst:
            cost = max(cost, costs[counts[code]])
        else:
            cost += costs[counts[code]]
    return cost


@njit(cache=True)
def _best_guesses(offsets, members, matrix, secrets, costs, num_codes, takes_worst, any_word):  # noqa: ANN001, ANN202
    num_sets = len(offsets) - 1
    guesses = np.zeros(num_sets, dtype=np.int64)
    counts = np.zeros(num_codes, dtype=np.int64)
    for number in range(num_sets):
        words = members[offsets[number] : offsets[number + 1]]
        if len(words) == 0:
            continue
        guesses[number] = secrets[words[0]]
        if len(words) <= 2:
            continue
        best = np.iinfo(np.int64).max
        for word in words:
            guess = secrets[word]
            cost = _guess_cost(matrix[guess], words, costs, counts, takes_worst)
            if cost < best:
                best = cost
                guesses[number] = guess
        if any_word:
            for guess in range(len(matrix)):
                cost = _guess_cost(matrix[guess], words, costs, counts, takes_worst)
                if cost < best:
                    best = cost
                    guesses[number] = guess
    return guesses
