"""The default network of Stable-Baselines3: a multilayer perceptron on a flat observation."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from hangman_lab.agents.ppo.network import perceptron
from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.hangman.flat import flat_space, flatten

_HIDDEN = 64
_ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU}


class FlatNetwork(nn.Module):
    """Scores the 26 letters, as logits or action values, from the flat observation.

    Parameters
    ----------
    max_wrong : int
        See :func:`envs.hangman.flat.flatten`.
    activation : {"tanh", "relu"}
        The activation of the two hidden layers, which have 64 units each.
    """

    def __init__(self, max_wrong: int, activation: str) -> None:
        super().__init__()
        self.parameters_of_init = {"max_wrong": max_wrong, "activation": activation}
        self._max_wrong = max_wrong
        size, kind = flat_space(max_wrong).shape[0], _ACTIVATIONS[activation]
        self.layers = perceptron(size, _HIDDEN, NUM_LETTERS, kind)

    def forward_actor(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the letter scores, shape (N, 26), for observations of N games as tensors."""
        arrays: Any = {name: tensor.numpy() for name, tensor in observations.items()}
        return self.layers(torch.from_numpy(flatten(arrays, self._max_wrong)).float())
