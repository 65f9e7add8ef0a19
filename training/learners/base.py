"""The base of learners: what a run fits, trains and plays."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any, ClassVar, NamedTuple

from rich.progress import Progress
from sb3_contrib import MaskablePPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv

from hangman_lab.agents.base import Agent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv
from hangman_lab.envs.rewards import HANGMAN_REWARDS, Reward, make_reward
from hangman_lab.run_files.config import Config, LearnerOptions, PPOOptions
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.checkpoint import StopRequest
from hangman_lab.training.networks import LetterPolicy


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


def _learning_rate(options: PPOOptions, remaining: float) -> float:
    """Return the linearly decreasing learning rate of an update, above 0 for the last one."""
    # Stable-Baselines3 counts the steps of a rollout before its update.
    return options.learning_rate * (remaining + options.rollout_size / max(options.steps, 1))


class FinalTable(NamedTuple):
    """A table of the final games."""

    name: str  #: Its key in the evaluation.
    part: str  #: The part of the words that is played.
    known: float | None = None  #: The prior probability of known words; None without a posterior.


class Learner:
    """What a run trains, with an algorithm of Stable-Baselines3, and the agent that plays it.

    A subclass has ``Options``, the class of its section in recipes; ``agent_class``, whose ``load``
    reads what the ``save`` of an agent has written; :meth:`make_model` and :meth:`agent`.

    ``words`` are the words of the run; the learner fits ``words.parts["train"]`` alone.
    ``options`` are those of the learner, ``config.learner``.
    """

    Options: ClassVar[type[LearnerOptions]] = LearnerOptions
    agent_class: ClassVar[type[Agent]]
    options: Any

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

    def make_model(self) -> BaseAlgorithm:
        """Return a new model, whose environment is that of :func:`make_env` or a wrapper of it.

        A wrapper also has ``get_state`` and ``set_state``.
        """
        raise NotImplementedError

    def agent(self, model: Any) -> Agent:
        """Return the agent that plays a model as it is now."""
        raise NotImplementedError

    @property
    def final_tables(self) -> list[FinalTable]:
        """The tables of the final games, that of unseen words first."""
        return [FinalTable("unseen", self.config.final_split), FinalTable("known", "train")]

    def planners(self, known: float | None = None) -> dict[str, Agent]:
        """Return the agents that play a fitted posterior without a policy, by name."""
        return {}

    def final_agents(self, known: float | None) -> dict[str, Agent]:
        """Return the learned agents by name, the policy that the run has written first.

        ``known`` is the prior probability of known words, where there is a posterior.
        """
        return {self.options.agents[0]: self.agent_class.load(self.run.path)}


class PPOLearner(Learner):
    """A learner with MaskablePPO."""

    Options = PPOOptions
    options: PPOOptions

    def make_ppo(
        self, kind: type[MaskablePPO], env: VecEnv, policy: dict[str, Any], **more: Any
    ) -> MaskablePPO:
        """Return a new model with the options of the run.

        ``policy`` are the arguments of ``training.networks.LetterPolicy``: ``module`` makes an
        untrained module.
        """
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
