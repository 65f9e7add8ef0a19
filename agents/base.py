"""The interface of agents that guess letters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observation, as_batch
from hangman_lab.envs.keyed_random import keyed_uniform


class Agent(ABC):
    """Base class of agents, which guess letters from batches of observations.

    An agent has no state between calls except what was fitted, so its letters do not depend on
    batch size or order.

    Attributes
    ----------
    uses_lives : bool
        Whether the letters may depend on ``observations["lives"]``. If not, one game with many
        lives also tells how the game with fewer lives ends.
    draws : bool
        Whether the letters may depend on ``keys``.
    """

    uses_lives: bool = True
    draws: bool = True

    def fit(self, words: Sequence[str]) -> Self:
        """Learn from the words of the train split and return the agent.

        Parameters
        ----------
        words : sequence of str
            Lower-case words, letters a to z.
        """
        return self

    def act(
        self, observations: Observation, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64] | int:
        """Return a letter for each game of a batch, or for a single game.

        Parameters
        ----------
        observations : Observation
            Observations of N games, or the observation of the single environment.
        keys : ndarray of uint64, shape (N,), optional
            A key per game, by default its row. A random draw depends on the agent's seed, this key
            and the turn.

        Returns
        -------
        ndarray of int64, shape (N,), or int
            Unguessed letters, 0 to 25; 0 if all letters have been guessed.
        """
        if np.ndim(observations["lives"]) > 0:
            return self.act_batch(observations, keys)
        return int(self.act_batch(as_batch(observations), keys)[0])

    @abstractmethod
    def act_batch(
        self, observations: Observation, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return a letter for each of N games, shape (N,); see :meth:`act`."""


class PosteriorAgent(Agent):
    """An agent with letter probabilities; it guesses the most likely letter."""

    draws = False

    def act_batch(
        self, observations: Observation, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return the most likely letter of each game; ties go to the first in the alphabet."""
        present = self.letter_probabilities(observations)
        return np.where(observations["guessed"] != 0, -1.0, present).argmax(axis=1)

    @abstractmethod
    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter is behind a blank.

        Returns
        -------
        ndarray of float64, shape (N, 26)
            Probabilities that the hidden part contains the letter, so a row may sum to more than
            1. Guessed letters have 0.
        """


class ScoringAgent(Agent):
    """An agent that scores letters and takes the best one, or samples by score.

    Parameters
    ----------
    greedy : bool, default True
        Take the letter with the highest score; ties go to the first in the alphabet. If False,
        sample a letter with probability proportional to its score.
    seed : int, default 0
        The seed of the samples.
    """

    def __init__(self, greedy: bool = True, seed: int = 0) -> None:
        self.greedy = greedy
        self.draws = not greedy
        self.seed = seed

    @abstractmethod
    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return nonnegative letter scores, shape (N, 26)."""

    def act_batch(
        self, observations: Observation, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return a letter for each of N games; see :meth:`Agent.act`."""
        scores = self.letter_scores(observations)
        guessed = observations["guessed"] != 0
        if self.greedy:
            return np.where(guessed, -1.0, scores).argmax(axis=1)
        cumulative = np.where(guessed, 0.0, scores).cumsum(axis=1)
        if keys is None:
            keys = np.arange(len(scores), dtype=np.uint64)
        draws = keyed_uniform(self.seed, keys, guessed.sum(axis=1)) * cumulative[:, -1]
        return (cumulative <= draws[:, None]).sum(axis=1) % scores.shape[1]


def agent_named(agents: Mapping[str, Callable[[int], Any]], name: str, which: str) -> Callable:
    """Return an agent's factory by name; the InputError for an unknown name lists all names."""
    if name not in agents:
        raise InputError(f"agent {name!r} is unknown; {which} are {', '.join(sorted(agents))}")
    return agents[name]
