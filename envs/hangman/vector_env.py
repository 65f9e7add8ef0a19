"""Hangman as a Gymnasium vector environment: N games in one batch of arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from envs.batch import Arrays, BatchVectorEnv
from envs.encoding import MAX_LENGTH, NUM_LETTERS, decode
from envs.hangman.env import HangmanEnv
from envs.hangman.observation import observation_space
from envs.hangman.rendering import render_rgb_array, render_text
from envs.hangman.rewards import Reward, make_reward
from envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames
from envs.hangman.secrets import SecretWords


class HangmanVectorEnv(BatchVectorEnv):
    """N games of :class:`HangmanEnv`, played as one batch.

    Game ``i`` of a batch that was seeded with ``s`` is the game of a ``HangmanEnv`` that was
    seeded with ``s + i``: the same words, observations, rewards and ends.

    Parameters
    ----------
    num_envs, max_episode_steps, autoreset_mode
        As for :class:`envs.batch.BatchVectorEnv`.
    words, max_wrong, min_length, max_length, sampling, reward, repeated_guess, render_mode
        As for :class:`HangmanEnv`; ``human`` is for single games.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    metadata = {  # noqa: RUF012
        **BatchVectorEnv.metadata,
        "render_fps": HangmanEnv.metadata["render_fps"],
    }

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        words: Sequence[str] | None = None,
        max_wrong: int = DEFAULT_MAX_WRONG,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        sampling: str = "uniform",
        reward: str | Reward = "sparse",
        repeated_guess: str = "life",
        render_mode: str | None = None,
    ) -> None:
        self._secrets = SecretWords(words, min_length, max_length, sampling)
        super().__init__(
            num_envs,
            observation_space(self._secrets.width, max_wrong),
            spaces.Discrete(NUM_LETTERS),
            max_episode_steps,
            autoreset_mode,
            render_mode,
        )
        self._games = HangmanGames(num_envs, self._secrets.width, max_wrong, repeated_guess)
        self._reward = make_reward(reward)

    def _begin(self, games: npt.NDArray[np.int64], words: Sequence[str] | None) -> None:
        if words is None:
            secrets = self._secrets.draw(self._streams[games], self._episodes[games])
        else:
            secrets = self._secrets.encode(words)
        self._games.start(games, secrets)

    def _play(
        self, actions: npt.NDArray[np.integer]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        step = self._games.guess(actions)
        return self._reward(step, self._games.max_wrong), step.won | step.lost

    def _get_info(self, games: npt.NDArray[np.int64] | None = None) -> Arrays:
        index = slice(None) if games is None else games
        return {
            "action_mask": self._games.open_letters[index].view(np.int8),
            "won": self._games.won[index],
        }

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, shape (num_envs, 26)."""
        return self._games.open_letters

    def _render_frame(self, game: int) -> str | npt.NDArray[np.uint8]:
        draw = render_text if self.render_mode == "ansi" else render_rgb_array
        observation = self._games.observe(np.array([game]))
        secret = decode(self._games.secrets[game]) if self._games.over[game] else None
        return draw(
            {name: array[0] for name, array in observation.items()}, self._games.max_wrong, secret
        )
