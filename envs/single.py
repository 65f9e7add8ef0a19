"""Base class of the single environments: one game at a time."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from hangman_lab.envs.counter_rng import new_stream
from hangman_lab.envs.errors import check_choice, check_integer, check_options
from hangman_lab.envs.plain_data import PlainSpec
from hangman_lab.envs.rendering import Drawing

RENDER_FPS = 2
Obs = TypeVar("Obs")


class SingleEnv(PlainSpec, gym.Env[Obs, Any]):
    """Seeds, resets, steps and renders one game, which subclasses play.

    ``secrets`` draws and encodes the words of games.
    """

    metadata = {  # noqa: RUF012 - an instance variable in Gymnasium
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": RENDER_FPS,
    }

    def __init__(self, secrets: Any, render_mode: str | None) -> None:
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self._secrets = secrets
        # Arrays of one game, as the batch has them.
        self._stream = np.zeros(1, dtype=np.uint64)
        self._episode = np.zeros(1, dtype=np.int64)
        # Whether a game is in progress, after the first reset.
        self._playing: bool | None = None

    @property
    def secret(self) -> str:
        """The secret word, for display only; it is not in the observation."""
        self._require_reset("secret")
        return self._secret()

    @abstractmethod
    def _secret(self) -> str:
        """Return the secret word."""

    @abstractmethod
    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bool, as sb3-contrib expects it."""

    @abstractmethod
    def _start(self, word: Any) -> None:
        """Start a game with a word given by the caller, or a drawn word if it is None."""

    @abstractmethod
    def _guess(self, action: Any) -> tuple[float, bool]:
        """Take an action; return the reward and whether the game has ended."""

    @abstractmethod
    def _observe(self) -> tuple[Obs, dict[str, Any]]:
        """Return the observation and the info, as new arrays."""

    @abstractmethod
    def _draw(self, mode: str) -> Drawing:
        """Draw the game."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Obs, dict[str, Any]]:
        """Start a new game.

        ``seed`` starts a new stream of words; without it the stream continues. The option
        ``"word"`` sets the secret word; for None, a word is drawn. InputError if the word cannot
        be a secret, or an option or the seed is invalid.
        """
        word = check_options(options, "word").get("word")
        if word is not None:
            # Refused before anything changes.
            self._secrets.encode([word])
        super().reset(seed=None if seed is None else check_integer("seed", seed, 0))
        if seed is not None or self._playing is None:
            self._stream[0] = new_stream(self.np_random)
            self._episode[0] = 0
        self._start(word)
        self._episode += 1
        self._playing = True
        if self.render_mode == "human":
            self.render()
        return self._observe()

    def step(self, action: Any) -> tuple[Obs, float, bool, bool, dict[str, Any]]:
        """Guess; InputError if ``action`` is not an integer in the action space, or not a text.

        Raises gymnasium.error.ResetNeeded if no game is in progress.
        """
        if not self._playing:
            raise gym.error.ResetNeeded("Cannot call step: no game is in progress, call reset")
        reward, has_ended = self._guess(action)
        self._playing = not has_ended
        if self.render_mode == "human":
            self.render()
        observation, info = self._observe()
        return observation, reward, has_ended, False, info

    def render(self) -> Drawing | None:
        """Return the game as text (``ansi``) or an image (``rgb_array``); ``human`` prints it."""
        if self.render_mode is None:
            gym.logger.warn(
                "You are calling render method without specifying any render mode, "
                'for example gym.make("hangman_lab/Hangman-v0", render_mode="ansi").'
            )
            return None
        self._require_reset("render")
        frame = self._draw(self.render_mode)
        if self.render_mode == "human":
            print(frame)
            return None
        return frame

    def _require_reset(self, caller: str) -> None:
        if self._playing is None:
            raise gym.error.ResetNeeded(f"Cannot call {caller}: call reset first")
