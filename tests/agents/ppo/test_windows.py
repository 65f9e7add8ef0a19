import numpy as np
import pytest

from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.training.networks import WindowModule
from tests.agents.ppo.test_network import module_of


def scores(network, pattern, wrong=""):
    """The scores of the unguessed letters for a pattern such as ``_pp_e``."""
    observation = parse_observation(pattern, wrong)
    return np.where(observation["guessed"][0] != 0, np.nan, network.letter_scores(observation)[0])


def differ(one, other):
    return not np.allclose(one, other, atol=1e-4, equal_nan=True)


def test_padding_changes_nothing(states):
    network = module_of(WindowModule).to_numpy()
    wider = {**states, "word": np.pad(states["word"], ((0, 0), (0, 7)))}
    assert network.letter_scores(wider) == pytest.approx(network.letter_scores(states), abs=1e-5)


def test_it_sees_letters_their_places_the_ends_and_what_was_guessed():
    network = module_of(WindowModule).to_numpy()
    assert differ(scores(network, "c__s"), scores(network, "_c_s"))
    assert differ(scores(network, "____"), scores(network, "_____"))
    assert differ(scores(network, "c___", "x"), scores(network, "c___", "y"))
    assert np.isfinite(scores(network, "____")).all()
    network = module_of(WindowModule, context=2).to_numpy()
    network.weights["guessed.weight"][:] = 0
    # Only the context is seen, and the place in the word: the lengths are alike.
    for pattern, near, second, far in (
        ("_abcd", "_bacd", "_acbd", "_abdc"),
        ("dcba_", "dcab_", "dbca_", "cdba_"),
    ):
        expected = scores(network, pattern)
        assert differ(expected, scores(network, near))
        assert differ(expected, scores(network, second))
        assert not differ(expected, scores(network, far))


def test_a_letter_is_scored_by_how_often_it_is_expected_behind_the_blanks():
    """With equal windows, two blanks double the expected number of each letter."""
    network = WindowModule().to_numpy()
    network.weights["windows"][:] = np.random.default_rng(0).normal(0, 0.1, 26)
    for pattern, num_blanks in (("ab_", 1), ("a__", 2)):
        expected = np.exp(scores(network, pattern))
        assert np.nansum(expected) == pytest.approx(num_blanks, abs=1e-4)
