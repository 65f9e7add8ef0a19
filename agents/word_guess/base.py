"""The interface of agents that guess whole words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from agents.word_guess.candidates import NO_GUESS, CandidateSets, candidate_sets
from envs.encoding import encode_words
from envs.errors import InputError
from envs.word_guess.answers import AnswerRule
from envs.word_guess.observation import Observation

# Bounds the memory for candidate sets: 512 of 10,000 words take 20 MB.
_HISTORIES_AT_ONCE = 512


class Positions(NamedTuple):
    """What tells G games apart in which a word is to be guessed."""

    #: shape (G,): The set of the words that are left in each game; it is not empty.
    set_of_game: npt.NDArray[np.int64]
    games: npt.NDArray[np.uint64]  #: shape (G,): As :meth:`WordGuessAgent.act` has them.
    turns: npt.NDArray[np.int64]  #: shape (G,): The guesses that each game has made.


class WordGuessAgent(ABC):
    """Guesses words from observations alone, in batches, as :class:`agents.base.Agent` does.

    Games of a batch with the same history share the computation, so that a batch of all secrets is
    one walk through the agent's decision tree.

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
            The words that may be the secret, each once, all of ``rule.word_length`` letters.
        rule : AnswerRule
        allowed : sequence of str, optional
            The words that may be guessed, in the order of the environment's ``allowed``; they
            include ``words``. ``words`` if not given.

        Raises
        ------
        InputError
            If a secret is not allowed, or the agent does not play by the rule.
        """
        allowed = words if allowed is None else allowed
        index = {word: position for position, word in enumerate(allowed)}
        missing = [word for word in words if word not in index]
        if missing:
            raise InputError(f"the secret {missing[0]!r} is not in the allowed list")
        self.rule_ = rule
        self.secrets_ = np.array([index[word] for word in words], dtype=np.int64)
        codes = encode_words(allowed, rule.word_length).codes
        self.matrix_ = rule.answer_matrix(codes, codes[self.secrets_])
        self.keep_ = self.answers_kept(rule)
        return self

    def answers_kept(self, rule: AnswerRule) -> npt.NDArray[np.bool_]:
        """Return which words an answer leaves, shape (codes, codes).

        Row ``a`` says for each code ``b`` whether words that would have had the answer ``b`` are
        left after the answer ``a``. By default those that are consistent: ``b`` is ``a``.
        """
        return np.eye(rule.num_codes, dtype=np.bool_)

    def act(
        self, observations: Observation, games: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Guess one word in each game; parameters are those of :meth:`agents.base.Agent.act`.

        Returns
        -------
        ndarray of int64, shape (N,)
            Indices into the allowed list; 0 where the answers leave no word.
        """
        turns = observations["num_guesses"]
        if games is None:
            games = np.arange(len(turns), dtype=np.uint64)
        histories, history = np.unique(self._histories(observations), axis=0, return_inverse=True)
        guesses = np.zeros(len(turns), dtype=np.int64)
        by_history = np.argsort(history, kind="stable")
        bounds = np.searchsorted(history[by_history], np.arange(len(histories) + 1))
        for first in range(0, len(histories), _HISTORIES_AT_ONCE):
            last = min(first + _HISTORIES_AT_ONCE, len(histories))
            sets = candidate_sets(histories[first:last], self.matrix_, self.keep_)
            rows = by_history[bounds[first] : bounds[last]]
            rows = rows[sets.sizes[history[rows] - first] > 0]
            positions = Positions(history[rows] - first, games[rows], turns[rows])
            guesses[rows] = self.choose(sets, positions)
        return guesses

    @abstractmethod
    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Return a guess for each of G games, an index into the allowed list.

        ``sets`` are the words that are left of each history.
        """

    def _histories(self, observations: Observation) -> npt.NDArray[np.int32]:
        """Return guess, answer, guess, answer... of each game, as far as the longest goes."""
        turns = int(observations["num_guesses"].max(initial=0))
        guesses = observations["guesses"][:, :turns]
        codes = self.rule_.encode(observations["answers"][:, :turns])
        histories = np.empty((len(guesses), 2 * turns), dtype=np.int32)
        histories[:, 0::2] = guesses
        histories[:, 1::2] = np.where(guesses == NO_GUESS, 0, codes)
        return histories
