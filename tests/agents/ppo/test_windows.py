import numba
import numpy as np
import pytest
import torch

from hangman_lab.agents.ppo.windows import WindowNetwork
from hangman_lab.envs.hangman.observation import parse_observation
from tests.agents.games import random_states
from tests.agents.ppo.test_network import network_of, scores_of


def scores(network, pattern, wrong=""):
    """The scores of the unguessed letters for a pattern such as ``_pp_e``."""
    observation = parse_observation(pattern, wrong)
    return np.where(observation["guessed"][0] != 0, np.nan, scores_of(network, observation)[0])


def differ(one, other):
    return not np.allclose(one, other, atol=1e-4, equal_nan=True)


@pytest.fixture(scope="module")
def states(real_words):
    arrays, _ = random_states(real_words[:100], seed=1)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def test_the_initial_policy_is_uniform(states):
    open_letters = states["guessed"] == 0
    scores, _ = WindowNetwork()(states)
    highest = scores.masked_fill(~open_letters, -torch.inf).amax(dim=1, keepdim=True)
    assert torch.allclose(scores[open_letters], highest.expand(-1, 26)[open_letters], atol=1e-4)


def test_padding_changes_nothing(states):
    network = network_of(WindowNetwork)
    wider = {**states, "word": torch.nn.functional.pad(states["word"], (0, 7))}
    with torch.no_grad():
        for narrow, wide in zip(network(states), network(wider), strict=True):
            assert torch.allclose(narrow, wide, atol=1e-5)


def test_it_sees_letters_their_places_the_ends_and_what_was_guessed():
    network = network_of(WindowNetwork)
    assert differ(scores(network, "c__s"), scores(network, "_c_s"))
    assert differ(scores(network, "____"), scores(network, "_____"))
    assert differ(scores(network, "c___", "x"), scores(network, "c___", "y"))
    assert np.isfinite(scores(network, "____")).all()
    network = network_of(WindowNetwork, context=2)
    torch.nn.init.zeros_(network.guessed.weight)
    # Only the context is seen, and the place in the word: the lengths are alike.
    assert differ(scores(network, "_abcd"), scores(network, "_bacd"))
    assert not differ(scores(network, "_abcd"), scores(network, "_abdc"))


def test_a_letter_is_scored_by_how_often_it_is_expected_behind_the_blanks():
    """With equal windows, two blanks double the expected number of each letter."""
    network = WindowNetwork()
    torch.nn.init.normal_(network.windows)
    torch.nn.init.zeros_(network.guessed.weight)
    with torch.no_grad():
        network.windows[:] = network.windows[0] / 10
    for pattern, num_blanks in (("ab_", 1), ("a__", 2)):
        expected = np.exp(scores(network, pattern))
        assert np.nansum(expected) == pytest.approx(num_blanks, abs=1e-4)


def test_the_gradient_is_that_of_the_sum_over_windows(states):
    """Compared with finite differences in the rows of some games, for any number of threads."""
    network = network_of(WindowNetwork, context=3, log_rows=6)
    some = {name: tensor[:12] for name, tensor in states.items()}
    weight = torch.randn(12, 26, generator=torch.Generator().manual_seed(0))

    def loss():
        return (network(some)[0] * weight).sum()

    gradients = []
    for threads in (1, 2):
        numba.set_num_threads(threads)
        network.zero_grad()
        loss().backward()
        gradients.append(network.windows.grad)
    # The first gradient is still in use, so that the second did not overwrite it.
    assert torch.equal(*gradients)
    kept = gradients[0].clone()
    loss().backward()
    assert torch.allclose(network.windows.grad, 2 * kept)
    assert torch.equal(gradients[0], kept)
    rows = gradients[0].abs().sum(dim=1).topk(3).indices
    step = 1e-2
    for row in rows.tolist():
        for letter in (0, 4, 17):
            with torch.no_grad():
                network.windows[row, letter] += step
                high = loss().item()
                network.windows[row, letter] -= 2 * step
                low = loss().item()
                network.windows[row, letter] += step
            expected = gradients[0][row, letter].item()
            assert (high - low) / (2 * step) == pytest.approx(expected, rel=0.05, abs=0.02)
