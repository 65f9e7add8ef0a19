"""Rewards of the games in which whole words are guessed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from envs.word_guess.rules import Step

REWARDS = ("sparse", "mistakes")


def compute_rewards(name: str, step: Step) -> npt.NDArray[np.float64]:
    """Return the rewards of one step, shape (N,).

    ``sparse`` is +1 for a win, -1 for a loss and 0 otherwise. ``mistakes`` is -1 for every guess
    that is not the secret, so that the return is minus the number of mistakes.
    """
    if name == "mistakes":
        return step.won - 1.0
    return step.won.astype(np.float64) - step.lost
