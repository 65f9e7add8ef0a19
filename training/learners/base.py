"""The base of learners: what a run fits, trains and plays, and the state of MaskablePPO."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from rich.progress import Progress
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

from hangman_lab.agents.base import Agent
from hangman_lab.agents.ppo.agent import NetworkAgent
from hangman_lab.agents.ppo.network import Network
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv
from hangman_lab.envs.rewards import HANGMAN_REWARDS, Reward, make_reward
from hangman_lab.run_files.agents import load_policy
from hangman_lab.run_files.config import Config, LearnerConfig
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.checkpoint import StopRequest
from hangman_lab.training.networks import LetterPolicy
from hangman_lab.training.prediction import PredictivePPO


def reward_of(config: Config) -> Reward:
    """Return the reward of a config; raise InputError if a parameter is unknown."""
    parameters: dict[str, Any] = dict(config.reward.parameters)
    reward: Any = HANGMAN_REWARDS[config.reward.name]
    if any(each.name == "discount" for each in fields(reward)):
        if "discount" in parameters:
            raise InputError(
                "reward.parameters.discount: the reward's discount is the learner's; "
                "set the key 'discount' of the config"
            )
        parameters["discount"] = config.discount
    return make_reward(config.reward.name, **parameters)


def make_env(config: Config, words: Sequence[str], num_envs: int) -> HangmanVecEnv:
    """Return the environment of a config with the given words."""
    return HangmanVecEnv(num_envs, words=words, reward=reward_of(config), **config.env.model_dump())


def _learning_rate(options: LearnerConfig, remaining: float) -> float:
    """Return the linearly decreasing learning rate of an update, above 0 for the last one."""
    # Stable-Baselines3 counts the steps of a rollout before its update.
    return options.learning_rate * (remaining + options.rollout_size / max(options.steps, 1))


class FinalTable(NamedTuple):
    """A table of the final games."""

    name: str  #: Its key in the evaluation.
    part: str  #: The part of the words that is played.
    known: float | None = None  #: The prior probability of known words; None without a posterior.


class Learner:
    """What a run trains.

    ``words`` are the words of the run; the learner fits ``words.parts["train"]`` alone.
    ``options`` are those of the learner, ``config.learner``.
    """

    options: LearnerConfig

    def __init__(self, config: Config, run: RunDirectory, words: RunWords) -> None:
        self.config, self.run, self.words = config, run, words
        self.options = config.learner

    def fit(self, state: dict[str, Any], progress: Progress, stop: StopRequest) -> dict[str, Any]:
        """Write what is fitted before the training, and return the state that it starts from.

        ``state`` is that of an interrupted fit, or empty.
        """
        return {}

    def load(self) -> None:
        """Load what :meth:`fit` has written."""

    def make_model(self) -> MaskablePPO:
        """Return a new model of Stable-Baselines3."""
        raise NotImplementedError

    def make_ppo(
        self, kind: type[MaskablePPO], env: VecEnv, policy: dict[str, Any], **more: Any
    ) -> MaskablePPO:
        """Return a new model with the options of the run; ``policy`` are those of its policy."""
        options = self.options
        with warnings.catch_warnings():
            # A smaller last mini-batch does no harm.
            warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
            return kind(
                LetterPolicy,
                env,
                learning_rate=partial(_learning_rate, options),
                n_steps=options.rollout_steps,
                batch_size=options.batch_size,
                n_epochs=options.epochs,
                gamma=self.config.discount,
                gae_lambda=options.gae_lambda,
                ent_coef=options.entropy_coefficient,
                policy_kwargs=policy,
                seed=self.config.seed,
                device="cpu",
                **more,
            )

    def network(self, model: MaskablePPO) -> Network:
        """Return the network of a model as it is played."""
        return cast(LetterPolicy, model.policy).module.to_numpy()

    def agent(self, network: Network, known: float | None = None) -> NetworkAgent:
        """Return the agent that plays a network, by default as in training.

        ``known`` is the prior probability of known words, where there is a posterior.
        """
        return NetworkAgent(network)

    def get_state(self, model: MaskablePPO) -> dict[str, Any]:
        """Return the training state between two rollouts."""
        env: Any = model.env
        state = {
            "policy": model.policy.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "env": env.get_state(),
            "num_timesteps": model.num_timesteps,
            "num_updates": model._n_updates,
            "episode_starts": np.array(model._last_episode_starts),
            "episodes": list(model.ep_info_buffer or ()),
            # The values of the last update, which are written after the next rollout.
            "logged": {
                key: (float(value), model.logger.name_to_excluded[key])
                for key, value in model.logger.name_to_value.items()
            },
            "numpy_random": np.random.get_state(legacy=False),
            "torch_random": torch.get_rng_state(),
        }
        if isinstance(model, PredictivePPO):
            state["auxiliary_optimizer"] = model.auxiliary_optimizer.state_dict()
        return state

    def set_state(self, model: MaskablePPO, state: dict[str, Any]) -> None:
        """Restore a state; raise InputError if it is that of another model."""
        env: Any = model.env
        try:
            model.policy.load_state_dict(state["policy"])
            model.policy.optimizer.load_state_dict(state["optimizer"])
            if isinstance(model, PredictivePPO):
                model.auxiliary_optimizer.load_state_dict(state["auxiliary_optimizer"])
            model._last_obs = env.set_state(state["env"])
            model.num_timesteps = state["num_timesteps"]
            model._n_updates = state["num_updates"]
            model._last_episode_starts = state["episode_starts"]
            model.ep_info_buffer = deque(state["episodes"], maxlen=model._stats_window_size)
            model.ep_success_buffer = deque(maxlen=model._stats_window_size)
            for key, (value, excluded) in state["logged"].items():
                model.logger.record(key, value, excluded)
            np.random.set_state(state["numpy_random"])
            torch.set_rng_state(state["torch_random"])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            text = f"{self.run.checkpoint}: does not fit the run's config ({error})"
            raise InputError(text) from error

    @property
    def final_tables(self) -> list[FinalTable]:
        """The tables of the final games, that of unseen words first."""
        return [FinalTable("unseen", self.config.final_split), FinalTable("known", "train")]

    def planners(self, known: float | None = None) -> dict[str, Agent]:
        """Return the agents that play a fitted posterior without a policy, by name."""
        return {}

    def final_agents(self, known: float | None) -> dict[str, Agent]:
        """Return the learned agents by name, the policy that the run has written first."""
        policy = self.agent(load_policy(self.run), known)
        return {self.options.agents[0]: policy, **self.planners(known)}
