"""The interface between rules and environments: N games as arrays, the first axis is the games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray]
Index = npt.NDArray[np.integer] | slice
ALL = slice(None)


def check_state(state: Mapping[str, Any], expected: Arrays) -> None:
    """Raise ValueError if a saved state lacks an array, or its shape or dtype is not as expected.

    Restoring checks all arrays before it changes the first.
    """
    for name, array in expected.items():
        saved = np.asarray(state.get(name))
        if (saved.shape, saved.dtype) != (array.shape, array.dtype):
            raise ValueError(
                f"state: {name!r} is not an array of {array.dtype} of shape {array.shape}"
            )


class Secrets(Protocol):
    """The words of an environment, which become the secrets of its games."""

    def draw(self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]) -> Any:
        """Return a secret for each pair of a stream and the number of an episode in it."""

    def encode(self, words: Sequence[str]) -> Any:
        """Return the secrets that a caller forces; ValueError if a word cannot be a secret."""


class Games:
    """N games that are played by the same rules; :class:`HangmanGames` shows the whole interface.

    A subclass has ``observation_space`` and ``action_space`` of one game, ``won`` and ``over`` of
    shape (N,), ``start(games, secrets)``, ``guess(actions)``, which returns a step with ``won`` and
    ``lost``, ``observe(games)``, ``action_masks(games)`` and ``secret(game)``. It names the arrays
    that make up its games in ``_state_names``.
    """

    _state_names: tuple[str, ...]

    def __init__(self, num_games: int) -> None:
        self._num_games = num_games

    def __len__(self) -> int:
        return self._num_games

    def check_actions(self, actions: npt.NDArray, num_actions: int) -> None:
        """Raise ValueError unless ``actions`` are N integers from 0 to ``num_actions - 1``."""
        if actions.shape != (len(self),):
            raise ValueError(f"actions: shape {actions.shape} is not ({len(self)},)")
        if actions.dtype.kind not in "iu":
            raise ValueError(f"actions: {actions.dtype} is not an integer type")
        if actions.min(initial=0) < 0 or actions.max(initial=0) >= num_actions:
            raise ValueError(f"an action is outside 0..{num_actions - 1}")

    def infos(self) -> Arrays:
        """Return the infos of all games by name, as new arrays."""
        return {"action_mask": self.action_masks().view(np.int8), "won": self.won}

    def view(self, game: int) -> tuple[dict[str, Any], str | None]:
        """Return what is drawn of one game: its observation, and the secret once it is over."""
        observation = {name: array[0] for name, array in self.observe(np.array([game])).items()}
        return observation, self.secret(game) if self.over[game] else None

    def get_state(self) -> Arrays:
        """Return copies of the arrays that make up the games, by name."""
        return {name: getattr(self, name).copy() for name in self._state_names}

    def set_state(self, state: Arrays) -> None:
        """Restore a saved state; ValueError as :func:`check_state` raises."""
        check_state(state, {name: getattr(self, name) for name in self._state_names})
        for name in self._state_names:
            getattr(self, name)[...] = state[name]
