import numpy as np
from scipy.stats import chisquare

from agents.uniform import RandomAgent
from tests.agents.games import observe


def test_each_letter_that_is_left_is_drawn_equally_often():
    batch = {
        key: np.repeat(array, 25_000, axis=0) for key, array in observe("noon", "nxyz").items()
    }
    counts = np.bincount(RandomAgent(seed=1).act(batch), minlength=26)
    left = [letter for letter in range(26) if chr(97 + letter) not in "nxyz"]
    assert counts.sum() == counts[left].sum()
    assert chisquare(counts[left]).pvalue > 1e-3


def test_the_seed_decides():
    batch = {key: np.repeat(array, 100, axis=0) for key, array in observe("noon", "").items()}
    draws = [RandomAgent(seed).act(batch).tolist() for seed in (0, 0, 1)]
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]
