"""The interface of agents that guess letters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast, overload

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.counter_rng import keyed_uniform
from hangman_lab.envs.errors import InputError, as_array, check_integer, check_numbers
from hangman_lab.envs.hangman.observation import (
    Observation,
    Observations,
    as_batch,
    unique_observations,
)


class NotFittedError(InputError, AttributeError):
    """An agent is used before :meth:`Agent.fit`."""


class Agent:
    """Base class of agents, which score letters and guess the best one, or sample by score.

    A subclass implements :meth:`letter_scores`, or :meth:`act_batch`. An agent keeps nothing
    between calls but what was fitted, and a generator for calls of :meth:`act` without ``keys``.
    With keys, its guesses do not depend on batch size or order.

    Parameters
    ----------
    seed : int, default 0
        The seed of random draws, from 0; InputError for another value.

    Attributes
    ----------
    draws : bool
        Whether letters are sampled with probability proportional to their scores.
    uses_lives : bool
        Whether the letters may depend on ``observations["lives"]``. If not, states that differ in
        lives alone are computed once.
    tolerance : float
        Scores at most this far below the highest one are ties with it.
    """

    draws: bool = False
    uses_lives: bool = True
    tolerance: float = 0.0
    seed: int = 0

    def __init__(self, seed: int = 0) -> None:
        self.seed = check_integer("seed", seed, 0, 2**63 - 1)

    def __getattr__(self, name: str) -> Any:
        # Called for missing attributes alone.
        if name.endswith("_") and not name.startswith("_"):
            raise NotFittedError(f"{type(self).__name__} is not fitted; call fit first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @cached_property
    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def fit(self, words: Sequence[str]) -> Self:
        """Learn from the words of the train split and return the agent.

        Parameters
        ----------
        words : sequence of str
            Lower-case words, letters a to z.
        """
        return self

    def save(self, folder: Path) -> None:
        """Write the files that :meth:`load` reads to a folder; for agents of training runs."""
        raise NotImplementedError(f"{type(self).__name__} has no save")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return the agent whose files are in a folder, that of a training run."""
        raise NotImplementedError(f"{cls.__name__} has no load")

    @overload
    def act(self, observations: Observation, keys: npt.ArrayLike | None = None) -> int: ...
    @overload
    def act(
        self, observations: Observations, keys: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.int64]: ...
    def act(
        self, observations: Observation | Observations, keys: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.int64] | int:
        """Return a letter for each game of a batch, or for a single game.

        Parameters
        ----------
        observations : Observations or Observation
            Those of N games, or the observation of the single environment.
        keys : array_like of int, shape (N,), optional
            A key per game. A random draw depends on the agent's seed, this key and the turn. By
            default keys are drawn, so that games differ from one another.

        Returns
        -------
        ndarray of int64, shape (N,), or int
            Unguessed letters, 0 to 25; 0 if all letters have been guessed.

        Raises
        ------
        InputError
            If the observations or the keys are invalid.
        NotFittedError
            If the agent was not fitted.
        """
        batch, is_single = as_batch(observations)
        num_games = len(batch["lives"])
        if keys is None and self.draws:
            keys = self._generator.integers(2**64, size=num_games, dtype=np.uint64)
        elif keys is not None:
            keys = np.atleast_1d(as_array("keys", keys))
            if keys.shape != (num_games,) or keys.dtype.kind not in "iu":
                raise InputError(f"keys: {keys!r} is not an array of {num_games} integers")
            keys = keys.astype(np.uint64, copy=False)
        name = f"{type(self).__name__}.act_batch"
        letters = check_numbers(name, self.act_batch(batch, keys), (num_games,)).astype(np.int64)
        return int(letters[0]) if is_single else letters

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return letter scores, shape (N, 26), without checks; those of guessed letters are unused.

        They are not negative where the agent ``draws``.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither letter_scores nor act_batch")

    def act_batch(
        self, observations: Observations, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return a letter for each of N games, shape (N,); the observations are not checked.

        Ties go to the first in the alphabet. ``keys`` are given where the agent ``draws``.
        InputError if the scores are not finite or not of shape (N, 26).
        """
        states, state_of_game = self._distinct(observations)
        name, guessed = f"{type(self).__name__}.letter_scores", states["guessed"] != 0
        scores = np.where(guessed, 0.0, self.letter_scores(states))
        scores = check_numbers(name, scores, guessed.shape)
        scores[guessed] = -np.inf
        highest = scores.max(axis=1, keepdims=True)
        if not self.draws:
            return (scores >= highest - self.tolerance).argmax(axis=1)[state_of_game]
        # Uniform if no letter has a score above 0.
        weights = np.where(highest > 0, scores, ~guessed)
        cumulative = weights.clip(0.0).cumsum(axis=1)[state_of_game]
        turns = (observations["guessed"] != 0).sum(axis=1)
        draws = keyed_uniform(self.seed, cast(Any, keys), turns) * cumulative[:, -1]
        return (cumulative <= draws[:, None]).sum(axis=1) % scores.shape[1]

    def _distinct(self, observations: Observations) -> tuple[Observations, npt.NDArray[np.intp]]:
        """Return the distinct states of a batch for this agent, and the state of each game."""
        columns = [observations["lives"]] if self.uses_lives else []
        return unique_observations(observations, *columns)


class PosteriorAgent(Agent, ABC):
    """An agent with letter probabilities; by default it guesses the most likely letter."""

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the letter probabilities, shape (N, 26)."""
        return self._letter_probabilities(observations)

    def letter_probabilities(
        self, observations: Observation | Observations
    ) -> npt.NDArray[np.float64]:
        """Return the probability that each letter is behind a blank, for observations as in `act`.

        It is float64 of shape (N, 26), or (26,) for a single game. A row may sum to more than 1;
        guessed letters have 0. InputError if the observations are invalid.
        """
        batch, is_single = as_batch(observations)
        states, state_of_game = self._distinct(batch)
        name, shape = f"{type(self).__name__}._letter_probabilities", states["guessed"].shape
        result = check_numbers(name, self._letter_probabilities(states), shape)
        return result[0] if is_single else result[state_of_game]

    @abstractmethod
    def _letter_probabilities(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return :meth:`letter_probabilities` without checks."""
