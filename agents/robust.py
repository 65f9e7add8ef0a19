"""A guesser for a host who picks the word: a mixture of planned strategies, for each length.

The host's mixed strategy is a softmax over words, trained by multiplicative weights against
approximate best responses; the guesser's is the best mixture of these, by linear programming.

References
----------
Y. Freund and R. E. Schapire, "Adaptive game playing using multiplicative weights", Games and
Economic Behavior 29 (1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt
from numba import get_num_threads, types
from numba.typed import Dict

from hangman_lab.agents.minimax import (
    CandidateSearchAgent,
    SearchTables,
    count_letters,
    group_families,
)
from hangman_lab.envs.counter_rng import keyed_uniform
from hangman_lab.envs.errors import check_integer
from hangman_lab.envs.numba_cache import njit

DEFAULT_ROUNDS = 256
_LIVES = 6  # The wrong guesses that lose, by default.
_WIDTH = 2  # The letters that a strategy compares at each turn.
_WEIGHT_SCALE = 1 << 40  # Weights are integers: sums do not depend on the order of the words.
# The search leaves out words with at most 1 / 4,096 of the weight of those that match.
_MIN_PART = 4096
_NUM_HARDEST = 4096  # The mixture is solved on the words that are lost most often.
_RESULT = types.UniTuple(types.int64, 2)


class Solution(NamedTuple):
    """The solution of the game for the words of a length, with the S strategies of the guesser."""

    mixture: npt.NDArray[np.float64]  #: shape (S,): The guesser's probability of each strategy.
    wins: npt.NDArray[np.uint16]  #: shape (S, words): Wins in earlier rounds, less the fewest.
    weights: npt.NDArray[np.int64]  #: shape (rounds,): A word's weight in a response, by its wins.
    win_rates: npt.NDArray[np.float64]  #: shape (words,): How often the mixture wins each word.
    host: npt.NDArray[np.float64]  #: shape (words,): The host's average probability of each word.


def solve(words: SearchTables, rounds: int = DEFAULT_ROUNDS, lives: int = _LIVES) -> Solution:
    """Play the rounds of host and guesser on the words of a length; return both strategies.

    In each round, the host's weights are ``exp(-eta * wins)`` by the guesser's wins so far, and the
    guesser plays :func:`best_response`. The host's average counts later rounds more, linearly.
    """
    size = len(words.keys)
    eta = np.sqrt(np.log(max(size, 2)) / rounds)
    weights = 1 + (_WEIGHT_SCALE * np.exp(-eta * np.arange(rounds))).astype(np.int64)
    wins, won = np.zeros((2, rounds, size), dtype=np.uint16)
    total, host = np.zeros(size, dtype=np.int64), np.zeros(size)
    for number in range(rounds):
        wins[number] = total - total.min()
        words = words._replace(weights=weights[wins[number]])
        won[number] = best_response(words, _WIDTH, lives)
        total += won[number]
        host += (number + 1) * words.weights / words.weights.sum()
        if won[number].all():
            break
    mixture = best_mixture(won[:, np.argsort(total, kind="stable")[:_NUM_HARDEST]])
    kept = mixture > 0
    return Solution(mixture[kept], wins[kept], weights, mixture @ won, host / host.sum())


def best_mixture(won: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return probabilities of strategies that maximize the win rate of the worst word.

    ``won``, shape (strategies, words), is 0 or 1.
    """
    # The last variable is the win rate to maximize, which no word's may be less than.
    limits = np.column_stack([-won.T.astype(np.float64), np.ones(won.shape[1])])
    sums = np.append(np.ones(len(won)), 0)
    costs = np.append(np.zeros(len(won)), -1)
    # Takes memory and time to import, which no other agent needs.
    from scipy.optimize import linprog

    return linprog(costs, limits, np.zeros(won.shape[1]), sums[None], 1).x[:-1]


def best_response(
    words: SearchTables, width: int, lives: int = _LIVES, min_part: int = _MIN_PART
) -> npt.NDArray[np.bool_]:
    """Return whether the response to the host's weights wins each word, shape (words,).

    At each turn, the words with more than 1 / ``min_part`` of the weight are searched to the end
    over the ``width`` letters that most weight contains; 1 is greedy play.
    """
    won = np.zeros(len(words.keys), dtype=np.bool_)
    values = Dict.empty(types.int64, _RESULT)
    _play(np.arange(len(won)), lives, width, min_part, words, won, values)
    return won


