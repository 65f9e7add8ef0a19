"""The base class of agents that guess whole words, and their candidate sets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Guesser
from hangman_lab.envs.encoding import NUM_CODES, as_words, encode_words
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.keyed_random import below, keyed_bits
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_guess.answers import AnswerRule
from hangman_lab.envs.word_guess.rules import NO_WORD, Observation, check_observations


class CandidateSets(NamedTuple):
    """Sets of secret words, concatenated."""

    #: shape (sets + 1,): Set ``i`` is ``members[offsets[i]:offsets[i + 1]]``.
    offsets: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]  #: Indices into the secret words, ascending within a set.

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of words in each set."""
        return np.diff(self.offsets)


class Positions(NamedTuple):
    """The positions of G games."""

    set_of_game: npt.NDArray[np.int64]  #: shape (G,): The candidate set of each game, not empty.
    keys: npt.NDArray[np.uint64]  #: shape (G,): See :meth:`WordGuessAgent.act`.
    turns: npt.NDArray[np.int64]  #: shape (G,): The number of guesses made.


class WordGuessAgent(Guesser):
    """Base class of agents that guess words.

    Games with the same history share the computation: a batch of all secrets traverses the agent's
    decision tree once.

    Attributes
    ----------
    rule_ : AnswerRule
    matrix_ : ndarray of uint8, shape (allowed words, secret words)
        The code of the answer to each guess about each secret.
    secrets_ : ndarray of int64, shape (secret words,)
        The secret words as indices into the allowed list.
    """

    def fit(
        self, words: Sequence[str], rule: AnswerRule, allowed: Sequence[str] | None = None
    ) -> Self:
        """Compute the answer of every guess about every secret.

        Parameters
        ----------
        words : sequence of str
            The possible secrets: distinct words of ``rule.word_length`` letters.
        rule : AnswerRule
        allowed : sequence of str, optional
            The allowed guesses, in the order of the environment's ``allowed``; they include
            ``words``, which is the default.

        Raises
        ------
        InputError
            If a secret is not allowed, or the agent does not support the rule.
        """
        words = as_words("words", words)
        allowed = words if allowed is None else as_words("allowed", allowed)
        index = {word: position for position, word in enumerate(allowed)}
        missing = [word for word in words if word not in index]
        if missing:
            raise InputError(f"the secret {missing[0]!r} is not in the allowed list")
        self.rule_ = rule
        self.secrets_ = np.array([index[word] for word in words], dtype=np.int64)
        codes = encode_words(allowed, rule.word_length).codes
        self.matrix_ = answer_matrix(codes, codes[self.secrets_], rule.count_misplaced)
        self.keep_ = self.answers_kept(rule)
        return self

    def answers_kept(self, rule: AnswerRule) -> npt.NDArray[np.bool_]:
        """Return which words remain after an answer, shape (codes, codes).

        ``[a, b]`` is whether words whose answer would be ``b`` remain candidates after the answer
        ``a``. By default only consistent words do: the result is the identity.
        """
        return np.eye(rule.num_codes, dtype=np.bool_)

    def act(
        self, observations: Observation, keys: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.int64] | int:
        """Return a guess for each game; the parameters are those of :meth:`agents.base.Agent.act`.

        Returns
        -------
        ndarray of int64, shape (N,), or int
            Indices into the allowed list; 0 if no candidate remains.

        Raises
        ------
        InputError
            If the observations or the keys are invalid.
        NotFittedError
            If the agent was not fitted.
        """
        return self._act(observations, keys, "num_guesses")

    def _check(self, observations: Any) -> Observation:
        return check_observations(observations, self.rule_, len(self.matrix_))

    def act_batch(
        self, observations: Observation, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return a guess for each of N games, shape (N,), without checks; see :meth:`act`."""
        turns = observations["num_guesses"]
        # Agents that do not draw have no use for them.
        keys = np.zeros(len(turns), dtype=np.uint64) if keys is None else keys
        # The guess and the code of its answer in each turn, shape (N, turns, 2).
        guessed = observations["guesses"][:, : turns.max(initial=0)]
        codes = self.rule_.encode(observations["answers"][:, : guessed.shape[1]])
        played = np.stack([guessed, codes], axis=2).astype(np.int32)
        histories, history = np.unique(played, axis=0, return_inverse=True)
        guesses = np.zeros(len(turns), dtype=np.int64)
        sets = candidate_sets(histories, self.matrix_, self.keep_)
        rows = np.flatnonzero(sets.sizes[history])
        guesses[rows] = self.choose(sets, Positions(history[rows], keys[rows], turns[rows]))
        return guesses

    @abstractmethod
    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Return a guess for each of G games as an index into the allowed list, shape (G,)."""


class RandomConsistentAgent(WordGuessAgent):
    """Samples a word that is consistent with all answers, uniformly."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Return a random candidate of each game."""
        set_of_game, keys, turns = positions
        draws = below(keyed_bits(self.seed, keys, turns), sets.sizes[set_of_game])
        return self.secrets_[sets.members[sets.offsets[set_of_game] + draws]]


@njit(cache=True)
def candidate_sets(histories, matrix, keep):
    """Return the :class:`CandidateSets` of histories, int32 of shape (H, turns, 2).

    A turn is the index of the guess, -1 for none, and the code of its answer. The common prefix of
    adjacent histories is processed once, so that sorted histories are traversed like a decision
    tree. ``keep`` is from :meth:`WordGuessAgent.answers_kept`.
    """
    num_histories, turns, _ = histories.shape
    num_secrets = matrix.shape[1]
    # The candidates after each turn of the current history.
    left = np.empty((turns + 1, num_secrets), dtype=np.int32)
    sizes = np.zeros(turns + 1, dtype=np.int64)
    sizes[0] = num_secrets
    left[0] = np.arange(num_secrets)
    offsets = np.zeros(num_histories + 1, dtype=np.int64)
    members = np.empty(num_histories * num_secrets, dtype=np.int32)
    for row in range(num_histories):
        shared = 0
        if row > 0:
            while shared < turns and (histories[row, shared] == histories[row - 1, shared]).all():
                shared += 1
        for turn in range(shared, turns):
            guess, code = histories[row, turn, 0], histories[row, turn, 1]
            size = 0
            for secret in left[turn, : sizes[turn]]:
                if guess == NO_WORD or keep[code, matrix[guess, secret]]:
                    left[turn + 1, size] = secret
                    size += 1
            sizes[turn + 1] = size
        offsets[row + 1] = offsets[row] + sizes[turns]
        members[offsets[row] : offsets[row + 1]] = left[turns, : sizes[turns]]
    return CandidateSets(offsets, members[: offsets[num_histories]].copy())


@njit(cache=True)
def answer_matrix(guesses, secrets, count_misplaced):
    """Return the code of the answer to every guess about every secret; uint8, shape (G, S).

    Guesses have the shape (G, word_length), secrets (S, word_length); ``count_misplaced`` is that
    of :class:`envs.word_guess.answers.AnswerRule`. Memory: one byte per pair.
    """
    matrix = np.empty((len(guesses), len(secrets)), dtype=np.uint8)
    left = np.zeros(NUM_CODES, dtype=np.int64)
    for row, guess in enumerate(guesses):
        for letter in guess:
            left[letter] += 1
        for column, secret in enumerate(secrets):
            common = dogs = 0
            for place, letter in enumerate(secret):
                dogs += guess[place] == letter
                common += left[letter] > 0
                left[letter] -= 1
            for letter in secret:
                left[letter] += 1
            matrix[row, column] = common * (common + 1) // 2 + dogs if count_misplaced else dogs
        left[:] = 0
    return matrix
