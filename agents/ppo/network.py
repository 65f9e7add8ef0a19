"""The policy network on the posterior, and its features."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from hangman_lab.agents.posterior.posterior import LetterPosterior
from hangman_lab.envs.encoding import BLANK, LETTER_CODES, NUM_LETTERS, PADDING
from hangman_lab.envs.hangman.observation import Observation
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG

NUM_LETTER_FEATURES = 6
_NUM_TOP = 5
NUM_STATE_FEATURES = 11 + _NUM_TOP
_MAX_LOG_ODDS = 8.0  # The odds e**-8 are 0.0003.
# Indices of letter features.
LOG_ODDS = 0
LOOK_AHEAD = 5
# Look-ahead gaps are clipped to this, in percentage points.
_MAX_LOSS = 10.0
# The initial policy samples letters in proportion to this power of their odds.
_INITIAL_SCALE = 4.0
# The look-ahead gap is multiplied by this. Adam's steps do not depend on the gradient's scale, so
# that the unit sets how fast the weight can grow.
_LOOK_AHEAD_UNIT = 10.0
_INITIAL_LOOK_AHEAD = 0.2


def perceptron(
    num_inputs: int, num_hidden: int, num_outputs: int = 1, activation: type[nn.Module] = nn.Tanh
) -> nn.Sequential:
    """Return a network with two hidden layers."""
    return nn.Sequential(
        nn.Linear(num_inputs, num_hidden),
        activation(),
        nn.Linear(num_hidden, num_hidden),
        activation(),
        nn.Linear(num_hidden, num_outputs),
    )


class PolicyNetwork(nn.Module):
    """Scores the 26 letters and estimates the expected return.

    A letter's score is ``scale`` times its log-odds, plus ``look_ahead`` times its gap to the best
    letter in the probability of winning, plus the output of a small network shared by all letters
    (``letters``). The output of ``letters`` is initially 0: the initial policy is a softmax of
    posterior and look-ahead.

    Parameters
    ----------
    letter_hidden : int, default 32
        Units of each hidden layer of ``letters`` and ``value``.
    look_ahead_lives : int, default 0
        See :func:`policy_features`; stored with the weights that depend on it.
    """

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
        for parameter in self.letters[-1].parameters():
            nn.init.zeros_(parameter)
        self.value = perceptron(NUM_STATE_FEATURES, letter_hidden)

    def forward_actor(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the letter scores, shape (N, 26)."""
        letters = features["letters"]
        state = features["state"].unsqueeze(1).expand(-1, NUM_LETTERS, -1)
        return (
            self.scale(letters[:, :, LOG_ODDS, None])
            + self.look_ahead(_LOOK_AHEAD_UNIT * letters[:, :, LOOK_AHEAD, None])
            + self.letters(torch.cat([letters, state], dim=2))
        ).squeeze(2)

    def forward(self, features: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the letter scores, and the expected return, shape (N, 1)."""
        return self.forward_actor(features), self.value(features["state"])


def policy_features(
    posterior: LetterPosterior, observations: Observation, look_ahead_lives: int = 0
) -> dict[str, npt.NDArray[np.float32]]:
    """Return the inputs of :class:`PolicyNetwork` for N games.

    The look-ahead is used in games with at most ``look_ahead_lives`` lives.

    Returns
    -------
    dict
        ``letters``, float32 of shape (N, 26, 6): the log-odds of the letter, its log-odds relative
        to the likeliest letter, its probability, whether it was guessed, whether it was guessed
        wrong, and its look-ahead gap to the best letter in percentage points from -10 to 0 (-10
        for letters that were not evaluated, 0 for all letters without look-ahead).
        ``state``, float32 of shape (N, 16): lives / 6, one life left, two lives left, blanks / 10,
        length / 10, share of shown places, guessed letters / 26, expected number of different
        hidden letters / 10, the probability of a listed word, whether there is a look-ahead, its
        highest probability of winning (0 without), and the five highest letter probabilities.
    """
    lives, guessed = observations["lives"], observations["guessed"] != 0
    blanks = (observations["word"] == BLANK).sum(axis=1)
    lengths = (observations["word"] != PADDING).sum(axis=1)
    wrong = guessed & ~(observations["word"][:, :, None] == LETTER_CODES).any(axis=1)
    belief = posterior.belief(observations)
    chance = np.clip(belief.present, 1e-6, 1 - 1e-6)
    log_odds = np.log(chance / (1 - chance)).clip(-_MAX_LOG_ODDS, _MAX_LOG_ODDS)
    log_odds[guessed] = -_MAX_LOG_ODDS
    relative = log_odds - log_odds.max(axis=1, keepdims=True)
    wins = posterior.win_probabilities(observations, belief, look_ahead_lives)
    wins = np.where(np.isnan(wins), -1.0, wins)
    best = wins.max(axis=1)
    looked = best >= 0
    best = np.where(looked, best, 0.0)
    gap = np.where(looked[:, None], 100 * (wins - best[:, None]), 0.0).clip(-_MAX_LOSS, 0.0)
    letters = np.stack([log_odds, relative, belief.present, guessed, wrong, gap], axis=2)
    state = np.column_stack(
        [
            lives / DEFAULT_MAX_WRONG,
            lives == 1,
            lives == 2,
            blanks / 10,
            lengths / 10,
            1 - blanks / lengths,
            guessed.sum(axis=1) / NUM_LETTERS,
            belief.present.sum(axis=1) / 10,
            belief.listed_share,
            looked,
            best,
            -np.sort(-belief.present, axis=1)[:, :_NUM_TOP],
        ]
    )
    return {"letters": letters.astype(np.float32), "state": state.astype(np.float32)}
