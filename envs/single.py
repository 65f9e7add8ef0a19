"""The base of the single environments: one game after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from envs.errors import check_choice
from envs.games import ALL
from envs.keyed_random import new_stream
from envs.task import Task, make_task

Obs = TypeVar("Obs")
RENDER_FPS = 2


class SingleEnv(gym.Env[Obs, int]):
    """One game after the other: it seeds, begins and renders the games of its task.

    Parameters
    ----------
    words : sequence of str, optional
    render_mode : str, optional
        One of ``metadata["render_modes"]``.
    **options
        Those of the task.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": RENDER_FPS,
    }

    task_type: ClassVar[type[Task]]

    def __init__(
        self,
        words: Sequence[str] | None = None,
        *,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self._task = make_task(self.task_type, 1, words=words, **options)
        self.observation_space = self._task.observation_space
        self.action_space = self._task.action_space
        self._stream: np.uint64 | None = None
        self._episode = 0

    @property
    def secret(self) -> str:
        """The hidden word. It is for people who look on; a player does not see it.

        While an adversary has not settled on one, it is the first word that is still consistent.
        """
        return self._task.secret(0)

    @property
    def is_over(self) -> bool:
        """Whether no game is going on: none was begun, or it has ended."""
        return self._stream is None or bool(self._task.games.over[0])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, as sb3-contrib asks for it."""
        return self._task.action_masks()[0]

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
        self._task.begin(ALL, np.array([self._stream]), np.array([self._episode]), words)
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
        rewards, terminated = self._task.play(np.array([action], dtype=np.int64))
        if self.render_mode == "human":
            self.render()
        reward, ended = float(rewards[0]), bool(terminated[0])
        return self._get_obs(), reward, ended, False, self._get_info()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the game as text (``ansi``) or a picture (``rgb_array``); ``human`` prints it."""
        if self.render_mode is None:
            gym.logger.warn(
                "You are calling render method without specifying any render mode, "
                'for example gym.make("envs:Hangman-v0", render_mode="ansi").'
            )
            return None
        frame = self._task.render(0, self.render_mode)
        if self.render_mode == "human":
            print(frame)
            return None
        return frame

    def _get_obs(self) -> Obs:
        return {name: array[0] for name, array in self._task.games.observe().items()}

    def _get_info(self) -> dict[str, Any]:
        infos = self._task.infos()
        return {"action_mask": infos["action_mask"][0], "won": bool(infos["won"][0])}

    def _require_game(self) -> None:
        if self.is_over:
            raise gym.error.ResetNeeded("Cannot call step: the game is over, call reset first")
