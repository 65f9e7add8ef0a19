"""Hangman as a vector environment of Stable-Baselines3."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import TimeLimit
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from hangman_lab.envs.errors import InputError, check_options, check_state
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.vector import HangmanVectorEnv
from hangman_lab.envs.plain_data import plain_spec

# The info of a game in progress, without its mask.
_INFO: dict[str, Any] = {"action_mask": None, "won": np.False_, "TimeLimit.truncated": False}


class HangmanVecEnv(VecEnv):
    """The batch of :class:`HangmanVectorEnv` for Stable-Baselines3 and sb3-contrib.

    It takes the same arguments, except ``autoreset_mode``.

    It equals SB3's ``DummyVecEnv`` of :class:`HangmanEnv` in a ``Monitor``, with the same seeds and
    infos, so no ``VecMonitor`` is needed. ``t`` in ``info["episode"]`` are the seconds since the
    batch was created.
    """

    def __init__(self, num_envs: int, max_episode_steps: int | None = None, **options: Any) -> None:
        self.games = HangmanVectorEnv(
            num_envs, max_episode_steps, AutoresetMode.SAME_STEP, **options
        )
        # From this spec, gym.make makes a single environment of the same games.
        spec = replace(
            gym.spec("hangman_lab/Hangman-v0"),
            kwargs=options,
            max_episode_steps=self.games.max_episode_steps,
        )
        # The attributes that all games share, and the methods, which take the indices of games.
        self._attributes: dict[str, Any] = {
            "action_space": self.games.single_action_space,
            "max_wrong": self.games.max_wrong,
            "rules": self.games.rules,
            "metadata": self.games.metadata,
            "observation_space": self.games.single_observation_space,
            "render_mode": self.games.render_mode,
            "spec": plain_spec(spec),
        }
        self._methods: dict[str, Any] = {
            "action_masks": self._masks_of,
            "render": self._drawings_of,
            "reset": self._reset_games,
        }
        self._actions: npt.NDArray[np.integer] = np.zeros(self.games.num_envs, dtype=np.int64)
        self._returns = np.zeros(self.games.num_envs)
        self._start_time = time.time()
        super().__init__(
            self.games.num_envs, self.games.single_observation_space, self.games.single_action_space
        )
        self.metadata = self.games.metadata

    def close(self) -> None:
        """Do nothing; there are no resources to release."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, or a method, of each game."""
        games = self._games_at(indices)
        if attr_name == "secret":
            secrets = self.games.secrets
            return [secrets[game] for game in games]
        if attr_name in self._methods:
            return [partial(self._call, attr_name, game) for game in games]
        self._check_name("attribute", attr_name, ["secret", *self._attributes, *self._methods])
        return [self._attributes[attr_name]] * len(games)

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
        """Call a method for the games at ``indices``; return an item for each."""
        self._check_name("method", method_name, self._methods)
        if method_name == "action_masks" and indices is None:
            # The call of sb3-contrib at each step.
            return list(self.action_masks())
        games = self._games_at(indices)
        return self._methods[method_name](games, *method_args, **method_kwargs)

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return whether the games are as in a Monitor, or a TimeLimit, for each game."""
        wrappers = [Monitor, *([TimeLimit] if self.games.max_episode_steps else [])]
        is_wrapped = any(issubclass(wrapper, wrapper_class) for wrapper in wrappers)
        return [is_wrapped] * len(self._games_at(indices))

    def reset(self) -> Any:
        """Start new games with the seeds of ``seed()`` and the words of ``set_options()``."""
        words = [check_options(options, "word").get("word") for options in self._options]
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        forced = None if all(word is None for word in words) else {"word": words}
        observations, infos = self.games.reset(seed=seeds, options=forced)
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        names, rows = ("action_mask", "won"), zip(infos["action_mask"], infos["won"], strict=True)
        self.reset_infos = [dict(zip(names, row, strict=True)) for row in rows]
        return observations

    def step_async(self, actions: npt.NDArray[np.integer]) -> None:
        """Store the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Guess the letters; return observations, rewards, ends and an info per game."""
        observations, rewards, terminated, truncated, ended = self.games.step_and_restart(
            self._actions
        )
        self._returns += rewards
        # A dict is copied faster than made, and a list is iterated faster than an array.
        masks = list(self.games.action_masks().view(np.int8))
        infos: list[dict[str, Any]] = [dict(_INFO, action_mask=mask) for mask in masks]
        if ended is not None:
            games = ended.games
            seconds, starts = round(time.time() - self._start_time, 6), self.reset_infos
            # Lists, because indexing an array for each element is slow.
            for game, word, guessed, lives, mask, won, cut, total, length in zip(
                games.tolist(),
                *(list(array) for array in dict[str, Any](ended.observations).values()),
                list(ended.action_masks),
                ended.won,
                (truncated & ~terminated)[games].tolist(),
                self._returns[games].round(6).tolist(),
                ended.steps.tolist(),
                strict=True,
            ):
                starts[game]["action_mask"] = masks[game]
                info = infos[game]
                info["action_mask"] = mask
                info["won"], info["TimeLimit.truncated"] = won, cut
                info["terminal_observation"] = {"word": word, "guessed": guessed, "lives": lives}
                info["episode"] = {"r": total, "l": length, "t": seconds}
            self._returns[games] = 0
        result: Any = observations  # a dict of arrays, as Stable-Baselines3 takes it
        return result, rewards.astype(np.float32), terminated | truncated, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, shape (num_envs, 26)."""
        return self.games.action_masks()

    def get_state(self) -> dict[str, Any]:
        """Return copies of all arrays that future steps depend on, by name."""
        return self.games.get_state() | {"returns": self._returns.copy()}

    def set_state(self, state: dict[str, Any]) -> Observations:
        """Restore a state of :meth:`get_state` and return the observations.

        Raises InputError if it does not fit this batch.
        """
        check_state(state, {"returns": self._returns})
        if not np.isfinite(state["returns"]).all():
            raise InputError("state: 'returns' has a number that is NaN or infinite")
        observations = self.games.set_state(state)
        self._returns[:] = state["returns"]
        return observations

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return an image of each game, None without ``render_mode="rgb_array"``."""
        is_drawn = self.render_mode == "rgb_array"
        return self._drawings_of(range(self.num_envs)) if is_drawn else [None] * self.num_envs

    def _games_at(self, indices: VecEnvIndices) -> list[int]:
        """Return the indices of games, from 0; IndexError if there is no such game."""
        return [range(self.num_envs)[game] for game in self._get_indices(indices)]

    def _call(self, method_name: str, game: int, *arguments: Any, **options: Any) -> Any:
        return self._methods[method_name]([game], *arguments, **options)[0]

    def _check_name(self, kind: str, name: str, names: Collection[str]) -> None:
        if name not in names:
            raise AttributeError(
                f"the games of a batch have no {kind} {name!r}, only {', '.join(names)}"
            )

    def _masks_of(self, games: Sequence[int]) -> list[npt.NDArray[np.bool_]]:
        return list(self.games.action_masks()[games])

    def _drawings_of(self, games: Sequence[int]) -> list[Any]:
        drawings = self.games.render()
        return [None if drawings is None else drawings[game] for game in games]

    def _reset_games(
        self,
        games: Sequence[int],
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Start new games, each as ``reset`` of a single environment; return what that returns."""
        if len(set(games)) < len(games):
            return [self._reset_games([game], seed=seed, options=options)[0] for game in games]
        word = check_options(options, "word").get("word")
        chosen = np.zeros(self.num_envs, dtype=np.bool_)
        chosen[list(games)] = True
        if not chosen.any():
            return []
        observations, infos = self.games.reset(
            seed=None if seed is None else [seed] * self.num_envs,
            options={"word": [word] * self.num_envs}
            | ({} if chosen.all() else {"reset_mask": chosen}),
        )
        self._returns[chosen] = 0
        return [
            (
                {name: array[game] for name, array in dict[str, Any](observations).items()},
                {"action_mask": infos["action_mask"][game], "won": infos["won"][game]},
            )
            for game in games
        ]
