"""PPO by sb3-contrib's MaskablePPO, with or without a posterior, and its training state."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.agents.ppo.network import (
    NUM_LETTER_FEATURES,
    NUM_STATE_FEATURES,
    policy_features,
)
from hangman_lab.envs.encoding import MAX_LENGTH, NUM_LETTERS
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observation
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv, SB3VecEnv
from hangman_lab.envs.rewards import Reward, make_reward
from hangman_lab.run_files.config import Config, PPOConfig
from hangman_lab.training.networks import PolicyModule, WindowModule
from hangman_lab.training.policy import LetterPolicy
from hangman_lab.training.prediction import PredictivePPO


def reward_of(config: Config) -> Reward:
    """Return the reward of a config; raise InputError if a parameter is unknown."""
    parameters: dict[str, Any] = dict(config.reward.parameters)
    if config.reward.name == "potential":
        if "discount" in parameters:
            raise InputError(
                "reward.parameters.discount: the potential's discount is the learner's; "
                "set the key 'discount' of the config"
            )
        parameters["discount"] = config.discount
    try:
        return make_reward(config.reward.name, **parameters)
    except TypeError as error:
        allowed = ", ".join(vars(make_reward(config.reward.name)))
        raise InputError(
            f"reward.parameters: {sorted(parameters)} has an unknown one; {config.reward.name} "
            f"has {allowed}"
        ) from error


class PosteriorVecEnv(SB3VecEnv):
    """Combines environments with different words into one that observes ``policy_features``.

    The features are computed once per step instead of once per epoch of PPO.
    """

    render_mode = None

    def __init__(
        self, envs: list[HangmanVecEnv], posterior: LetterPosterior, look_ahead_lives: int
    ) -> None:
        self.games = self
        self.posterior = posterior
        self._look_ahead_lives = look_ahead_lives
        self._envs = envs
        self._first = np.cumsum([0, *(env.num_envs for env in envs)])
        features: dict[str, spaces.Space[Any]] = {
            "letters": spaces.Box(-np.inf, np.inf, (NUM_LETTERS, NUM_LETTER_FEATURES)),
            "state": spaces.Box(-np.inf, np.inf, (NUM_STATE_FEATURES,)),
        }
        super().__init__(int(self._first[-1]), spaces.Dict(features), spaces.Discrete(NUM_LETTERS))

    def reset(self) -> dict[str, npt.NDArray[np.float32]]:
        """Start new games, with the seeds set by ``seed``."""
        for env, first in zip(self._envs, self._first, strict=False):
            env._seeds = self._seeds[first : first + env.num_envs]
            env.reset()
        self._reset_seeds()
        return self.observe()

    def observe(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return the features of the current states."""
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
        """Pass the actions to the environments."""
        for env, first in zip(self._envs, self._first, strict=False):
            env.step_async(actions[first : first + env.num_envs])

    def step_wait(self) -> VecEnvStepReturn:
        """Step the environments; ``terminal_observation`` is an observation without features."""
        steps = [env.step_wait() for env in self._envs]
        rewards = np.concatenate([rewards for _, rewards, _, _ in steps])
        ended = np.concatenate([ended for _, _, ended, _ in steps])
        infos = [info for _, _, _, infos in steps for info in infos]
        return self.observe(), rewards, ended, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the unguessed letters, shape (num_envs, 26)."""
        return np.concatenate([env.action_masks() for env in self._envs])

    def get_state(self) -> dict[str, Any]:
        """Return the states of the environments."""
        return {str(number): env.get_state() for number, env in enumerate(self._envs)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore a state saved by :meth:`get_state`."""
        for number, env in enumerate(self._envs):
            env.set_state(state[str(number)])


def make_model(
    config: Config,
    posterior: LetterPosterior | None,
    unknown: Sequence[str],
    known: Sequence[str],
) -> MaskablePPO:
    """Return a new learner.

    The posterior is fitted on the known words; None is for PPO alone, which plays all words. With a
    posterior, the share ``config.ppo.known`` of the games has known words, unless there are only
    known or only unknown ones.
    """
    options = config.ppo
    make_env: Callable[..., HangmanVecEnv] = partial(
        HangmanVecEnv, reward=reward_of(config), **config.env.model_dump()
    )
    env: SB3VecEnv
    learner: Callable[..., MaskablePPO] = MaskablePPO
    policy: dict[str, Any] = {}
    if posterior is None:
        env = make_env(options.num_envs, words=(*unknown, *known))
        policy["module"] = partial(WindowModule, **config.windows.model_dump())
        # Fused, since the update of the embedding takes as long as its gradients.
        policy["optimizer_kwargs"] = {"eps": 1e-5, "fused": True}
        if rate := config.prediction.learning_rate:
            learner = partial(PredictivePPO, prediction_rate=rate)
    else:
        policy["module"] = partial(PolicyModule, **config.policy.model_dump())
        num_known = round(options.num_envs * options.known)
        if not unknown or not known:
            num_known = options.num_envs if known else 0
        parts = (options.num_envs - num_known, unknown), (num_known, known)
        envs = [make_env(count, words=words) for count, words in parts if count]
        believed = posterior.with_known(options.known)
        env = PosteriorVecEnv(envs, believed, config.policy.look_ahead_lives)
    with warnings.catch_warnings():
        # A smaller last mini-batch does no harm.
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        return learner(
            LetterPolicy,
            env,
            learning_rate=partial(_learning_rate, options),
            n_steps=options.rollout_steps,
            batch_size=options.batch_size,
            n_epochs=options.epochs,
            gamma=config.discount,
            gae_lambda=options.gae_lambda,
            ent_coef=options.entropy_coefficient,
            policy_kwargs=policy,
            seed=config.seed,
            device="cpu",
        )


def _learning_rate(options: PPOConfig, progress_remaining: float) -> float:
    """Return the linearly decreasing learning rate of an update, above 0 for the last one."""
    # Stable-Baselines3 counts the steps of a rollout before its update.
    rollout = options.num_envs * options.rollout_steps
    return options.learning_rate * (progress_remaining + rollout / max(options.steps, 1))


def get_state(model: MaskablePPO) -> dict[str, Any]:
    """Return the training state; call this between rollouts."""
    env: Any = model.env
    state = {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "env": env.get_state(),
        "num_timesteps": model.num_timesteps,
        "num_updates": model._n_updates,
        "episode_starts": np.array(model._last_episode_starts),
        "episodes": list(model.ep_info_buffer or ()),
        "numpy_random": np.random.get_state(legacy=False),
        "torch_random": torch.get_rng_state(),
    }
    if isinstance(model, PredictivePPO):
        state["prediction_optimizer"] = model.prediction_optimizer.state_dict()
    return state


def set_state(model: MaskablePPO, state: dict[str, Any]) -> None:
    """Restore a state saved by :func:`get_state`."""
    env: Any = model.env
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    if isinstance(model, PredictivePPO):
        model.prediction_optimizer.load_state_dict(state["prediction_optimizer"])
    env.set_state(state["env"])
    model.num_timesteps = state["num_timesteps"]
    model._n_updates = state["num_updates"]
    model._last_obs = env.observe()
    model._last_episode_starts = state["episode_starts"]
    model.ep_info_buffer = deque(state["episodes"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    np.random.set_state(state["numpy_random"])
    torch.set_rng_state(state["torch_random"])
