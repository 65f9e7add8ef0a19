import pickle

import numpy as np
import pytest
import torch
from safetensors.torch import save

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.agents.ppo.agent import NetworkAgent, load_network, make_policy_agent, save_network
from hangman_lab.agents.ppo.flat import FlatNetwork
from hangman_lab.agents.ppo.network import PolicyNetwork
from hangman_lab.agents.ppo.windows import WindowNetwork
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import select
from tests.agents.posterior.priors import Explosive, posterior_of
from tests.agents.ppo.test_network import network_of


@pytest.mark.parametrize("kind", [PolicyNetwork, WindowNetwork])
def test_it_guesses_unguessed_letters_in_any_batch(states, kind):
    agent = make_policy_agent(network_of(kind), posterior_of() if kind is PolicyNetwork else None)
    letters = agent.act(states)
    assert letters.dtype == np.int64
    assert (states["guessed"][np.arange(len(letters)), letters] == 0).all()
    order = np.random.default_rng(0).permutation(len(letters))
    assert agent.act(select(states, order)).tolist() == letters[order].tolist()
    scores = agent.letter_scores(states)
    for game in range(20):
        # A sum of single precision depends on the batch in its last digits.
        alone = agent.letter_scores(select(states, slice(game, game + 1)))[0]
        assert alone == pytest.approx(scores[game], abs=1e-4)
    assert np.isneginf(scores[states["guessed"] != 0]).all()
    assert scores.argmax(axis=1).tolist() == letters.tolist()


def test_its_letter_probabilities_are_those_of_the_posterior(states):
    model = posterior_of()
    agent = make_policy_agent(network_of(), model)
    expected = model.letter_probabilities(states)
    assert np.array_equal(agent.letter_probabilities(states), expected)
    alone = make_policy_agent(network_of(WindowNetwork), None)
    assert type(alone) is NetworkAgent
    assert not isinstance(alone, PosteriorAgent)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (PolicyNetwork, {}),
        (PolicyNetwork, {"letter_hidden": 5}),
        (WindowNetwork, {"context": 3, "log_rows": 9}),
        (FlatNetwork, {"max_wrong": 6, "activation": "relu"}),
    ],
)
def test_a_saved_network_gives_the_same_scores(states, tmp_path, kind, options):
    network = network_of(kind, **options)
    path = tmp_path / "policy.safetensors"
    save_network(network, path)
    loaded = load_network(path)
    assert type(loaded) is kind
    assert loaded.parameters_of_init == network.parameters_of_init
    assert not loaded.training
    model = posterior_of() if kind is PolicyNetwork else None
    one, other = make_policy_agent(network, model), make_policy_agent(loaded, model)
    assert np.array_equal(one.letter_scores(states), other.letter_scores(states))


def damaged_files(tmp_path):
    whole = tmp_path / "whole.safetensors"
    save_network(PolicyNetwork(), whole)
    content = whole.read_bytes()
    for size in (0, 1, 8, 100, len(content) // 2, len(content) - 1):
        yield content[:size]
    yield b"not a network\n" * 20
    yield pickle.dumps(Explosive(tmp_path / "exploded"))
    tensors = dict(PolicyNetwork().state_dict())
    for metadata in (
        None,
        {"other": "x"},
        {"network": "{"},
        {"network": "{}", "windows": "{}"},
        {"windows": '{"log_rows": 4}'},
        {"network": "[1, 2]"},
        {"flat": '{"max_wrong": 6, "activation": "system"}'},
        {"network": '{"unknown": 1}'},
        {"network": '{"letter_hidden": 7}'},
        {"network": '{"letter_hidden": -7}'},
        {"network": '{"letter_hidden": "many"}'},
    ):
        yield save(tensors, metadata)
    yield save({"weight": torch.zeros(3)}, {"network": "{}"})


def test_damaged_and_foreign_files_are_refused_in_one_line_and_run_no_code(tmp_path):
    path = tmp_path / "policy.safetensors"
    for content in damaged_files(tmp_path):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a readable policy network") as caught:
            load_network(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "exploded").exists()
    for missing in (tmp_path / "missing.safetensors", tmp_path):
        with pytest.raises(InputError, match="not a readable policy network"):
            load_network(missing)
