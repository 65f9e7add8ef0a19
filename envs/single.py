"""Base class of the single environments: one game at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from hangman_lab.envs.errors import check_choice, check_integer, check_options
from hangman_lab.envs.games import ALL, Games, Obs, Secrets
from hangman_lab.envs.keyed_random import new_stream
from hangman_lab.envs.rendering import Drawing
from hangman_lab.envs.rewards import Reward, compute_rewards

RENDER_FPS = 2


class EnvParts(NamedTuple):
    """Rules, words, reward and drawing of one game."""

    make_games: Callable[[int], Games[Any]]  # Takes the number of games.
    secrets: Secrets
    reward: Reward
    draw: Callable[[Any, int, str], Drawing]  # (games, game, mode): an image for ``rgb_array``


class SingleEnv(gym.Env[Obs, int]):
    """Seeds, resets, steps and renders a batch of one game."""

    metadata = {  # noqa: RUF012 - an instance variable in Gymnasium
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": RENDER_FPS,
    }

    def __init__(self, parts: EnvParts, render_mode: str | None) -> None:
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        make_games, self._secrets, self._reward, self._draw = parts
        self._games = make_games(1)
        self.observation_space = self._games.observation_space
        self.action_space = self._games.action_space
        self._stream: np.uint64 | None = None
        self._episode = 0

    @property
    def secret(self) -> str:
        """The secret word, for display only; it is not in the observation."""
        return self._games.secret(0)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, as sb3-contrib expects it."""
        return self._games.action_masks()[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Obs, dict[str, Any]]:
        """Start a new game.

        ``seed`` starts a new stream of words; without it the stream continues. The option
        ``"word"`` sets the secret word; for None, a word is drawn. InputError if the word cannot
        be a secret, or an option or the seed is invalid.
        """
        word = check_options(options, "word").get("word")
        super().reset(seed=None if seed is None else check_integer("seed", seed, 0))
        if seed is not None or self._stream is None:
            self._stream = new_stream(self.np_random)
            self._episode = 0
        if word is None:
            secrets = self._secrets.draw(np.array([self._stream]), np.array([self._episode]))
        else:
            secrets = self._secrets.encode([word])
        self._games.start(ALL, secrets)
        self._episode += 1
        if self.render_mode == "human":
            self.render()
        return self._get_obs(), self._get_info()

    def step(self, action: int) -> tuple[Obs, float, bool, bool, dict[str, Any]]:
        """Guess; InputError if ``action`` is not an integer in the action space.

        Raises gymnasium.error.ResetNeeded if no game is in progress.
        """
        if self._stream is None or self._games.over[0]:
            raise gym.error.ResetNeeded("Cannot call step: the game is over, call reset first")
        step = self._games.guess(np.array([action]))
        if self.render_mode == "human":
            self.render()
        reward = float(compute_rewards(self._reward, step)[0])
        return self._get_obs(), reward, bool(step.won[0] or step.lost[0]), False, self._get_info()

    def render(self) -> Drawing | None:
        """Return the game as text (``ansi``) or an image (``rgb_array``); ``human`` prints it."""
        if self.render_mode is None:
            gym.logger.warn(
                "You are calling render method without specifying any render mode, "
                'for example gym.make("hangman_lab/Hangman-v0", render_mode="ansi").'
            )
            return None
        if self._stream is None:
            raise gym.error.ResetNeeded("Cannot call render: call reset first")
        frame = self._draw(self._games, 0, self.render_mode)
        if self.render_mode == "human":
            print(frame)
            return None
        return frame

    def _get_obs(self) -> Obs:
        return cast(Obs, {name: array[0] for name, array in self._games.observe().items()})

    def _get_info(self) -> dict[str, Any]:
        infos = self._games.infos()
        return {"action_mask": infos["action_mask"][0], "won": bool(infos["won"][0])}
