import numpy as np
import pytest
import torch

from agents.ppo.features import NUM_LETTER_FEATURES, NUM_STATE_FEATURES, policy_features
from agents.ppo.network import PatternNetwork, PolicyNetwork
from tests.agents.games import observe, random_states
from tests.agents.posterior.test_mixture import random_mixture


def network_of(seed=0, **options):
    """A network whose every weight counts, as after training."""
    torch.manual_seed(seed)
    network = PolicyNetwork(**options)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return network.eval()


@pytest.fixture(scope="module")
def features(real_words):
    states, _ = random_states(real_words[:100], seed=1)
    arrays = policy_features(random_mixture(), states)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def test_letters_have_no_order(features):
    """Without the pattern, renaming the letters renames their scores and nothing else."""
    network = network_of()
    order = torch.randperm(26, generator=torch.Generator().manual_seed(0))
    renamed = {**features, "letters": features["letters"][:, order]}
    with torch.no_grad():
        scores, value = network(features)
        renamed_scores, renamed_value = network(renamed)
    assert torch.allclose(renamed_scores, scores[:, order], atol=1e-5)
    assert torch.allclose(renamed_value, value)
    assert scores.std() > 0.1


@pytest.mark.parametrize("pattern_channels", [0, 8])
def test_a_batch_equals_its_games_alone(features, pattern_channels):
    network = network_of(pattern_channels=pattern_channels)
    with torch.no_grad():
        scores, value = network(features)
        assert scores.shape == (len(features["word"]), 26)
        assert value.shape == (len(features["word"]), 1)
        for game in range(0, len(scores), 9):
            alone = {name: tensor[game : game + 1] for name, tensor in features.items()}
            alone_scores, alone_value = network(alone)
            assert torch.allclose(alone_scores[0], scores[game], atol=1e-4)
            assert torch.allclose(alone_value[0], value[game], atol=1e-4)


def test_padding_changes_nothing(features):
    network = network_of(pattern_channels=8)
    wider = {**features, "word": torch.nn.functional.pad(features["word"], (0, 7))}
    with torch.no_grad():
        for narrow, wide in zip(network(features), network(wider), strict=True):
            assert torch.allclose(narrow, wide, atol=1e-4)


def test_the_pattern_sees_places_and_distances_to_both_ends():
    torch.manual_seed(0)
    pattern = PatternNetwork(8, 2).eval()

    def scores(word, letters):
        batch = observe(word, letters)
        with torch.no_grad():
            return pattern(
                torch.from_numpy(batch["word"]).long(), torch.from_numpy(batch["guessed"]).float()
            )

    assert not torch.allclose(scores("cats", "c"), scores("scat", "c"), atol=1e-4)
    assert not torch.allclose(scores("cats", ""), scores("cat", ""), atol=1e-4)
    assert not torch.allclose(scores("cats", "x"), scores("cats", "y"), atol=1e-4)
    assert torch.isfinite(scores("cat", "cat")).all()


def test_an_untrained_policy_is_greedy_on_the_posterior(real_words):
    model = random_mixture()
    states, _ = random_states(real_words[:200], seed=6)
    features = policy_features(model, states)
    with torch.no_grad():
        scores = PolicyNetwork().forward_actor(
            {name: torch.from_numpy(array) for name, array in features.items()}
        )
    scores = scores.numpy()
    scores[states["guessed"] != 0] = -np.inf
    present = model.posterior(states).present
    chosen = present[np.arange(len(scores)), scores.argmax(axis=1)]
    assert chosen == pytest.approx(present.max(axis=1), abs=1e-4)


def test_frozen_parts_do_not_learn():
    network = PolicyNetwork(pattern_channels=4)
    network.freeze(["scale", "pattern"])
    trained = {name.split(".")[0] for name, p in network.named_parameters() if p.requires_grad}
    assert trained == {"look_ahead", "letters", "value"}
    PolicyNetwork(pattern_channels=0).freeze(["pattern"])


def test_the_features_say_what_their_documentation_says():
    batch = observe("banana", "anx", max_wrong=6)
    features = policy_features(random_mixture(), batch)
    assert features["letters"].shape == (1, 26, NUM_LETTER_FEATURES)
    assert features["state"].shape == (1, NUM_STATE_FEATURES)
    assert {array.dtype for name, array in features.items() if name in ("letters", "state")} == {
        np.dtype(np.float32)
    }
    state = features["state"][0]
    posterior = random_mixture().posterior(batch)
    assert state[:8] == pytest.approx(
        [5 / 6, 0, 0, 1 / 10, 6 / 10, 5 / 6, 3 / 26, posterior.present.sum() / 10], abs=1e-5
    )
    assert state[8:10].tolist() == [0, 0]
    assert state[10:] == pytest.approx(np.sort(posterior.present[0])[::-1][:5], abs=1e-6)
    letters = features["letters"][0]
    assert letters[:, 2] == pytest.approx(posterior.present[0])
    assert letters[:, 3] == pytest.approx(posterior.expected[0])
    assert letters[:, 4] == pytest.approx(posterior.highest[0])
    guessed = [chr(97 + letter) for letter in np.flatnonzero(letters[:, 5])]
    assert guessed == ["a", "n", "x"]
    assert np.flatnonzero(letters[:, 6]).tolist() == [23]
    assert (letters[letters[:, 5] == 1, 0] == -8).all()
    assert letters[:, 1].max() == 0
    assert (letters[:, 7] == 0).all()
    for lives, expected in ((1, [1, 0]), (2, [0, 1])):
        batch["lives"][:] = lives
        assert policy_features(random_mixture(), batch)["state"][0, 1:3].tolist() == expected


def test_extreme_games_give_finite_features(real_words):
    for word, letters in (("z" * 32, ""), ("a", ""), ("ab", "bcdefghijklmnopqrstuvwxy")):
        features = policy_features(random_mixture(), observe(word, letters), look_ahead_lives=26)
        for name in ("letters", "state"):
            assert np.isfinite(features[name]).all()


def test_the_look_ahead_is_told_where_there_is_one(real_words):
    model = random_mixture(real_words)
    states, _ = random_states(real_words[:300], seed=8)
    features = policy_features(model, states, look_ahead_lives=2)
    values = model.win_probabilities(states, model.posterior(states), 2)
    looked = ~np.isnan(values).all(axis=1)
    assert 0 < looked.sum() < len(looked)
    assert (features["state"][:, 8] == looked).all()
    loss = features["letters"][:, :, 7]
    assert (loss[~looked] == 0).all()
    assert (features["state"][~looked, 9] == 0).all()
    best = np.nanmax(values[looked], axis=1)
    assert features["state"][looked, 9] == pytest.approx(best, abs=1e-6)
    expected = np.nan_to_num(100 * (values[looked] - best[:, None]), nan=-10).clip(-10)
    assert loss[looked] == pytest.approx(expected, abs=1e-4)
    assert (loss[looked].max(axis=1) == 0).all()
    # A policy that follows the look-ahead guesses the letter that it values most.
    network = PolicyNetwork(look_ahead_lives=2)
    torch.nn.init.constant_(network.look_ahead.weight, 1e4)
    with torch.no_grad():
        scores = network.forward_actor(
            {name: torch.from_numpy(array) for name, array in features.items()}
        )
    chosen = scores.numpy()[looked].argmax(axis=1)
    assert values[looked, chosen] == pytest.approx(best)
