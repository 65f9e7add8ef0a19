"""The environment that PPO sees: games whose observations carry the posterior's features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.posterior.posterior import LetterPosterior, UniformPosterior
from agents.ppo.features import NUM_LETTER_FEATURES, NUM_STATE_FEATURES, policy_features
from envs.encoding import MAX_LENGTH, NUM_LETTERS
from envs.hangman.observation import Observation
from envs.hangman.sb3 import BatchVecEnv, HangmanVecEnv

Features = dict[str, npt.NDArray[np.float32]]


class PosteriorVecEnv(BatchVecEnv):
    """Batches of games as one batch of ``policy_features`` by one posterior.

    The features are computed once a step, rather than anew in each epoch of PPO over the same
    rollout.

    Parameters
    ----------
    envs : sequence of HangmanVecEnv
        Each plays words of its own.
    posterior : LetterPosterior or UniformPosterior
        It stays as it is.
    look_ahead_lives : int
        Of ``policy_features``.
    """

    render_mode = None

    def __init__(
        self,
        envs: Sequence[HangmanVecEnv],
        posterior: LetterPosterior | UniformPosterior,
        look_ahead_lives: int = 0,
    ) -> None:
        self.posterior = posterior
        self._look_ahead_lives = look_ahead_lives
        self._envs = list(envs)
        self._first = np.cumsum([0, *(env.num_envs for env in self._envs)])
        features = {
            "letters": spaces.Box(-np.inf, np.inf, (NUM_LETTERS, NUM_LETTER_FEATURES)),
            "state": spaces.Box(-np.inf, np.inf, (NUM_STATE_FEATURES,)),
        }
        super().__init__(int(self._first[-1]), spaces.Dict(features), spaces.Discrete(NUM_LETTERS))

    def reset(self) -> Features:
        """Begin new games, with the seeds of ``seed()``."""
        for env, first in zip(self._envs, self._first, strict=False):
            env._seeds = self._seeds[first : first + env.num_envs]
            env.reset()
        self._reset_seeds()
        return self.observe()

    def observe(self) -> Features:
        """Return the features of the games as they stand."""
        parts = [env.observe() for env in self._envs]
        words = [
            np.pad(part["word"], ((0, 0), (0, MAX_LENGTH - part["word"].shape[1])))
            for part in parts
        ]
        observations = Observation(
            word=np.concatenate(words),
            guessed=np.concatenate([part["guessed"] for part in parts]),
            lives=np.concatenate([part["lives"] for part in parts]),
        )
        return policy_features(self.posterior, observations, self._look_ahead_lives)

    def step_async(self, actions: npt.NDArray[np.integer]) -> None:
        """Hand the actions to the batches."""
        for env, first in zip(self._envs, self._first, strict=False):
            env.step_async(actions[first : first + env.num_envs])

    def step_wait(self) -> VecEnvStepReturn:
        """Guess the letters; the last observation of a game stays that of the game itself."""
        steps = [env.step_wait() for env in self._envs]
        rewards = np.concatenate([rewards for _, rewards, _, _ in steps])
        ended = np.concatenate([ended for _, _, ended, _ in steps])
        infos = [info for _, _, _, infos in steps for info in infos]
        return self.observe(), rewards, ended, infos

    @property
    def games(self) -> PosteriorVecEnv:
        """The batch that callers' attributes are looked up in: this one."""
        return self

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, shape (num_envs, 26)."""
        return np.concatenate([env.action_masks() for env in self._envs])

    def get_state(self) -> dict[str, Any]:
        """Return all that the coming games depend on."""
        return {str(number): env.get_state() for number, env in enumerate(self._envs)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`get_state` returned."""
        for number, env in enumerate(self._envs):
            env.set_state(state[str(number)])
