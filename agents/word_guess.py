"""Agents that guess whole words: by simple rules, at random, or by the best partition."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Guesser, agent_named
from hangman_lab.envs.counter_rng import below, keyed_bits
from hangman_lab.envs.errors import InputError, as_array, check_choice, check_integer
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_guess.rules import NO_WORD, Observation, check_observations
from hangman_lab.envs.word_guess.words import WordGame

_VOWELS = frozenset("aeiou")
# Fixed point, so that equal partitions have exactly equal sums of c * log2(c).
_FIXED_POINT = 2.0**32
# The number of guesses compared by rollouts.
_LOOKAHEAD = 40


class WordGuessAgent(Guesser):
    """Base class of agents that guess words.

    The candidates are the secrets that remain, as indices into ``game_.secrets``, ascending. Games
    with the same history have the same candidates, which are computed once.

    Attributes
    ----------
    game_ : WordGame
    keep_ : ndarray of bool, shape (codes, codes)
        ``[a, b]`` is whether secrets whose answer would be ``b`` remain after the answer ``a``: by
        default only those that are consistent with it.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, game: WordGame) -> Self:
        """Learn the words and the answers; InputError if the agent does not play the variant."""
        if not isinstance(game, WordGame):
            raise InputError(f"game: {game!r} is not a WordGame")
        self.game_ = game
        self.keep_ = np.eye(len(game.answers), dtype=np.bool_)
        return self

    def act(
        self, observations: Observation, keys: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.int64] | int:
        """Return a guess for each game; see :meth:`agents.base.Agent.act`.

        Returns
        -------
        ndarray of int64, shape (N,), or int
            Indices into the allowed list; 0 if no candidate remains.
        """
        return self._act(observations, keys, "num_guesses")

    @property
    def _num_actions(self) -> int:
        return len(self.game_)

    def _check(self, observations: Any) -> Observation:
        return check_observations(observations, self.game_)

    def act_batch(
        self, observations: Observation, keys: npt.NDArray[np.uint64] | None
    ) -> npt.NDArray[np.int64]:
        """Return a guess for each of N games, shape (N,), without checks; see :meth:`act`."""
        made: Any = observations["num_guesses"]
        turns = made.max(initial=0)
        codes = self.game_.encode_answers(observations["answers"][:, :turns])
        played = np.stack([observations["guesses"][:, :turns], codes], axis=2)
        histories, number = np.unique(played, axis=0, return_inverse=True)
        # An agent that does not draw may have no keys.
        bits = keyed_bits(self.seed, made if keys is None else keys, made)
        guesses = np.zeros(len(made), dtype=np.int64)
        for row, history in enumerate(histories):
            candidates = _candidates_after(history, self.game_.answer_table, self.keep_)
            if len(candidates):
                games = np.flatnonzero(number == row)
                name = f"{type(self).__name__}.choose"
                chosen = as_array(name, self.choose(candidates, bits[games]))
                if chosen.shape not in ((), games.shape) or chosen.dtype.kind not in "iu":
                    raise InputError(f"{name}: {chosen!r} is not an index, or one for each game")
                guesses[games] = chosen
        return guesses

    @abstractmethod
    def choose(
        self, candidates: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64] | np.int64:
        """Return the guess of the games with these candidates, as an index into the allowed list.

        ``bits`` has 64 random bits of each game; an agent that draws returns a guess for each.
        """


