"""The base of the rules: N games as arrays whose first axis is the games."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray]
Index = npt.NDArray[np.integer] | slice
ALL = slice(None)


class Games(ABC):
    """N games that are played by the same rules.

    A subclass names the arrays that make up its games in ``_state_names``.

    Parameters
    ----------
    num_games : int
    """

    _state_names: tuple[str, ...]

    def __init__(self, num_games: int) -> None:
        self._num_games = num_games

    def __len__(self) -> int:
        return self._num_games

    @property
    @abstractmethod
    def won(self) -> npt.NDArray[np.bool_]:
        """Games that are won, as a new array; shape (N,)."""

    @property
    @abstractmethod
    def over(self) -> npt.NDArray[np.bool_]:
        """Games that are won or lost; shape (N,)."""

    @abstractmethod
    def start(self, games: Index, secrets: Any) -> None:
        """Begin new games at the indices ``games``."""

    @abstractmethod
    def observe(self, games: Index = ALL) -> Mapping[str, npt.NDArray]:
        """Return copies of what the players of ``games`` see."""

    def get_state(self) -> Arrays:
        """Return copies of the arrays that make up the games, by name."""
        return {name: getattr(self, name).copy() for name in self._state_names}

    def set_state(self, state: Arrays) -> None:
        """Go on with the games that :meth:`get_state` returned.

        Raises
        ------
        ValueError
            If an array is missing or has another shape.
        """
        for name in self._state_names:
            array = getattr(self, name)
            if name not in state or state[name].shape != array.shape:
                raise ValueError(f"the state is not that of {len(self)} such games: {name}")
            array[...] = state[name]
