"""The default network of Stable-Baselines3: a multilayer perceptron on a flat observation."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from hangman_lab.agents.ppo.network import perceptron
from hangman_lab.envs.encoding import MAX_LENGTH, NUM_CODES, NUM_LETTERS

_HIDDEN = 64
_ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU}
# Faster than one_hot, which makes integers.
_CODES = torch.eye(NUM_CODES)


def flat_size(max_wrong: int) -> int:
    """Return the size of a vector of :func:`flatten`, ``923 + max_wrong``."""
    return MAX_LENGTH * NUM_CODES + NUM_LETTERS + max_wrong + 1


def flatten(word: torch.Tensor, guessed: torch.Tensor, lives: torch.Tensor) -> torch.Tensor:
    """Return observations as vectors of zeros and ones, float32 of shape (N, size).

    A vector has the one-hot codes of 32 positions with 28 entries each, the 26 entries of
    ``guessed``, and ``lives``, which is one-hot already. Its size is the same for any word list.
    """
    codes = functional.pad(word.long(), (0, MAX_LENGTH - word.shape[1]))
    return torch.cat([part.flatten(1) for part in (_CODES[codes], guessed, lives)], dim=1)


class FlatNetwork(nn.Module):
    """Scores the 26 letters, as logits or action values, from the flat observation.

    Parameters
    ----------
    max_wrong : int
        The highest number of lives of the vectors; more lives count as ``max_wrong``.
    activation : {"tanh", "relu"}
        The activation of the two hidden layers, which have 64 units each.
    """

    def __init__(self, max_wrong: int, activation: str) -> None:
        super().__init__()
        self.parameters_of_init = {"max_wrong": max_wrong, "activation": activation}
        self._max_wrong = max_wrong
        kind = _ACTIVATIONS[activation]
        self.layers = perceptron(flat_size(max_wrong), _HIDDEN, NUM_LETTERS, kind)

    def forward_actor(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the letter scores, shape (N, 26), for observations of N games as tensors."""
        lives = observations["lives"].long().clamp(max=self._max_wrong)
        lives = functional.one_hot(lives, self._max_wrong + 1)
        return self.layers(flatten(observations["word"], observations["guessed"], lives))