class RandomConsistentAgent(WordGuessAgent):
    """Samples a word that is consistent with all answers, uniformly."""

    def choose(
        self, candidates: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """Return a random candidate for each game."""
        return self.game_.secrets[candidates[below(bits, len(candidates))]]


class FilterAgent(WordGuessAgent):
    """Eliminates words by each answer of Cats and Dogs, and guesses a remaining word.

    Words without a vowel are guessed first. Within each kind the order is random and is drawn by
    ``fit``. After a guess with C cats and D dogs, the guess is eliminated, and these words remain:

    - for 0 cats and 0 dogs: words without any letter of the guess;
    - if C + D is the word length: permutations of the guess;
    - for any other answer with dogs: words with at least D letters in the places of the guess;
    - for any other answer without dogs: words with at least one letter of the guess.

    The rules keep words that an answer excludes, above all after cats alone, and do not combine
    answers.

    Parameters
    ----------
    seed : int, default 0
        The seed of the order.

    Notes
    -----
    The rules follow the text of the source, with two exceptions. For 0 cats and 0 dogs the text
    eliminates all words; this agent follows the pseudo-code. For every other answer but all
    letters, the pseudo-code uses the last rule, which takes far more guesses than it reports. The
    source is for four letters, and does not order the words.
    """

    def fit(self, game: WordGame) -> Self:
        """Compute the rules and draw the order of the words; InputError for Guess the Word."""
        super().fit(game)
        if not game.variant.has_cats:
            raise InputError("agent 'filter' plays Cats and Dogs alone: its rules need both counts")
        common, dogs = game.answers.sum(axis=1), game.answers[:, 1]
        self.keep_ = np.where(dogs[:, None] >= 1, dogs >= dogs[:, None], common >= 1)
        extreme = (common == 0) | (common == game.word_length)
        self.keep_ = np.where(extreme[:, None], common == common[:, None], self.keep_)
        # The guess itself remains only after the answer that ends the game.
        self.keep_[:, game.solved] = self.keep_[game.solved] = False
        self.keep_[game.solved, game.solved] = True
        words = (game.allowed[secret] for secret in game.secrets)
        has_vowel = np.array([not _VOWELS.isdisjoint(word) for word in words])
        draws = keyed_bits(self.seed, np.arange(len(has_vowel)))
        self.rank_ = np.argsort(np.lexsort((draws, has_vowel)))
        return self

    def choose(self, candidates: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> np.int64:
        """Return the first candidate in the order."""
        return self.game_.secrets[candidates[self.rank_[candidates].argmin()]]


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
        self.cost, self.any_word = cost, any_word
        self.lookahead = check_integer("lookahead", lookahead, 1)

    def fit(self, game: WordGame) -> Self:
        """Compute the answer to every guess about every secret."""
        super().fit(game)
        costs = np.arange(len(game.secrets) + 1)
        if self.cost == "entropy":
            information = costs * np.log2(np.maximum(costs, 1))
            costs = np.rint(information * _FIXED_POINT).astype(np.int64)
        table, others = game.answer_table, np.arange(len(game) if self.any_word else 0)
        is_largest = self.cost == "minimax"
        self.costs_ = _Costs(table, game.secrets, others, game.solved, costs, is_largest)
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


# Each factory takes the seed of the agent's random draws.
WORD_GUESS_AGENTS: dict[str, Callable[[int], WordGuessAgent]] = {
    "filter": lambda seed: FilterAgent(seed=seed),
    "minimax": lambda seed: PartitionAgent("minimax", lookahead=_LOOKAHEAD),
    "minimax-greedy": lambda seed: PartitionAgent("minimax"),
    "minimax-all": lambda seed: PartitionAgent("minimax", any_word=True),
    "entropy": lambda seed: PartitionAgent("entropy", lookahead=_LOOKAHEAD),
    "entropy-greedy": lambda seed: PartitionAgent("entropy"),
    "entropy-all": lambda seed: PartitionAgent("entropy", any_word=True),
    "random-consistent": lambda seed: RandomConsistentAgent(seed),
}


def make_word_guess_agent(name: str, seed: int = 0) -> WordGuessAgent:
    """Return a new agent by name, not fitted yet; raise InputError if the name is unknown."""
    return agent_named(WORD_GUESS_AGENTS, name, "those that guess words", seed)


@njit
def _candidates_after(history, table, keep):
    """Return the secrets that remain after a history of guesses, -1 for none, and answer codes."""
    candidates = np.arange(table.shape[1])
    for guess, code in history:
        if guess != NO_WORD:
            candidates = candidates[keep[code][table[guess][candidates]]]
    return candidates


class _Costs(NamedTuple):
    """The costs of guesses, for compiled code."""

    table: npt.NDArray[np.uint8]  #: See :attr:`WordGame.answer_table`.
    secrets: npt.NDArray[np.int64]
    others: npt.NDArray[np.int64]  #: Guesses beside the words that can be the secret.
    solved: int  #: The code of the answer to the secret itself.
    of_sizes: npt.NDArray[np.int64]  #: The costs of sets of 0, 1, ... words.
    is_largest: bool  #: The cost of a guess is the largest of its sets' costs, or their sum.


@njit
def _pool_costs(words, costs):
    """Return the guesses to choose from, those that can be the secret first, and their costs."""
    pool = np.concatenate((costs.secrets[words], costs.others))
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
            total = max(total, cost) if costs.is_largest else total + cost
        pool_costs[place] = total
    return pool, pool_costs


@njit
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
