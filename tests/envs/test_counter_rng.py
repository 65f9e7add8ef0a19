import numpy as np
from scipy.stats import kstest

from hangman_lab.envs.counter_rng import keyed_bits, keyed_uniform


def test_every_key_and_their_order_count():
    draws = {
        int(keyed_bits(*keys)) for keys in [(1, 2, 3), (3, 2, 1), (1, 2), (1, 2, 4), (0, 2, 3)]
    }
    assert len(draws) == 5
    assert int(keyed_bits(-1)) == int(keyed_bits(np.uint64(2**64 - 1)))
    # The first number of SplitMix64 from the state 0.
    assert int(keyed_bits(0)) == 0xE220A8397B1DCDAF


def test_neighbouring_keys_give_draws_that_look_uniform():
    uniform = keyed_uniform(np.arange(200)[:, None], np.arange(200)).ravel()
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert kstest(uniform, "uniform").pvalue > 1e-3
    # Draws of neighbouring games do not go together.
    assert abs(np.corrcoef(uniform[:-1], uniform[1:])[0, 1]) < 0.02
