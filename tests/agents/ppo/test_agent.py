import numpy as np
import pytest
from safetensors.numpy import save

from hangman_lab.agents.ppo.agent import load_network, make_policy_agent, save_network
from hangman_lab.agents.ppo.network import FlatNetwork, PolicyNetwork
from hangman_lab.envs.encoding import MAX_LENGTH
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observations, parse_observation, select
from hangman_lab.training.networks import PolicyModule, WindowModule
from tests.agents.posterior.priors import posterior_of
from tests.agents.ppo.test_network import module_of


def flat_network(activation="relu", max_wrong=6):
    shapes = {"0": (64, MAX_LENGTH * 28 + 27 + max_wrong), "2": (64, 64), "4": (26, 64)}
    random = np.random.default_rng(0)
    weights = {}
    for layer, shape in shapes.items():
        weights[f"layers.{layer}.weight"] = random.normal(0, 0.3, shape).astype(np.float32)
        weights[f"layers.{layer}.bias"] = random.normal(0, 0.3, shape[0]).astype(np.float32)
    return FlatNetwork(weights, max_wrong=max_wrong, activation=activation)


NETWORKS = [
    module_of(PolicyModule).to_numpy(),
    module_of(PolicyModule, letter_hidden=5).to_numpy(),
    module_of(WindowModule, context=3, log_rows=9).to_numpy(),
    flat_network(),
]


def agent_of(network):
    return make_policy_agent(network, posterior_of() if type(network) is PolicyNetwork else None)


@pytest.mark.parametrize("network", NETWORKS)
def test_it_guesses_the_unguessed_letter_with_the_highest_score_in_any_batch(states, network):
    agent = agent_of(network)
    letters, scores = agent.act_batch(states), agent.letter_scores(states)
    best = scores[np.arange(len(letters)), letters]
    assert best == pytest.approx(scores.max(axis=1), abs=1e-5)
    assert (np.isneginf(scores) == (states["guessed"] != 0)).all()
    order = np.random.default_rng(0).permutation(len(letters))
    assert agent.act_batch(select(states, order)).tolist() == letters[order].tolist()
    for game in range(20):
        # A sum of single precision depends on the batch in its last digits.
        alone = agent.letter_scores(select(states, slice(game, game + 1)))[0]
        assert alone == pytest.approx(scores[game], abs=1e-4)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_saved_network_gives_the_same_scores(states, tmp_path, network):
    path = tmp_path / "policy.safetensors"
    save_network(network, path)
    loaded = load_network(path)
    assert type(loaded) is type(network)
    assert loaded.sizes == network.sizes
    scores = agent_of(network).letter_scores(states)
    assert np.array_equal(agent_of(loaded).letter_scores(states), scores)


UNUSABLE_SIZES = (
    None,
    {"other": "x"},
    {"network": "{"},
    {"network": "[]"},
    {"windows": '{"context": 6, "log_rows": 4}'},
    {"network": '{"unknown": 1}'},
    {"network": '{"letter_hidden": 7, "look_ahead_lives": 0}'},
    {"flat": '{"max_wrong": 6, "activation": "none"}'},
)


def test_unreadable_files_are_refused_in_one_line(tmp_path):
    network = NETWORKS[0]
    contents = [save(network.weights, metadata) for metadata in UNUSABLE_SIZES]
    doubles = {name: array.astype(float) for name, array in network.weights.items()}
    contents.append(save(doubles, {"network": '{"letter_hidden": 32, "look_ahead_lives": 0}'}))
    path = tmp_path / "policy.safetensors"
    save_network(network, path)
    for content in (*contents, path.read_bytes()[:-1], None):
        path.unlink() if content is None else path.write_bytes(content)
        with pytest.raises(InputError, match="not a readable policy network") as caught:
            load_network(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_flat_observation_tells_each_place_the_guessed_letters_and_the_lives(activation):
    game = parse_observation("b_", "xy")
    # Code 3 is "b", 1 a blank, 0 after the end.
    places = np.eye(28)[[3, 1, *[0] * 30]].ravel()
    vector = np.concatenate([places, game["guessed"][0], np.eye(7)[4]])
    network = flat_network(activation)
    layers = [network.weights[f"layers.{layer}.weight"] for layer in (0, 2, 4)]
    biases = [network.weights[f"layers.{layer}.bias"] for layer in (0, 2, 4)]
    function = np.tanh if activation == "tanh" else lambda values: values.clip(0)
    for weight, bias in zip(layers[:2], biases[:2], strict=True):
        vector = function(weight @ vector + bias)
    expected = layers[2] @ vector + biases[2]
    assert network.letter_scores(game)[0] == pytest.approx(expected, abs=1e-4)
    # More lives than a policy was trained with count as all that it knows.
    network = flat_network(activation, max_wrong=3)
    more: Observations = {**game, "lives": np.array([9])}
    most: Observations = {**game, "lives": np.array([3])}
    assert np.array_equal(network.letter_scores(more), network.letter_scores(most))
