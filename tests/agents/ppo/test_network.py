from typing import Any

import numpy as np
import pytest
import torch

from hangman_lab.agents.ppo.network import NUM_LETTER_FEATURES, NUM_STATE_FEATURES, policy_features
from hangman_lab.envs.words import default_word_list
from hangman_lab.training.networks import LetterModule, PolicyModule, WindowModule
from tests.agents.games import observe, random_states
from tests.agents.posterior.priors import posterior_of


def module_of(kind: type[LetterModule] = PolicyModule, seed=0, **sizes) -> Any:
    """A module without zero weights, as after training."""
    torch.manual_seed(seed)
    module = kind(**sizes)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return module


# The index of the look-ahead gap among the features of a letter.
GAP = 5
# Real words that have much in common.
WORDS = default_word_list().words[60_000:60_600:2]


def test_scores_are_equivariant_to_permutations_of_letters(states):
    features = policy_features(posterior_of(), states)
    network = module_of().to_numpy()
    order = np.random.default_rng(0).permutation(26)
    renamed = {**features, "letters": features["letters"][:, order]}
    scores = network.letter_scores(features)
    assert network.letter_scores(renamed) == pytest.approx(scores[:, order], abs=1e-5)
    assert scores.std() > 0.1


@pytest.mark.parametrize("kind", [PolicyModule, WindowModule])
def test_the_initial_policy_draws_letters_uniformly(states, kind):
    features = {**states, **policy_features(posterior_of(WORDS), states, look_ahead_lives=2)}
    scores = kind().to_numpy().letter_scores(features)
    assert np.ma.ptp(np.ma.array(scores, mask=states["guessed"] != 0), axis=1).max() < 1e-4


def test_the_features_are_those_documented():
    batch = observe("banana", "anx", max_wrong=6)
    features = policy_features(posterior_of(), batch)
    assert features["letters"].shape == (1, 26, NUM_LETTER_FEATURES)
    assert features["state"].shape == (1, NUM_STATE_FEATURES)
    assert {array.dtype for array in features.values()} == {np.dtype(np.float32)}
    state = features["state"][0]
    belief = posterior_of().belief(batch)
    of_game = [5 / 6, 0, 0, 1 / 10, 6 / 10, 5 / 6, 3 / 26, belief.present.sum() / 10]
    likeliest = np.sort(belief.present[0])[::-1][:5]
    assert state == pytest.approx([*of_game, belief.prob_listed[0], 0, 0, *likeliest], abs=1e-6)
    letters = features["letters"][0]
    chance = belief.present[0].clip(1e-6, 1 - 1e-6)
    open_letters = letters[:, 3] == 0
    expected = np.log(chance / (1 - chance)).clip(-8, 8)[open_letters]
    assert letters[open_letters, 0] == pytest.approx(expected, rel=1e-5)
    assert letters[:, 1] == pytest.approx(letters[:, 0] - letters[:, 0].max(), rel=1e-5)
    assert letters[:, 2] == pytest.approx(belief.present[0])
    assert [chr(97 + letter) for letter in np.flatnonzero(letters[:, 3])] == ["a", "n", "x"]
    assert np.flatnonzero(letters[:, 4]).tolist() == [23]
    assert (letters[letters[:, 3] == 1, 0] == -8).all()
    assert (letters[:, GAP] == 0).all()
    for lives, expected in ((1, [1, 0]), (2, [0, 1])):
        batch["lives"][:] = lives
        assert policy_features(posterior_of(), batch)["state"][0, 1:3].tolist() == expected


def test_extreme_games_give_finite_features():
    for word, letters in (("z" * 32, ""), ("a", ""), ("ab", "bcdefghijklmnopqrstuvwxy")):
        features = policy_features(posterior_of(), observe(word, letters), look_ahead_lives=26)
        assert all(np.isfinite(array).all() for array in features.values())


def test_features_include_the_look_ahead_if_there_is_one():
    model = posterior_of(WORDS)
    states = random_states(WORDS, seed=8)
    features = policy_features(model, states, look_ahead_lives=2)
    belief = model.belief(states)
    values = model.win_probabilities(states, belief, 2)
    looked = ~np.isnan(values).all(axis=1)
    assert 0 < looked.sum() < looked.size
    gap, state = features["letters"][:, :, GAP], features["state"]
    assert (state[:, 9] == looked).all()
    assert (gap[~looked] == 0).all()
    assert (state[~looked, 10] == 0).all()
    values = values[looked]
    best = np.nanmax(values, axis=1)
    assert state[looked, 10] == pytest.approx(best, abs=1e-6)
    # -10 for the letters that were not evaluated.
    expected = np.nan_to_num(100 * (values - best[:, None]), nan=-10).clip(-10)
    assert gap[looked] == pytest.approx(expected, abs=1e-4)
