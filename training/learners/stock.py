"""Stock algorithms of Stable-Baselines3 and sb3-contrib on the flat observation."""

from __future__ import annotations

from typing import Any, cast

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from hangman_lab.agents.base import Agent
from hangman_lab.agents.ppo.agent import NetworkAgent, load_network
from hangman_lab.agents.ppo.flat import FlatNetwork, flat_size, flatten
from hangman_lab.run_files.config import StockConfig
from hangman_lab.training.learners.base import Learner
from hangman_lab.training.learners.ppo import make_env

_ALGORITHMS = {"sb3-ppo": PPO, "sb3-dqn": DQN, "sb3-maskable-ppo": MaskablePPO}


class FlatFeatures(BaseFeaturesExtractor):
    """The flat observation as the features of a ``"MultiInputPolicy"``."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        lives: Any = observation_space["lives"]
        super().__init__(observation_space, flat_size(lives.n - 1))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return a vector per game; Stable-Baselines3 has made the lives one-hot."""
        return flatten(**observations)


class StockLearner(Learner):
    """Trains an algorithm with its default network and hyperparameters.

    Only the number of environments, the discount and the seed are taken from the config. A run is
    resumed from its first step.
    """

    @property
    def options(self) -> StockConfig:
        """The options of the learner."""
        return cast(StockConfig, self.config.learner)

    @property
    def log_interval(self) -> int:
        """In rollouts of PPO, in episodes of DQN."""
        return 100 if self.options.algorithm == "sb3-dqn" else 1

    def make_model(self) -> BaseAlgorithm:
        """Return a new model that plays all train words."""
        num_envs, options = self.options.num_envs, {}
        if self.options.algorithm == "sb3-dqn":
            # One update per four environment steps; DQN counts steps of the whole batch.
            options = {"train_freq": max(1, 4 // num_envs)}
            options["gradient_steps"] = max(1, num_envs // 4)
        return _ALGORITHMS[self.options.algorithm](
            "MultiInputPolicy",
            make_env(self.config, self.words.parts["train"], num_envs),
            gamma=self.config.discount,
            seed=self.config.seed,
            device="cpu",
            policy_kwargs={"features_extractor_class": FlatFeatures},
            **options,
        )

    def agent(self, model: BaseAlgorithm) -> NetworkAgent:
        """Return the agent that plays the layers of a model's policy."""
        policy: Any = model.policy
        is_dqn = self.options.algorithm == "sb3-dqn"
        network = FlatNetwork(self.config.env.max_wrong, "relu" if is_dqn else "tanh")
        layers = (
            policy.q_net.q_net if is_dqn else (*policy.mlp_extractor.policy_net, policy.action_net)
        )
        network.layers = nn.Sequential(*layers)
        return NetworkAgent(network)

    def get_state(self, model: BaseAlgorithm) -> None:
        """Return None: the state is not saved."""

    def set_state(self, model: BaseAlgorithm, state: dict[str, Any]) -> None:
        """Do nothing; there is no state."""

    def final_agents(self, known: float | None) -> dict[str, Agent]:
        """Return the policy."""
        return {self.options.algorithm: NetworkAgent(load_network(self.run.policy))}
