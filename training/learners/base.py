"""The interface of learners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar, cast

from rich.progress import Progress
from stable_baselines3.common.base_class import BaseAlgorithm

from hangman_lab.agents.base import Agent
from hangman_lab.agents.ppo.agent import NetworkAgent
from hangman_lab.agents.ppo.network import Network
from hangman_lab.run_files.agents import load_policy
from hangman_lab.run_files.config import Config, LearnerConfig
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.checkpoint import StopRequest

Options = TypeVar("Options", bound=LearnerConfig)


class FinalTable(NamedTuple):
    """A table of the final games."""

    name: str  #: Its key in the evaluation.
    part: str  #: The part of the words that is played.
    known: float | None = None  #: The prior probability of known words; None without a posterior.


class Learner(ABC, Generic[Options]):
    """What a run trains.

    ``words`` are the words of the run; the learner fits ``words.parts["train"]`` alone.
    ``options`` are those of the learner, ``config.learner``.
    """

    def __init__(self, config: Config, run: RunDirectory, words: RunWords) -> None:
        self.config, self.run, self.words = config, run, words
        self.options = cast(Options, config.learner)

    def fit(self, state: dict[str, Any], progress: Progress, stop: StopRequest) -> dict[str, Any]:
        """Write what is fitted before the training, and return the state that it starts from.

        ``state`` is that of an interrupted fit, or empty.
        """
        return {}

    def load(self) -> None:
        """Load what :meth:`fit` has written."""

    @abstractmethod
    def make_model(self) -> BaseAlgorithm:
        """Return a new model of Stable-Baselines3."""

    @abstractmethod
    def network(self, model: BaseAlgorithm) -> Network:
        """Return the network of a model as it is played."""

    def agent(self, network: Network, known: float | None = None) -> NetworkAgent:
        """Return the agent that plays a network, by default as in training.

        ``known`` is the prior probability of known words, where there is a posterior.
        """
        return NetworkAgent(network)

    @abstractmethod
    def get_state(self, model: BaseAlgorithm) -> dict[str, Any]:
        """Return the training state between two rollouts."""

    @abstractmethod
    def set_state(self, model: BaseAlgorithm, state: dict[str, Any]) -> None:
        """Restore a state saved by :meth:`get_state`."""

    @property
    def final_tables(self) -> list[FinalTable]:
        """The tables of the final games, that of unseen words first."""
        return [FinalTable("unseen", self.config.final_split), FinalTable("known", "train")]

    def planners(self, known: float | None = None) -> dict[str, Agent]:
        """Return the agents that play what was fitted without a policy, by name."""
        return {}

    def final_agents(self, known: float | None) -> dict[str, Agent]:
        """Return the learned agents by name, the policy that the run has written first."""
        policy = self.agent(load_policy(self.run), known)
        return {self.options.agents[0]: policy, **self.planners(known)}
