"""Game logic shared by the single and batched environments: N games, the first axis of arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hangman_lab.envs.errors import InputError, as_array
from hangman_lab.envs.rendering import Drawing

Obs = TypeVar("Obs", bound=Mapping[str, Any])
Arrays = dict[str, npt.NDArray]
Index = npt.NDArray[np.integer] | slice
ALL = slice(None)


def check_state(state: Mapping[str, Any], expected: Arrays) -> None:
    """Raise InputError if an array of a saved state is missing or has another shape or dtype.

    Called before any array is restored, so that a state is restored completely or not at all.
    """
    if not isinstance(state, Mapping):
        raise InputError("state: a dict of get_state is expected")
    for name, array in expected.items():
        saved = as_array(f"state: {name!r}", state.get(name))
        if (saved.shape, saved.dtype) != (array.shape, array.dtype):
            raise InputError(
                f"state: {name!r} must be an array of {array.dtype} of shape {array.shape}"
            )


def get_arrays(observations: Any, names: Iterable[str]) -> list[npt.NDArray]:
    """Return the arrays of observations by name; InputError if one is missing."""
    try:
        return [np.asarray(observations[name]) for name in names]
    except (LookupError, TypeError, ValueError) as error:
        raise InputError(f"observations: arrays {', '.join(names)} are expected") from error


def check_array(
    name: str, array: npt.NDArray, shape: tuple[int, ...], least: int, most: int
) -> None:
    """Raise InputError if an array of observations has another shape, or values out of range."""
    if array.shape != shape:
        raise InputError(f"observations: {name!r} has the shape {array.shape}, not {shape}")
    if array.dtype.kind not in "iub":
        raise InputError(f"observations: {name!r} has {array.dtype}, not integers")
    if array.size and not least <= int(array.min()) <= int(array.max()) <= most:
        raise InputError(f"observations: {name!r} has a value outside {least}..{most}")


def with_dtypes(
    arrays: Iterable[npt.NDArray], dtypes: Mapping[str, npt.DTypeLike]
) -> dict[str, npt.NDArray]:
    """Return arrays by name, contiguous and with the dtypes of the observation space."""
    # Compiled code distinguishes layouts, and arrays that are read-only.
    return {
        name: np.require(array, dtype, ["C", "W"])
        for array, (name, dtype) in zip(arrays, dtypes.items(), strict=True)
    }


class Secrets(Protocol):
    """The words of an environment, from which secrets are drawn."""

    def draw(self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]) -> Any:
        """Return an encoded secret for each pair of a stream and an episode number."""

    def encode(self, words: Sequence[str]) -> Any:
        """Encode secrets given by the caller; InputError if a word cannot be a secret."""


class Games(ABC, Generic[Obs]):
    """N games with the same rules.

    The spaces are those of one game. ``_observed`` has the arrays of the observation.
    """

    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    _observed: Obs

    def __init__(self, num_games: int) -> None:
        self._num_games = num_games

    def __len__(self) -> int:
        return self._num_games

    @cached_property
    def _dtypes(self) -> dict[str, Any]:
        space = cast(spaces.Dict, self.observation_space)
        return {name: part.dtype for name, part in space.items()}

    @property
    @abstractmethod
    def won(self) -> npt.NDArray[np.bool_]:
        """The games that are won, as a new array of shape (N,)."""

    @property
    @abstractmethod
    def over(self) -> npt.NDArray[np.bool_]:
        """The games that have ended, shape (N,)."""

    @abstractmethod
    def secret(self, game: int) -> str:
        """Return the secret word of one game."""

    @abstractmethod
    def action_masks(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return the valid actions as a new array of shape (games, actions)."""

    @abstractmethod
    def draw(self, game: int, mode: str) -> Drawing:
        """Draw one game: an image for the mode ``rgb_array``, else text."""

    @abstractmethod
    def start(self, games: Index, secrets: Any) -> None:
        """Start new games with these encoded secrets."""

    @abstractmethod
    def guess(self, actions: npt.NDArray[np.integer], /) -> Any:
        """Guess once in every game; return a result with ``won`` and ``lost``, shape (N,)."""

    def observe(self, games: Index = ALL) -> Obs:
        """Return copies of the observations of ``games``, for agents."""
        return cast(Obs, {name: array[games].copy() for name, array in self._observed.items()})

    def observe_in_space(self, games: Index = ALL) -> Obs:
        """Return :meth:`observe` with the dtypes of the observation space."""
        dtypes, arrays = self._dtypes, self._observed.items()
        return cast(Obs, {name: array[games].astype(dtypes[name]) for name, array in arrays})

    def check_actions(self, actions: npt.NDArray, num_actions: int) -> npt.NDArray[np.int64]:
        """Return ``actions``; InputError unless they are N integers, 0 to ``num_actions - 1``."""
        if actions.shape != (len(self),):
            raise InputError(f"actions: shape {actions.shape} is not ({len(self)},)")
        if actions.dtype.kind not in "iu":
            raise InputError(f"actions: {actions!r} is not an array of integers")
        numbers = actions.astype(np.int64, copy=False)
        # A negative number is a large one without its sign.
        unsigned = numbers.view(np.uint64)
        if unsigned.max(initial=0) >= num_actions:
            wrong = actions[unsigned.argmax()]
            raise InputError(f"actions: {wrong} is outside 0..{num_actions - 1}")
        return numbers

    def infos(self) -> Arrays:
        """Return the infos of all games by name, as new arrays."""
        return {"action_mask": self.action_masks().view(np.int8), "won": self.won}
