"""The base class of agents that guess whole words."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Guesser
from hangman_lab.envs.keyed_random import below, keyed_bits
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_guess.rules import NO_WORD, Observation, check_observations
from hangman_lab.envs.word_guess.words import WordGame


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

    def fit(self, game: WordGame) -> Self:
        """Learn the words and the answers; InputError if the agent does not play the variant."""
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
        bits = keyed_bits(self.seed, cast(Any, keys), made)
        guesses = np.zeros(len(made), dtype=np.int64)
        for row, history in enumerate(histories):
            candidates = _candidates_after(history, self.game_.answer_table, self.keep_)
            if len(candidates):
                games = np.flatnonzero(number == row)
                guesses[games] = self.choose(candidates, bits[games])
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

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(
        self, candidates: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """Return a random candidate for each game."""
        return self.game_.secrets[candidates[below(bits, len(candidates))]]


@njit(cache=True)
def _candidates_after(history, table, keep):
    """Return the secrets that remain after a history of guesses, -1 for none, and answer codes."""
    candidates = np.arange(table.shape[1])
    for guess, code in history:
        if guess != NO_WORD:
            candidates = candidates[keep[code][table[guess][candidates]]]
    return candidates
