"""Wrappers that put the action mask into the observation, where libraries look for it.

Gymnasium has the rest: ``FlattenObservation`` makes a vector of zeros and ones of an observation
of Hangman, and ``DtypeObservation`` makes it floats, for single environments and batches.
"""

from __future__ import annotations

from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from hangman_lab.envs.errors import InputError


class ActionMaskObservation(gym.Wrapper, RecordConstructorArgs):
    """Makes the observation a dict of the observation and ``info["action_mask"]``.

    Parameters
    ----------
    env : gymnasium.Env
        An environment with ``info["action_mask"]``, int8, of a discrete action space.
    observation_key : str
        The key of the observation: by default that of RLlib; ``"obs"`` for Tianshou.
    mask_key : str
        The key of the mask: by default that of RLlib; ``"mask"`` for Tianshou.
    """

    def __init__(
        self, env: gym.Env, observation_key: str = "observations", mask_key: str = "action_mask"
    ) -> None:
        RecordConstructorArgs.__init__(self, observation_key=observation_key, mask_key=mask_key)
        super().__init__(env)
        self._keys = observation_key, mask_key
        self.observation_space = _masked_space(self._keys, env.observation_space, env.action_space)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a new game; the options are those of the environment."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._join(observation, info), info

    def step(self, action: Any) -> tuple[dict[str, Any], Any, bool, bool, dict[str, Any]]:
        """Take an action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._join(observation, info), reward, terminated, truncated, info

    def _join(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        return dict(zip(self._keys, (observation, _mask_in(info)), strict=True))


class VectorActionMaskObservation(VectorWrapper):
    """:class:`ActionMaskObservation` for vector environments, with the same keys."""

    def __init__(
        self, env: VectorEnv, observation_key: str = "observations", mask_key: str = "action_mask"
    ) -> None:
        super().__init__(env)
        self._keys = observation_key, mask_key
        self.single_observation_space = _masked_space(
            self._keys, env.single_observation_space, env.single_action_space
        )
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        num_actions = int(cast(spaces.Discrete, env.single_action_space).n)
        #: Read by TorchRL; Gymnasium's wrappers of batches do not forward it.
        self.autoreset_mode = env.metadata.get("autoreset_mode")
        self._masks = np.zeros((self.num_envs, num_actions), dtype=np.int8)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start new games; the options are those of the batch."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._join(observations, infos), infos

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """Take one action in every game."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        for game in np.flatnonzero(infos.get("_final_obs", ())):
            mask = infos["final_info"]["action_mask"][game]
            pair = infos["final_obs"][game], mask
            infos["final_obs"][game] = dict(zip(self._keys, pair, strict=True))
        return self._join(observations, infos), rewards, terminated, truncated, infos

    def _join(self, observations: Any, infos: dict[str, Any]) -> dict[str, Any]:
        # After a reset of some games, the infos have the masks of these games alone.
        masks, here = _mask_in(infos), infos["_action_mask"]
        self._masks[here] = masks[here]
        return dict(zip(self._keys, (observations, self._masks.copy()), strict=True))


def _masked_space(
    keys: tuple[str, str], observation_space: spaces.Space, action_space: Any
) -> spaces.Dict:
    if not all(isinstance(key, str) for key in keys):
        raise InputError(f"observation_key, mask_key: {keys} are not two strings")
    if keys[0] == keys[1]:
        raise InputError(f"mask_key: {keys[1]!r} is the key of the observation")
    if not isinstance(action_space, spaces.Discrete):
        raise InputError(f"env: its action space {action_space} is not discrete")
    mask = spaces.Box(0, 1, (int(action_space.n),), np.int8)
    return spaces.Dict(dict(zip(keys, (observation_space, mask), strict=True)))


def _mask_in(info: dict[str, Any]) -> Any:
    if "action_mask" not in info:
        raise InputError(f"env: its info has no 'action_mask', only {list(info)}")
    return info["action_mask"]
