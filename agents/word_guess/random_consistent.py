"""The agent that guesses any word that may still be the secret."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.word_guess.base import Positions, WordGuessAgent
from agents.word_guess.candidates import CandidateSets
from envs.keyed_random import below, keyed_bits


class RandomConsistentAgent(WordGuessAgent):
    """Draws each word that is consistent with all answers with the same probability.

    Parameters
    ----------
    seed : int, default 0
        Of the draws.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Draw a word of each game's set."""
        set_of_game, games, turns = positions
        draws = below(keyed_bits(self.seed, games, turns), sets.sizes[set_of_game])
        return self.secrets_[sets.members[sets.offsets[set_of_game] + draws]]