class RobustAgent(CandidateSearchAgent):
    """Draws one of many strategies for each game, so that no word is hard for certain.

    A strategy is the response to the host in a round of :func:`solve`. The draw depends on the seed
    and the game's key, which must be the same at every turn: without ``keys``, :meth:`act` draws a
    strategy at each turn.

    Parameters
    ----------
    seed : int, default 0
        The seed of the draws.
    rounds : int, default 256
        The rounds for each length.
    """

    draws = True

    def __init__(self, seed: int = 0, rounds: int = DEFAULT_ROUNDS) -> None:
        super().__init__(seed)
        self.rounds = check_integer("rounds", rounds, 1)

    def fit(self, words: Sequence[str]) -> Self:
        """Solve the game of each length, in threads; duplicates have no effect."""
        super().fit(words)
        lengths = np.flatnonzero(self.index_.sizes()).tolist()
        with ThreadPoolExecutor(get_num_threads()) as pool:
            solutions = pool.map(lambda n: solve(self._words_of(n), self.rounds), lengths)
            self.solutions_ = dict(zip(lengths, solutions, strict=True))
        return self

    def _words_of(self, length: int) -> SearchTables:
        part = slice(*self.index_.first_word[length : length + 2])
        return SearchTables._make(array[part] for array in self.tables_)

    def _draw(
        self, words: npt.NDArray[np.uint8], keys: npt.NDArray[np.uint64] | None
    ) -> npt.NDArray[np.int64]:
        lengths = (words > 0).sum(axis=1)
        draws, drawn = keyed_uniform(self.seed, cast(Any, keys)), np.zeros(len(lengths), np.int64)
        for length, solution in self.solutions_.items():
            ends, games = solution.mixture[:-1].cumsum(), lengths == length
            drawn[games] = np.searchsorted(ends, draws[games], side="right")
        return drawn

    def _choose(self, rows: npt.NDArray[np.int64], lives: int, strategy: int) -> int:
        length = int(np.searchsorted(self.index_.first_word, rows[0], side="right")) - 1
        solution, words = self.solutions_[length], self._words_of(length)
        words = words._replace(weights=solution.weights[solution.wins[strategy]])
        rows -= self.index_.first_word[length]
        return _best_letter(rows, lives, _WIDTH, _MIN_PART, words, Dict.empty(types.int64, _RESULT))


@njit
def _play(rows, lives, width, min_part, words, won, values):
    """Write to ``won`` which of ``rows``, which are reordered, the response wins."""
    if len(rows) <= lives:
        won[rows] = True
    elif lives > 0:
        letter = _best_letter(rows, lives, width, min_part, words, values)
        ends = group_families(rows, words.places[rows, letter])
        for k in range(len(ends) - 1):
            family = rows[ends[k] : ends[k + 1]]
            left = lives - (words.places[family[0], letter] == 0)
            _play(family, left, width, min_part, words, won, values)


@njit
def _best_letter(rows, lives, width, min_part, words, values):
    """Return the response's letter for ``rows``, two or more matching words."""
    counts, total = count_letters(rows, words)
    letter = counts.argmax()
    # A letter in all words costs nothing, and few words are all won.
    if counts[letter] < total and len(rows) > lives:
        heavy = rows[words.weights[rows] > total // min_part]
        if len(heavy) > lives:
            letter = search(heavy, lives, width, words, values)[1]
    return letter


@njit
def search(rows, lives, width, words, values):
    """Return the most weight of ``rows`` that a searched letter wins, and this letter.

    The ``width`` letters that most weight contains are searched to the end. ``rows`` are reordered.
    ``values`` caches the results by lives and set of words.
    """
    # Every miss with a letter of some word excludes a word.
    if len(rows) <= lives:
        return words.weights[rows].sum(), 0
    key = lives + words.keys[rows].sum()
    if key in values:
        return values[key]
    counts, total = count_letters(rows, words)
    most, best = 0, 0
    for _ in range(width):
        letter = counts.argmax()
        # An upper bound, which decreases as branches lose words.
        won = counts[letter] if lives == 1 else total
        if counts[letter] == 0 or won <= most:
            break
        ends = group_families(rows, words.places[rows, letter])
        for k in range(len(ends) - 1):
            family = rows[ends[k] : ends[k + 1]]
            left = lives - (words.places[family[0], letter] == 0)
            if len(family) > left > 0:
                reached = search(family, left, width, words, values)[0]
                won += reached - words.weights[family].sum()
            if won <= most:
                break
        if won > most:
            most, best = won, letter
        # A letter in all words costs nothing.
        if counts[letter] == total or most == total:
            break
        counts[letter] = 0
    values[key] = most, best
    return most, best
