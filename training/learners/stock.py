"""Stock algorithms of Stable-Baselines3 and sb3-contrib, on the flat observation."""

from __future__ import annotations

from typing import Any, cast

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch.nn import functional

from hangman_lab.agents.ppo.network import FlatNetwork, Network
from hangman_lab.envs.encoding import MAX_LENGTH, NUM_CODES, NUM_LETTERS
from hangman_lab.run_files.config import StockConfig
from hangman_lab.training.learners.base import Learner
from hangman_lab.training.learners.ppo import make_env

_ALGORITHMS = {"sb3-ppo": PPO, "sb3-dqn": DQN, "sb3-maskable-ppo": MaskablePPO}
# Faster than one_hot, which makes integers.
_CODES = torch.eye(NUM_CODES)


class FlatFeatures(BaseFeaturesExtractor):
    """The flat observation as the features of a ``"MultiInputPolicy"``.

    A vector of zeros and ones, float32: the one-hot codes of 32 places with 28 entries each, the
    26 entries of ``guessed``, and ``lives``, which Stable-Baselines3 has made one-hot. Its size,
    ``923 + max_wrong``, is the same for any word list.
    """

    def __init__(self, observation_space: spaces.Dict) -> None:
        lives: Any = observation_space["lives"]
        super().__init__(observation_space, MAX_LENGTH * NUM_CODES + NUM_LETTERS + int(lives.n))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return a vector per game."""
        word = observations["word"].long()
        codes = _CODES[functional.pad(word, (0, MAX_LENGTH - word.shape[1]))]
        parts = codes, observations["guessed"], observations["lives"]
        return torch.cat([part.flatten(1) for part in parts], dim=1)


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

    def network(self, model: BaseAlgorithm) -> Network:
        """Return the layers of a model's policy that choose a letter."""
        policy: Any = model.policy
        is_dqn = self.options.algorithm == "sb3-dqn"
        layers = (
            policy.q_net.q_net if is_dqn else [*policy.mlp_extractor.policy_net, policy.action_net]
        )
        weights = {
            f"layers.{index}.{name}": tensor.numpy()
            for index, layer in enumerate(layers)
            for name, tensor in layer.state_dict().items()
        }
        max_wrong, activation = self.config.env.max_wrong, "relu" if is_dqn else "tanh"
        return FlatNetwork(weights, max_wrong=max_wrong, activation=activation)

    def get_state(self, model: BaseAlgorithm) -> None:
        """Return None: the state is not saved."""

    def set_state(self, model: BaseAlgorithm, state: dict[str, Any]) -> None:
        """Do nothing; there is no state."""
