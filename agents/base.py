"""The interface of agents that guess letters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self, cast, overload

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.counter_rng import keyed_uniform
from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.errors import InputError, as_array, as_numbers, check_integer, check_number
from hangman_lab.envs.hangman.observation import (
    Observation,
    Observations,
    as_batch,
    unique_observations,
)

# Rounding tolerance: how far a probability may be above 1.
_ROUNDING = 1e-6


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
    _seed: int = 0

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @property
    def seed(self) -> int:
        """The seed of random draws, from 0; InputError if it is set to another value."""
        return self._seed

    @seed.setter
    def seed(self, seed: int) -> None:
        self._seed = check_integer("seed", seed, 0, 2**63 - 1)
        self.__dict__.pop("_generator", None)

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
        letters = self.guess(batch, keys)
        return int(letters[0]) if is_single else letters

    def guess(
        self, observations: Observations, keys: npt.NDArray[np.uint64] | None
    ) -> npt.NDArray[np.int64]:
        """Return :meth:`act_batch`; InputError unless it is a letter for each game."""
        name = f"{type(self).__name__}.act_batch"
        letters = as_array(name, self.act_batch(observations, keys))
        shape = observations["lives"].shape
        is_valid = letters.shape == shape and letters.dtype.kind in "iu"
        if not is_valid or (letters < 0).any() or (letters >= NUM_LETTERS).any():
            allowed = f"{shape[0]} integers in 0..{NUM_LETTERS - 1}"
            raise InputError(f"{name}: {letters!r} is not an array of {allowed}")
        return letters

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
        InputError if the scores are no numbers of shape (N, 26), or one is NaN or infinite.
        """
        states, state_of_game = self._distinct(observations)
        name, guessed = f"{type(self).__name__}.letter_scores", states["guessed"] != 0
        scores = as_numbers(name, self.letter_scores(states), guessed.shape)
        # Finite scores are above those of guessed letters, which are -inf.
        scores = np.maximum(scores, np.finfo(np.float64).min)
        scores[guessed] = -np.inf
        highest = scores.max(axis=1, keepdims=True)
        if not (highest < np.inf).all():
            raise InputError(f"{name}: a score is NaN or infinite")
        if not self.draws:
            tolerance = check_number(f"{type(self).__name__}.tolerance", self.tolerance, 0, 1e100)
            return (scores >= highest - tolerance).argmax(axis=1)[state_of_game]
        if not (highest < 1e300).all():
            raise InputError(f"{name}: a score is above 1e300, so that their sum may be infinite")
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
        """Return the probability that each letter is behind a blank.

        Parameters
        ----------
        observations : Observations or Observation
            Those of N games, or the observation of the single environment.

        Returns
        -------
        ndarray of float64, shape (N, 26) or (26,)
            Probabilities that the hidden part contains the letter, so a row may sum to more than
            1. Guessed letters have 0.

        Raises
        ------
        InputError
            If the observations are invalid.
        """
        batch, is_single = as_batch(observations)
        states, state_of_game = self._distinct(batch)
        name, shape = f"{type(self).__name__}._letter_probabilities", states["guessed"].shape
        result = as_numbers(name, self._letter_probabilities(states), shape)
        if not ((result >= 0) & (result <= 1 + _ROUNDING)).all():
            raise InputError(f"{name}: a probability is NaN or outside 0..1")
        return result[0] if is_single else result[state_of_game]

    @abstractmethod
    def _letter_probabilities(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return :meth:`letter_probabilities` without checks."""
