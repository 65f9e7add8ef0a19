"""The agents that sample letters by frequency."""

import numpy as np
from scipy.stats import chisquare

from hangman_lab.agents.frequency import OverallFrequencyAgent, RandomAgent
from hangman_lab.envs.hangman.observation import parse_observation


def repeat(observation, games):
    return {name: np.repeat(value, games, axis=0) for name, value in observation.items()}


def test_samples_follow_the_frequencies():
    batch = repeat(parse_observation("__", wrong="d"), 20_000)
    letters = OverallFrequencyAgent(seed=1).fit(("ab", "ac", "ad", "ba")).act(batch)
    shares = np.bincount(letters, minlength=4)[:4] / len(letters)
    np.testing.assert_allclose(shares, [3 / 6, 2 / 6, 1 / 6, 0], atol=0.015)


def test_the_random_agent_samples_unguessed_letters_uniformly():
    batch = repeat(parse_observation("no_n", wrong="xyz"), 25_000)
    counts = np.bincount(RandomAgent(seed=1).act(batch), minlength=26)
    left = [letter for letter in range(26) if chr(97 + letter) not in "noxyz"]
    assert counts.sum() == counts[left].sum()
    assert chisquare(counts[left]).pvalue > 1e-3
