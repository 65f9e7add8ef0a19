"""The base of the single environments: one game after the other."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from envs.keyed_random import new_stream

Obs = TypeVar("Obs")
RENDER_MODES = ("ansi", "human", "rgb_array")


def check_render_mode(render_mode: str | None, modes: list[str]) -> None:
    """Raise ValueError for a render mode that is none of ``modes``."""
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode: {render_mode!r} is not one of {modes}")


class SingleEnv(gym.Env[Obs, int]):
    """One game after the other.

    It seeds, begins and renders the games; a subclass supplies the rules as ``_games``, a batch of
    one game with ``over`` and ``observe()``, and the methods that are abstract here.

    Parameters
    ----------
    env_id : str
        Its id in Gymnasium's registry.
    render_mode : str, optional
        One of ``metadata["render_modes"]``.

    Raises
    ------
    ValueError
        If the render mode is another one.
    """

    _games: Any

    def __init__(self, env_id: str, render_mode: str | None) -> None:
        check_render_mode(render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self._env_id = env_id
        self._stream: np.uint64 | None = None
        self._episode = 0

    @abstractmethod
    def _begin(
        self,
        streams: npt.NDArray[np.uint64],
        episodes: npt.NDArray[np.int64],
        words: list[str] | None,
    ) -> None:
        """Begin a game with the secret of ``words``, or by its stream and episode, shape (1,)."""

    @abstractmethod
    def _play(self, action: int) -> tuple[float, bool]:
        """Act; return the reward and whether the game is over."""

    @abstractmethod
    def _get_info(self) -> dict[str, Any]:
        """Return the info of ``reset`` and ``step``."""

    @abstractmethod
    def _render_frame(self) -> str | npt.NDArray[np.uint8]:
        """Return the game as a picture (``rgb_array``) or else as text."""

    @property
    def is_over(self) -> bool:
        """Whether no game is going on: none was begun, or it has ended."""
        return self._stream is None or bool(self._games.over[0])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, as sb3-contrib asks for it."""
        return self._get_info()["action_mask"].astype(np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Obs, dict[str, Any]]:
        """Begin a new game.

        Parameters
        ----------
        seed : int, optional
            Begins a new stream of words; without it the stream goes on.
        options : dict, optional
            ``{"word": str}`` forces the secret word.

        Raises
        ------
        ValueError
            If the forced word cannot be a secret.
        """
        super().reset(seed=seed)
        if seed is not None or self._stream is None:
            self._stream = new_stream(self.np_random)
            self._episode = 0
        words = [options["word"]] if options and "word" in options else None
        self._begin(np.array([self._stream]), np.array([self._episode]), words)
        self._episode += 1
        if self.render_mode == "human":
            self.render()
        return self._get_obs(), self._get_info()

    def step(self, action: int) -> tuple[Obs, float, bool, bool, dict[str, Any]]:
        """Guess.

        Raises
        ------
        ValueError
            If ``action`` is not in the action space.
        gymnasium.error.ResetNeeded
            If no game is going on.
        """
        self._require_game()
        reward, terminated = self._play(action)
        if self.render_mode == "human":
            self.render()
        return self._get_obs(), reward, terminated, False, self._get_info()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the game as text (``ansi``) or a picture (``rgb_array``); ``human`` prints it."""
        if self.render_mode is None:
            gym.logger.warn(
                "You are calling render method without specifying any render mode, "
                f'for example gym.make("envs:{self._env_id}", render_mode="ansi").'
            )
            return None
        frame = self._render_frame()
        if self.render_mode == "human":
            print(frame)
            return None
        return frame

    def _get_obs(self) -> Obs:
        return {name: array[0] for name, array in self._games.observe().items()}

    def _require_game(self) -> None:
        if self.is_over:
            raise gym.error.ResetNeeded("Cannot call step: the game is over, call reset first")
