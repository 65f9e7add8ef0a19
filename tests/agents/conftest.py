"""Games to ask agents about."""

from __future__ import annotations

import numpy as np
import pytest

from envs.encoding import encode_words
from envs.hangman.rules import HangmanGames
from envs.words import default_word_list


@pytest.fixture(scope="session")
def real_words():
    """Every 40th word of the default list."""
    return default_word_list().words[::40]


@pytest.fixture
def play_some():
    """Return what players see after ``turns`` letters, each drawn at random, of each secret.

    Every second letter is drawn from the secret, so that games get far.
    """

    def observe(secrets, turns, seed=0):
        rng = np.random.default_rng(seed)
        encoded = encode_words(secrets)
        games = HangmanGames(len(secrets), encoded.width, max_wrong=26)
        games.start(slice(None), encoded)
        for turn in range(max(turns)):
            state = games.get_state()
            guesses = np.array(
                [
                    rng.integers(26)
                    if rng.random() < 0.5
                    else ord(secret[rng.integers(len(secret))]) - ord("a")
                    for secret in secrets
                ]
            )
            games.guess(guesses)
            stopped = np.array(turns) <= turn
            for name, before in state.items():
                after = games.get_state()[name]
                after[stopped] = before[stopped]
                games.set_state({**games.get_state(), name: after})
        return games.observe()

    return observe
