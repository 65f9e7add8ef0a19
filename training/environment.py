"""The environment that PPO sees: games whose observations carry the posterior's features."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from agents.posterior.windows import WindowPosterior
from agents.ppo.features import NUM_LETTER_FEATURES, NUM_STATE_FEATURES, policy_features
from envs.encoding import NUM_LETTERS
from envs.hangman.sb3 import HangmanVecEnv

Features = dict[str, npt.NDArray[np.float32]]


class PosteriorVecEnv(VecEnvWrapper):
    """Puts :func:`agents.ppo.features.policy_features` in the place of the observations.

    They are computed once a step, rather than anew in each epoch of PPO over the same rollout.

    Parameters
    ----------
    env : HangmanVecEnv
    posterior : WindowPosterior
        It stays as it is.
    """

    def __init__(self, env: HangmanVecEnv, posterior: WindowPosterior) -> None:
        self.posterior = posterior
        shapes = {
            "letters": (NUM_LETTERS, NUM_LETTER_FEATURES),
            "state": (NUM_STATE_FEATURES,),
        }
        observed = env.observation_space.spaces
        super().__init__(
            env,
            observation_space=spaces.Dict(
                {"word": observed["word"], "guessed": observed["guessed"]}
                | {name: spaces.Box(-np.inf, np.inf, shape) for name, shape in shapes.items()}
            ),
        )

    def reset(self) -> Features:
        """Begin new games."""
        return policy_features(self.posterior, self.venv.reset())

    def step_wait(self) -> VecEnvStepReturn:
        """Guess the letters; the last observation of a game stays that of the game itself."""
        observations, rewards, ended, infos = self.venv.step_wait()
        return policy_features(self.posterior, observations), rewards, ended, infos

    def observe(self) -> Features:
        """Return the features of the games as they stand."""
        return policy_features(self.posterior, self.venv.observe())
