"""Stock algorithms of Stable-Baselines3 and sb3-contrib on the flat observation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from hangman_lab.agents.ppo.flat import FlatNetwork, flat_size, flatten
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv
from hangman_lab.run_files.config import Config
from hangman_lab.training.ppo import reward_of

_ALGORITHMS = {"sb3-ppo": PPO, "sb3-dqn": DQN, "sb3-maskable-ppo": MaskablePPO}


class FlatFeatures(BaseFeaturesExtractor):
    """The flat observation as the features of a ``"MultiInputPolicy"``."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        lives: Any = observation_space["lives"]
        super().__init__(observation_space, flat_size(lives.n - 1))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return a vector per game; Stable-Baselines3 has made the lives one-hot."""
        return flatten(**observations)


def make_stock_model(
    config: Config, words: Sequence[str]
) -> tuple[BaseAlgorithm, FlatNetwork, int]:
    """Return a new learner with its default network and hyperparameters.

    Only the number of environments, the discount and the seed are taken from the config. Also
    returns a network that shares the layers of the model's policy, and the ``log_interval`` of
    ``model.learn``: in rollouts of PPO, in episodes of DQN.
    """
    num_envs = config.ppo.num_envs
    env = HangmanVecEnv(num_envs, words=words, reward=reward_of(config), **config.env.model_dump())
    is_dqn = config.algorithm == "sb3-dqn"
    options: dict[str, Any] = {}
    if is_dqn:
        # One update per four environment steps; DQN counts steps of the whole batch.
        options = {"train_freq": max(1, 4 // num_envs), "gradient_steps": max(1, num_envs // 4)}
    model = _ALGORITHMS[config.algorithm](
        "MultiInputPolicy",
        env,
        gamma=config.discount,
        seed=config.seed,
        device="cpu",
        policy_kwargs={"features_extractor_class": FlatFeatures},
        **options,
    )
    network = FlatNetwork(config.env.max_wrong, "relu" if is_dqn else "tanh")
    policy = model.policy
    network.layers = nn.Sequential(
        *(policy.q_net.q_net if is_dqn else (*policy.mlp_extractor.policy_net, policy.action_net))
    )
    return model, network, 100 if is_dqn else 1
