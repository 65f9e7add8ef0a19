"""Stock algorithms of Stable-Baselines3 and sb3-contrib, on the flat observation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch.nn import functional

from hangman_lab.agents.ppo.network import FlatNetwork
from hangman_lab.envs.encoding import MAX_LENGTH, NUM_CODES, NUM_LETTERS
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv
from hangman_lab.run_files.config import Config
from hangman_lab.training.ppo import reward_of

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
        return torch.cat([codes.flatten(1), observations["guessed"], observations["lives"]], dim=1)


def make_stock_model(
    config: Config, words: Sequence[str]
) -> tuple[BaseAlgorithm, Callable[[], FlatNetwork], int]:
    """Return a new learner with its default network and hyperparameters.

    Only the number of environments, the discount and the seed are taken from the config. Also
    returns a function that makes the network that plays of the model's policy, and the
    ``log_interval`` of ``model.learn``: in rollouts of PPO, in episodes of DQN.
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
    to_numpy = partial(_to_numpy, model.policy, is_dqn, config.env.max_wrong)
    return model, to_numpy, 100 if is_dqn else 1


def _to_numpy(policy: Any, is_dqn: bool, max_wrong: int) -> FlatNetwork:
    layers = policy.q_net.q_net if is_dqn else (*policy.mlp_extractor.policy_net, policy.action_net)
    weights = {
        f"layers.{index}.{name}": tensor.numpy()
        for index, layer in enumerate(layers)
        for name, tensor in layer.state_dict().items()
    }
    return FlatNetwork(weights, max_wrong=max_wrong, activation="relu" if is_dqn else "tanh")
