import numpy as np
import pytest
import torch
from safetensors.torch import save

from hangman_lab.agents.ppo.agent import load_network, make_policy_agent, save_network
from hangman_lab.agents.ppo.flat import FlatNetwork, flatten
from hangman_lab.agents.ppo.network import PolicyNetwork
from hangman_lab.agents.ppo.windows import WindowNetwork
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import parse_observation, select
from tests.agents.posterior.priors import posterior_of
from tests.agents.ppo.test_network import network_of


@pytest.mark.parametrize("kind", [PolicyNetwork, WindowNetwork])
def test_it_guesses_the_unguessed_letter_with_the_highest_score_in_any_batch(states, kind):
    agent = make_policy_agent(network_of(kind), posterior_of() if kind is PolicyNetwork else None)
    letters, scores = agent.act(states), agent.letter_scores(states)
    assert letters.tolist() == scores.argmax(axis=1).tolist()
    assert (np.isneginf(scores) == (states["guessed"] != 0)).all()
    order = np.random.default_rng(0).permutation(len(letters))
    assert agent.act(select(states, order)).tolist() == letters[order].tolist()
    for game in range(20):
        # A sum of single precision depends on the batch in its last digits.
        alone = agent.letter_scores(select(states, slice(game, game + 1)))[0]
        assert alone == pytest.approx(scores[game], abs=1e-4)


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


UNUSABLE_SIZES = (
    None,
    {"other": "x"},
    {"network": "{"},
    {"windows": '{"log_rows": 4}'},
    {"network": '{"unknown": 1}'},
    {"network": '{"letter_hidden": 7}'},
)


def test_unreadable_files_are_refused_in_one_line(tmp_path):
    weights = dict(PolicyNetwork().state_dict())
    contents = [save(weights, metadata) for metadata in UNUSABLE_SIZES]
    path = tmp_path / "policy.safetensors"
    save_network(PolicyNetwork(), path)
    for content in (*contents, path.read_bytes()[:-1], None):
        path.unlink() if content is None else path.write_bytes(content)
        with pytest.raises(InputError, match="not a readable policy network") as caught:
            load_network(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_the_flat_observation_tells_each_place_the_guessed_letters_and_the_lives():
    game = {name: torch.from_numpy(array) for name, array in parse_observation("b_", "xy").items()}
    vector = flatten(game["word"], game["guessed"], torch.eye(7)[game["lives"]])[0]
    places, guessed, lives = vector.split([32 * 28, 26, 7])
    # Code 3 is "b", 1 a blank, 0 after the end.
    assert places.reshape(32, 28).argmax(dim=1).tolist() == [3, 1, *[0] * 30]
    assert places.sum() == 32
    assert guessed.nonzero().ravel().tolist() == [1, 23, 24]
    assert lives.nonzero().ravel().tolist() == [4]
    # More lives than a policy was trained with count as all that it knows.
    network = network_of(FlatNetwork, max_wrong=3, activation="tanh")
    more, most = (game | {"lives": torch.tensor([lives])} for lives in (9, 3))
    assert torch.equal(network.forward_actor(more), network.forward_actor(most))
