"""Hangman as a vector environment of Stable-Baselines3."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from hangman_lab.envs.errors import check_options
from hangman_lab.envs.games import check_state
from hangman_lab.envs.hangman.env import HangmanVectorEnv
from hangman_lab.envs.hangman.observation import Observation

# Creating an info per game would take longer than the step itself.
_NO_INFO: MappingProxyType[str, Any] = MappingProxyType({})


class SB3VecEnv(VecEnv):
    """Base class of batches for Stable-Baselines3, with the attributes and methods of ``games``.

    Methods return a row per game; all games share their attributes.
    """

    games: Any

    def close(self) -> None:
        """Do nothing; there are no resources to release."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return the attribute of the batch, once per game."""
        return [getattr(self.games, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raise AttributeError: the games of a batch share their attributes."""
        raise AttributeError("the games of a batch share their attributes; create a new batch")

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Call a method of the batch and return its rows for the games at ``indices``."""
        rows: Sequence[Any] = getattr(self.games, method_name)(*method_args, **method_kwargs)
        return [rows[index] for index in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return False for each game: the batch has no wrappers."""
        return [False for _ in self._get_indices(indices)]


class HangmanVecEnv(SB3VecEnv):
    """The batch of :class:`HangmanVectorEnv` for Stable-Baselines3 and sb3-contrib.

    The step that ends a game starts the next. The info of a game that ended has
    ``terminal_observation``, ``TimeLimit.truncated``, ``won``, and ``episode`` with return ``r``,
    length ``l`` and the seconds ``t`` since the environment was created, so no ``VecMonitor`` is
    needed. All other games share one empty, read-only info.

    Parameters
    ----------
    num_envs, max_episode_steps
        As for :class:`HangmanVectorEnv`.
    **options
        Further arguments of :class:`HangmanVectorEnv`: ``words``, ``max_wrong``, ``min_length``,
        ``max_length``, ``reward``, ``repeated_guess``, ``host`` and ``render_mode``.
    """

    def __init__(self, num_envs: int, max_episode_steps: int | None = None, **options: Any) -> None:
        mode = AutoresetMode.SAME_STEP
        self.games = HangmanVectorEnv(num_envs, max_episode_steps, mode, **options)
        self._actions: npt.NDArray[np.integer] = np.zeros(num_envs, dtype=np.int64)
        self._returns = np.zeros(num_envs)
        self._start_time = time.time()
        super().__init__(
            num_envs, self.games.single_observation_space, self.games.single_action_space
        )

    def reset(self) -> dict[str, npt.NDArray]:
        """Start new games with the seeds of ``seed()`` and the words of ``set_options()``."""
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        for options in self._options:
            check_options(options, "word")
        words = [options.get("word") for options in self._options]
        forced = None if all(word is None for word in words) else {"word": words}
        observations, infos = self.games.reset(seed=seeds, options=forced)
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self.reset_infos = [{"action_mask": mask, "won": False} for mask in infos["action_mask"]]
        return observations

    def step_async(self, actions: npt.NDArray[np.integer]) -> None:
        """Store the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Guess the letters; return observations, rewards, ends and an info per game."""
        rewards, terminated, truncated = self.games.act(self._actions)
        self._returns += rewards
        ended = terminated | truncated
        infos: list[Any] = [_NO_INFO] * self.num_envs
        games = np.flatnonzero(ended)
        if len(games):
            seconds = round(time.time() - self._start_time, 6)
            last = self.games.observe(games)
            # Lists, because indexing an array for each element is slow.
            for game, observation, cut, won, total, length in zip(
                games.tolist(),
                zip(*last.values(), strict=True),
                (truncated & ~terminated)[games].tolist(),
                self.games.won[games].tolist(),
                self._returns[games].tolist(),
                self.games.episode_lengths[games].tolist(),
                strict=True,
            ):
                infos[game] = {
                    "terminal_observation": dict(zip(last, observation, strict=True)),
                    "TimeLimit.truncated": cut,
                    "won": won,
                    "episode": {"r": total, "l": length, "t": seconds},
                }
            self._returns[games] = 0
            self.games.begin(games)
        return self.games.observe(), rewards.astype(np.float32), ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, shape (num_envs, 26)."""
        return self.games.action_masks()

    def observe(self) -> Observation:
        """Return the current observations."""
        return self.games.observe()

    def get_state(self) -> dict[str, Any]:
        """Return copies of all arrays that future steps depend on, by name."""
        return self.games.get_state() | {"returns": self._returns.copy()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a state of :meth:`get_state`; ValueError if it does not fit this batch."""
        check_state(state, {"returns": self._returns})
        self.games.set_state(state)
        self._returns[:] = state["returns"]

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return an image of each game."""
        return self.games.render()
