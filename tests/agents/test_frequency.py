"""The agents that sample letters by frequency."""

import numpy as np
import pytest
from scipy.stats import chisquare

from hangman_lab.agents.frequency import OverallFrequencyAgent, RandomAgent, TopHeavyFrequencyAgent
from hangman_lab.envs.hangman.observation import parse_observation


def repeat(observation, games):
    return {name: np.repeat(value, games, axis=0) for name, value in observation.items()}


def test_top_heavy_prefers_the_most_skewed_blank_to_the_most_frequent_letter():
    # At the last place s has 4 of 5, so that half of two letters has 0.8; at the first place half
    # of five letters has 0.4, though e is in the words more often than any other letter.
    words = ("eees", "beas", "ceos", "deis", "feet")
    observation = parse_observation("____")
    assert OverallFrequencyAgent(greedy=True).fit(words).act(observation)[0] == 4
    places = TopHeavyFrequencyAgent().fit(words).letter_scores(observation)[0]
    # The second place has a single letter, so its skew is 0.
    assert dict(zip("st", places[[18, 19]], strict=True)) == {"s": 4, "t": 1}
    assert places.sum() == 5


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


@pytest.mark.parametrize("kind", [RandomAgent, TopHeavyFrequencyAgent])
def test_the_seed_determines_the_samples(kind, real_words):
    batch = repeat(parse_observation("______"), 200)
    first, again, other = (kind(seed=seed).fit(real_words).act(batch) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
