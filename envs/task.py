"""The base of what environments play: the rules with secrets, rewards, infos and drawings."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from envs.games import ALL, Arrays, Games, Index

Outcome = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]
Drawing = str | npt.NDArray[np.uint8]


class SecretSource(Protocol):
    """The words of an environment, which become the secrets of its games."""

    def draw(self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]) -> Any:
        """Return secrets for pairs of a stream and the number of an episode in it."""

    def encode(self, words: Sequence[str]) -> Any:
        """Return the secrets that a caller forces."""


class Task(ABC):
    """N games as a learner meets them, single or batched.

    Attributes
    ----------
    games : Games
    observation_space : spaces.Dict
        Of one game.
    action_space : spaces.Discrete
        Of one game.
    """

    games: Games
    observation_space: spaces.Dict
    action_space: spaces.Discrete
    _secrets: SecretSource

    def begin(
        self,
        games: Index,
        streams: npt.NDArray[np.uint64],
        episodes: npt.NDArray[np.int64],
        words: Sequence[str] | None = None,
    ) -> None:
        """Begin new games at the indices ``games``.

        Their secrets are ``words``, or else are drawn by stream and number of the episode in it.

        Raises
        ------
        ValueError
            If a word cannot be a secret.
        """
        if words is None:
            secrets = self._secrets.draw(streams, episodes)
        else:
            secrets = self._secrets.encode(words)
        self.games.start(games, secrets)

    @abstractmethod
    def play(self, actions: npt.NDArray[np.integer]) -> Outcome:
        """Act in every game; return the rewards and which games ended by it, shape (N,).

        Raises
        ------
        ValueError
            If an action is not in the action space.
        """

    @abstractmethod
    def action_masks(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return the actions that are open, as a new array of shape (games, actions)."""

    @abstractmethod
    def secret(self, game: int) -> str:
        """Return the hidden word of one game."""

    @abstractmethod
    def _draw(self, mode: str, observation: Mapping[str, Any], secret: str | None) -> Drawing:
        """Draw one game: a picture for ``rgb_array``, else text; the secret once it is over."""

    def render(self, game: int, mode: str) -> Drawing:
        """Draw one game as it stands."""
        observations = self.games.observe(np.array([game]))
        observation = {name: array[0] for name, array in observations.items()}
        return self._draw(mode, observation, self.secret(game) if self.games.over[game] else None)

    def infos(self, games: Index = ALL) -> Arrays:
        """Return the infos of ``games`` by name, as new arrays."""
        return {
            "action_mask": self.action_masks(games).view(np.int8),
            "won": self.games.won[games],
        }


def make_task(task_type: type[Task], num_games: int, **options: Any) -> Task:
    """Return a task of so many games.

    Raises
    ------
    TypeError
        If it has no such option.
    ValueError
        If an option is out of its range.
    """
    _, *known = inspect.signature(task_type).parameters
    for name in options:
        if name not in known:
            raise TypeError(f"{name!r} is not an option; there are {', '.join(known)}")
    return task_type(num_games, **options)
