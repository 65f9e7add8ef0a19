"""The policy network: one small network for every letter, and one for the pattern if wanted."""

from __future__ import annotations

import torch
from torch import nn

from agents.ppo.features import (
    LOG_ODDS,
    LOOK_AHEAD,
    NUM_LETTER_FEATURES,
    NUM_STATE_FEATURES,
)
from envs.encoding import BLANK, MAX_LENGTH, NUM_CODES, NUM_LETTERS, PADDING

# The initial policy draws a letter with a probability proportional to its odds to this power.
_INITIAL_SCALE = 4.0
# Scores by which a unit of weight punishes a gap of one percentage point. Adam moves every weight
# at one pace, so the unit says how soon look-ahead can count.
_LOOK_AHEAD_UNIT = 10.0
_INITIAL_LOOK_AHEAD = 0.1
_KERNEL_SIZE = 5


class PatternNetwork(nn.Module):
    """Convolutions over the masked word, for letter scores without a posterior.

    A place is embedded by its code and by its distance to both ends; the letters that were guessed
    are added to every place. The score of a letter is the log of the sum over blanks of the
    exponentials of its scores there.

    Parameters
    ----------
    channels : int
    num_layers : int
        Residual convolutions of width 5.
    """

    def __init__(self, channels: int, num_layers: int) -> None:
        super().__init__()
        self.code = nn.Embedding(NUM_CODES, channels)
        self.from_start = nn.Embedding(MAX_LENGTH, channels)
        self.from_end = nn.Embedding(MAX_LENGTH, channels)
        self.guessed = nn.Linear(NUM_LETTERS, channels)
        self.layers = nn.ModuleList(
            nn.Conv1d(channels, channels, _KERNEL_SIZE, padding=_KERNEL_SIZE // 2)
            for _ in range(num_layers)
        )
        self.score = nn.Linear(channels, NUM_LETTERS)

    def forward(self, word: torch.Tensor, guessed: torch.Tensor) -> torch.Tensor:
        """Return scores, shape (N, 26), of a long ``word`` (N, width) and a float ``guessed``."""
        inside = (word != PADDING).unsqueeze(-1)
        places = torch.arange(word.shape[1], device=word.device)
        to_end = (inside.sum(dim=1) - 1 - places).clamp(min=0)
        hidden = self.code(word) + self.from_start(places) + self.from_end(to_end)
        hidden = (hidden + self.guessed(guessed).unsqueeze(1)) * inside
        for layer in self.layers:
            change = torch.relu(layer(hidden.transpose(1, 2)).transpose(1, 2))
            hidden = (hidden + change) * inside
        scores = self.score(hidden).masked_fill((word != BLANK).unsqueeze(-1), -1e9)
        return torch.logsumexp(scores, dim=1).clamp(min=-1e4)


class PolicyNetwork(nn.Module):
    """Scores of the 26 letters and the value of the game.

    A letter's score is ``scale`` times its log-odds of being hidden, plus ``look_ahead`` times its
    win-probability gap to the best letter, plus the output of one small network that is
    shared by all letters (``letters``), plus that of a network over the masked word if there is one
    (``pattern``). The shared network begins at zero, so that the policy begins as the guesser
    by posterior and look-ahead, with some temperature.

    Parameters
    ----------
    letter_hidden : int
        Units of the hidden layers of ``letters`` and ``value``.
    pattern_channels : int
        Channels of ``pattern``; 0 leaves it out.
    pattern_layers : int
    look_ahead_lives : int
        Of :func:`agents.ppo.features.policy_features`; kept here because the weights go with it.
    """

    latent_dim_pi = NUM_LETTERS
    latent_dim_vf = 1

    def __init__(
        self,
        letter_hidden: int = 32,
        pattern_channels: int = 0,
        pattern_layers: int = 3,
        look_ahead_lives: int = 0,
    ) -> None:
        super().__init__()
        self.parameters_of_init = {
            "letter_hidden": letter_hidden,
            "pattern_channels": pattern_channels,
            "pattern_layers": pattern_layers,
            "look_ahead_lives": look_ahead_lives,
        }
        self.look_ahead_lives = look_ahead_lives
        self.scale = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.scale.weight, _INITIAL_SCALE)
        self.look_ahead = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.look_ahead.weight, _INITIAL_LOOK_AHEAD)
        self.letters = nn.Sequential(
            nn.Linear(NUM_LETTER_FEATURES + NUM_STATE_FEATURES, letter_hidden),
            nn.Tanh(),
            nn.Linear(letter_hidden, letter_hidden),
            nn.Tanh(),
            nn.Linear(letter_hidden, 1),
        )
        nn.init.zeros_(self.letters[-1].weight)
        nn.init.zeros_(self.letters[-1].bias)
        self.value = nn.Sequential(
            nn.Linear(NUM_STATE_FEATURES, letter_hidden),
            nn.Tanh(),
            nn.Linear(letter_hidden, letter_hidden),
            nn.Tanh(),
            nn.Linear(letter_hidden, 1),
        )
        self.pattern = (
            PatternNetwork(pattern_channels, pattern_layers) if pattern_channels else None
        )

    def freeze(self, parts: list[str]) -> None:
        """Leave parts out of the learning: any of scale, look_ahead, letters, pattern, value."""
        for name in parts:
            part = getattr(self, name)
            if part is not None:
                part.requires_grad_(False)

    def forward_actor(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the letters' scores, shape (N, 26)."""
        letters = features["letters"]
        state = features["state"].unsqueeze(1).expand(-1, NUM_LETTERS, -1)
        scores = (
            self.scale(letters[:, :, LOG_ODDS, None])
            + self.look_ahead(_LOOK_AHEAD_UNIT * letters[:, :, LOOK_AHEAD, None])
            + self.letters(torch.cat([letters, state], dim=2))
        ).squeeze(2)
        if self.pattern is not None:
            scores = scores + self.pattern(features["word"].long(), features["guessed"].float())
        return scores

    def forward_critic(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the expected return, shape (N, 1)."""
        return self.value(features["state"])

    def forward(self, features: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the letters' scores and the expected return."""
        return self.forward_actor(features), self.forward_critic(features)
