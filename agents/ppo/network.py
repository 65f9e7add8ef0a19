"""The policy network over the posterior: one small network for every letter."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents.posterior.posterior import LetterPosterior, UniformPosterior
from agents.ppo.features import (
    LOG_ODDS,
    LOOK_AHEAD,
    NUM_LETTER_FEATURES,
    NUM_STATE_FEATURES,
    policy_features,
)
from envs.encoding import NUM_LETTERS
from envs.hangman.observation import Observation

# The initial policy draws a letter with a probability proportional to its odds to this power.
_INITIAL_SCALE = 4.0
# Scores by which a unit of weight punishes a gap of one percentage point. Adam moves every weight
# at one pace, so the unit says how soon look-ahead can count.
_LOOK_AHEAD_UNIT = 10.0
_INITIAL_LOOK_AHEAD = 0.2


def perceptron(num_inputs: int, num_hidden: int) -> nn.Sequential:
    """Return a network of two hidden layers and one output."""
    return nn.Sequential(
        nn.Linear(num_inputs, num_hidden),
        nn.Tanh(),
        nn.Linear(num_hidden, num_hidden),
        nn.Tanh(),
        nn.Linear(num_hidden, 1),
    )


class PolicyNetwork(nn.Module):
    """Scores of the 26 letters and the value of the game.

    A letter's score is ``scale`` times its log-odds of being hidden, plus ``look_ahead`` times its
    win-probability gap to the best letter, plus the output of one small network that is
    shared by all letters (``letters``). The shared network begins at zero, so that the policy
    begins as the guesser by posterior and look-ahead, with some temperature.

    Parameters
    ----------
    letter_hidden : int
        Units of the hidden layers of ``letters`` and ``value``.
    look_ahead_lives : int
        Of :func:`agents.ppo.features.policy_features`; kept here because the weights go with it.
    """

    latent_dim_pi = NUM_LETTERS
    latent_dim_vf = 1

    def __init__(self, letter_hidden: int = 32, look_ahead_lives: int = 0) -> None:
        super().__init__()
        sizes = {"letter_hidden": letter_hidden, "look_ahead_lives": look_ahead_lives}
        self.parameters_of_init = sizes
        self.look_ahead_lives = look_ahead_lives
        self.scale = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.scale.weight, _INITIAL_SCALE)
        self.look_ahead = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.look_ahead.weight, _INITIAL_LOOK_AHEAD)
        self.letters = perceptron(NUM_LETTER_FEATURES + NUM_STATE_FEATURES, letter_hidden)
        nn.init.zeros_(self.letters[-1].weight)
        nn.init.zeros_(self.letters[-1].bias)
        self.value = perceptron(NUM_STATE_FEATURES, letter_hidden)

    def observe(
        self, posterior: LetterPosterior | UniformPosterior, observations: Observation
    ) -> dict[str, npt.NDArray[np.float32]]:
        """Return the network's inputs, ``policy_features``."""
        return policy_features(posterior, observations, self.look_ahead_lives)

    def forward_actor(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the letters' scores, shape (N, 26)."""
        letters = features["letters"]
        state = features["state"].unsqueeze(1).expand(-1, NUM_LETTERS, -1)
        return (
            self.scale(letters[:, :, LOG_ODDS, None])
            + self.look_ahead(_LOOK_AHEAD_UNIT * letters[:, :, LOOK_AHEAD, None])
            + self.letters(torch.cat([letters, state], dim=2))
        ).squeeze(2)

    def forward_critic(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the expected return, shape (N, 1)."""
        return self.value(features["state"])

    def forward(self, features: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the letters' scores and the expected return."""
        return self.forward_actor(features), self.forward_critic(features)
