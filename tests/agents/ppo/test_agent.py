from unittest.mock import Mock

import numpy as np
import pytest
from safetensors.numpy import save

from hangman_lab.agents.ppo.agent import NetworkAgent, PPOAgent, load_network, save_network
from hangman_lab.agents.ppo.network import PolicyNetwork
from hangman_lab.envs.errors import InputError
from hangman_lab.training.networks import PolicyModule, WindowModule
from tests.agents.posterior.priors import posterior_of
from tests.agents.ppo.test_network import module_of

NETWORKS = [
    module_of(PolicyModule).to_numpy(),
    module_of(PolicyModule, letter_hidden=5).to_numpy(),
    module_of(WindowModule, context=3, log_rows=9).to_numpy(),
]


def agent_of(network):
    if type(network) is PolicyNetwork:
        return PPOAgent(posterior_of(), network)
    return NetworkAgent(network)


@pytest.mark.parametrize("network", NETWORKS)
def test_it_guesses_the_unguessed_letter_with_the_highest_score(states, network):
    agent = agent_of(network)
    letters, scores = agent.act_batch(states), agent.letter_scores(states)
    best = scores[np.arange(len(letters)), letters]
    assert best == pytest.approx(scores.max(axis=1), abs=1e-5)
    assert (np.isneginf(scores) == (states["guessed"] != 0)).all()


@pytest.mark.parametrize("network", NETWORKS)
def test_a_saved_network_gives_the_same_scores(states, tmp_path, network):
    path = tmp_path / "policy.safetensors"
    save_network(network, path)
    loaded = load_network(path)
    assert type(loaded) is type(network)
    assert loaded.sizes == network.sizes
    scores = agent_of(network).letter_scores(states)
    assert np.array_equal(agent_of(loaded).letter_scores(states), scores)


def test_scores_that_differ_by_rounding_are_equal(states):
    """So that the guess does not depend on the batch."""
    scores = np.where(np.arange(26) > 20, 1 + 5e-6, 1.0)
    agent = NetworkAgent(
        Mock(letter_scores=lambda inputs: np.tile(scores, (len(inputs["word"]), 1)))
    )
    assert (agent.act_batch(states) == (states["guessed"] == 0).argmax(axis=1)).all()


UNUSABLE_SIZES = (
    None,
    {"other": "x"},
    {"network": "{"},
    {"network": "[]"},
    {"windows": '{"context": 6, "log_rows": 4}'},
    {"network": '{"unknown": 1}'},
    {"network": '{"letter_hidden": 7, "look_ahead_lives": 0}'},
)


def test_unreadable_files_are_refused_in_one_line(tmp_path):
    network = NETWORKS[0]
    contents = [save(network.weights, metadata) for metadata in UNUSABLE_SIZES]
    doubles = {name: array.astype(float) for name, array in network.weights.items()}
    contents.append(save(doubles, {"network": '{"letter_hidden": 32, "look_ahead_lives": 0}'}))
    contents.append(save(network.weights))
    path = tmp_path / "policy.safetensors"
    save_network(network, path)
    for content in (*contents, path.read_bytes()[:-1], None):
        path.unlink() if content is None else path.write_bytes(content)
        with pytest.raises(InputError, match=rf"^{path}: not a readable policy network.*\Z"):
            load_network(path)
