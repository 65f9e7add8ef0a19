"""The agent that guesses at random."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.base import ScoringAgent
from envs.hangman.observation import Observation


class RandomAgent(ScoringAgent):
    """Draws each letter that has not been guessed with the same probability.

    Parameters
    ----------
    seed : int, default 0
    """

    uses_lives = False

    def __init__(self, seed: int = 0) -> None:
        super().__init__(greedy=False, seed=seed)

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return 1 for each letter, shape (N, 26)."""
        return np.ones(observations["guessed"].shape)
