"""Agents that guess whole words: by simple rules, at random, or by the best partition."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.counter_rng import below, keyed_bits
from hangman_lab.envs.errors import InputError, check_integer
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_guess.rules import WordGame

_VOWELS = frozenset("aeiou")
# Fixed point, so that equal partitions have exactly equal sums of c * log2(c).
_FIXED_POINT = 2.0**32
# The number of guesses compared by rollouts.
_LOOKAHEAD = 40


class WordGuessAgent(ABC):
    """Base class of agents that guess words of one game.

    The candidates are the secrets that remain, as indices into ``game.secrets``, ascending. Games
    with the same guesses and answers have the same candidates. InputError if ``seed`` is negative,
    or no integer of 63 bits.
    """

    def __init__(self, game: WordGame, seed: int = 0) -> None:
        self.game = game
        self.seed = check_integer("seed", seed, 0, 2**63 - 1)
        # Whether secrets whose answer would be b remain after the answer a, at [a, b].
        self._keep = np.eye(len(game.answers), dtype=np.bool_)

    def act(self, observation: Mapping[str, Any], key: int = 0) -> int:
        """Return a guess, an index into the allowed list, for an observation of the environment.

        A random draw depends on the agent's seed, ``key``, 0 or more, and the turn. After the end
        of a won game it is the secret. InputError if it is not an observation of this game, or no
        candidate remains.
        """
        check_integer("key", key, 0, 2**64 - 1)
        game, candidates = self.game, np.arange(len(self.game.secrets))
        codes = {tuple(answer): code for code, answer in enumerate(game.answers.tolist())}
        try:
            turn = check_integer("num_guesses", observation["num_guesses"], 0, game.max_guesses)
            made = zip(observation["guesses"][:turn], observation["answers"][:turn], strict=True)
            for guess, answer in made:
                index = check_integer("guesses", guess, 0, len(game.allowed) - 1)
                if codes[tuple(answer)] == game.solved:
                    return index
                candidates = self.filter(candidates, index, codes[tuple(answer)])
        except (LookupError, TypeError, ValueError) as error:
            raise InputError(f"observation: not one of this game ({error})") from error
        if not len(candidates):
            raise InputError("observation: no secret word has these answers")
        return int(np.ravel(self.choose(candidates, keyed_bits(self.seed, [key], turn)))[0])

    def filter(
        self, candidates: npt.NDArray[np.int64], guess: int, code: int
    ) -> npt.NDArray[np.int64]:
        """Return the candidates that remain after a guess whose answer has this code."""
        return candidates[self._keep[code, self.game.answer_table[guess, candidates]]]

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
        return self.game.secrets[candidates[below(bits, len(candidates))]]


class FilterAgent(WordGuessAgent):
    """Eliminates words by each answer of Cats and Dogs, and guesses a remaining word.

    Words without a vowel are guessed first. Within each kind the order is random, by the seed.
    After a guess with C cats and D dogs, the guess is eliminated, and these words remain:

    - for 0 cats and 0 dogs: words without any letter of the guess;
    - if C + D is the word length: permutations of the guess;
    - for any other answer with dogs: words with at least D letters in the places of the guess;
    - for any other answer without dogs: words with at least one letter of the guess.

    The rules keep words that an answer excludes, above all after cats alone. They are those of the
    text of the source, but for 0 cats and 0 dogs those of its pseudo-code. The source is for four
    letters, and does not order the words. InputError for Guess the Word.
    """

    def __init__(self, game: WordGame, seed: int = 0) -> None:
        super().__init__(game, seed)
        if not game.has_cats:
            raise InputError("agent 'filter' plays Cats and Dogs alone: its rules need both counts")
        common, dogs = game.answers.sum(axis=1), game.answers[:, 1]
        keep = np.where(dogs[:, None] >= 1, dogs >= dogs[:, None], common >= 1)
        extreme = (common == 0) | (common == game.word_length)
        self._keep = np.where(extreme[:, None], common == common[:, None], keep)
        # The answer of the guess itself.
        self._keep[:, game.solved] = False
        words = (game.allowed[secret] for secret in game.secrets)
        has_vowel = np.array([not _VOWELS.isdisjoint(word) for word in words])
        draws = keyed_bits(seed, np.arange(len(has_vowel)))
        self._rank = np.argsort(np.lexsort((draws, has_vowel)))

    def choose(self, candidates: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> np.int64:
        """Return the first candidate in the order."""
        return self.game.secrets[candidates[self._rank[candidates].argmin()]]


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

    References
    ----------
    Minimax: D. E. Knuth, "The computer as Master Mind", Journal of Recreational Mathematics 9
    (1976). Entropy: E. Neuwirth, "Some strategies for Mastermind", Zeitschrift für Operations
    Research 26 (1982). Rollouts: G. Tesauro and G. Galperin, "On-line policy improvement using
    Monte-Carlo search", NeurIPS 1996; they sample games.
    """

    def __init__(
        self,
        game: WordGame,
        seed: int = 0,
        *,
        cost: Literal["minimax", "entropy"],
        any_word: bool = False,
        lookahead: int = 1,
    ) -> None:
        super().__init__(game, seed)
        self.lookahead = lookahead
        costs = np.arange(len(game.secrets) + 1)
        if cost == "entropy":
            information = costs * np.log2(np.maximum(costs, 1))
            costs = np.rint(information * _FIXED_POINT).astype(np.int64)
        table, others = game.answer_table, np.arange(len(game.allowed) if any_word else 0)
        is_largest = cost == "minimax"
        self._costs = _Costs(table, game.secrets, others, game.solved, costs, is_largest)

    def choose(self, candidates: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> np.int64:
        """Return the best guess."""
        # With one or two words left, guessing the first word is optimal.
        if len(candidates) <= 2:
            return self.game.secrets[candidates[0]]
        pool, pool_costs = _pool_costs(candidates, self._costs)
        best, fewest = pool[pool_costs.argmin()], np.iinfo(np.int64).max
        if self.lookahead > 1:
            for guess in pool[np.argsort(pool_costs, kind="stable")[: self.lookahead]]:
                total = _rollout(guess, candidates, fewest, self._costs)
                if total < fewest:
                    best, fewest = guess, total
        return best


WORD_GUESS_AGENTS: dict[str, Callable[[WordGame, int], WordGuessAgent]] = {
    "filter": FilterAgent,
    "minimax": partial(PartitionAgent, cost="minimax", lookahead=_LOOKAHEAD),
    "minimax-greedy": partial(PartitionAgent, cost="minimax"),
    "minimax-all": partial(PartitionAgent, cost="minimax", any_word=True),
    "entropy": partial(PartitionAgent, cost="entropy", lookahead=_LOOKAHEAD),
    "entropy-greedy": partial(PartitionAgent, cost="entropy"),
    "entropy-all": partial(PartitionAgent, cost="entropy", any_word=True),
    "random-consistent": RandomConsistentAgent,
}


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
            # One word takes one guess, two words take one and two.
            total += size * (size + 1) // 2
            continue
        left = words[answers == code]
        pool, pool_costs = _pool_costs(left, costs)
        total += _rollout(pool[pool_costs.argmin()], left, limit - total, costs)
    return total
