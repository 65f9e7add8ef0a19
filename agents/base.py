"""The interface of agents that guess letters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from envs.errors import InputError
from envs.hangman.observation import Observation, as_batch
from envs.keyed_random import keyed_uniform


class Agent(ABC):
    """Guesses letters from observations alone, in batches.

    An agent keeps nothing between calls but what it was fitted with: any batch, in any order,
    gets the same letters.

    Attributes
    ----------
    uses_lives : bool
        Whether the letters may depend on ``observations["lives"]``. Where they do not, games with
        few lives are the beginnings of games with many, and need not be played again.
    """

    uses_lives: bool = True

    def fit(self, words: Sequence[str]) -> Self:
        """Learn from words, always those of the train split; most agents need it before ``act``.

        Parameters
        ----------
        words : sequence of str
            Lower-case words, letters a to z.
        """
        return self

    def act(
        self, observations: Observation, games: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64] | int:
        """Guess one letter in each game of a batch, or in one game.

        Parameters
        ----------
        observations : Observation
            Of N games, or of one as the single environment returns it.
        games : ndarray of uint64, shape (N,), optional
            What tells the games apart, the row's number by default: random draws are keyed by the
            agent's seed, the game and the turn.

        Returns
        -------
        ndarray of int64, shape (N,), or int
            Letters that have not been guessed, 0 to 25; 0 where all have been.
        """
        if np.ndim(observations["lives"]) > 0:
            return self.act_batch(observations, games)
        return int(self.act_batch(as_batch(observations), games)[0])

    @abstractmethod
    def act_batch(
        self, observations: Observation, games: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Guess one letter in each of N games; see :meth:`act`."""


class PosteriorAgent(Agent):
    """An agent that can tell how likely each letter is in the hidden part of the word."""

    def act_batch(
        self, observations: Observation, games: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Guess the likeliest letter in each game, the first in the alphabet among equals."""
        present = self.letter_probabilities(observations)
        return np.where(observations["guessed"] != 0, -1.0, present).argmax(axis=1)

    @abstractmethod
    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter is behind a blank.

        Returns
        -------
        ndarray of float64, shape (N, 26)
            0 for letters that have been guessed. A row does not add up to 1: it is not the
            probability of being chosen.
        """


class ScoringAgent(Agent):
    """An agent that gives each letter a score and takes the highest, or draws by the scores.

    Parameters
    ----------
    greedy : bool, default True
        Take the letter with the highest score, the first in the alphabet among equals. Otherwise
        draw a letter with a probability proportional to its score.
    seed : int, default 0
        Of the draws.
    """

    def __init__(self, greedy: bool = True, seed: int = 0) -> None:
        self.greedy = greedy
        self.seed = seed

    @abstractmethod
    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return a score of at least 0 for each letter, shape (N, 26)."""

    def act_batch(
        self, observations: Observation, games: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Guess one letter in each of N games; see :meth:`Agent.act`."""
        scores = self.letter_scores(observations)
        guessed = observations["guessed"] != 0
        if self.greedy:
            return np.where(guessed, -1.0, scores).argmax(axis=1)
        cumulative = np.where(guessed, 0.0, scores).cumsum(axis=1)
        if games is None:
            games = np.arange(len(scores), dtype=np.uint64)
        draws = keyed_uniform(self.seed, games, guessed.sum(axis=1)) * cumulative[:, -1]
        return (cumulative <= draws[:, None]).sum(axis=1) % scores.shape[1]


def agent_named(agents: Mapping[str, Callable[[int], Any]], name: str, which: str) -> Callable:
    """Return what makes the agent of that name; an ``InputError`` says ``which`` are known."""
    if name not in agents:
        raise InputError(f"agent {name!r} is unknown; {which} are {', '.join(sorted(agents))}")
    return agents[name]
