"""Which words PPO's games have, and with which posterior they are played."""

import pytest

from agents.posterior.posterior import UniformPosterior
from agents.ppo.windows import WindowNetwork
from runs.config import load_config
from tests.training.listed import known_words
from training import ppo
from training.posterior import fit_posterior, hold_back

NUM_ENVS = 64


@pytest.fixture(scope="module")
def fitted(real_words):
    return fit_posterior(real_words[:400])


@pytest.fixture(scope="module")
def parts(real_words):
    return hold_back(real_words[:400])


@pytest.fixture
def games_of(tiny_files, monkeypatch):
    """Return a function that makes a learner: (its environment, its batches of games)."""

    def games_of(posterior, unknown, known, share):
        batches = []

        class Recorded(ppo.HangmanVecEnv):
            def __init__(self, num_envs, *, words, **options):
                batches.append((num_envs, tuple(words)))
                super().__init__(num_envs, words=words, **options)

        monkeypatch.setattr(ppo, "HangmanVecEnv", Recorded)
        config = load_config(tiny_files[0], [f"ppo.known={share}", f"ppo.num_envs={NUM_ENVS}"])
        return ppo.make_model(config, posterior, unknown, known).env, batches

    return games_of


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_as_many_games_have_known_words_as_the_config_says(fitted, parts, games_of, share):
    env, batches = games_of(fitted.held_back_posterior, *parts, share)
    num_known = round(NUM_ENVS * share)
    expected = [(NUM_ENVS - num_known, parts[0]), (num_known, parts[1])]
    assert batches == [(count, words) for count, words in expected if count]
    assert env.num_envs == NUM_ENVS
    # The posterior is told how many of the secrets it knows.
    assert env.posterior.prior.known == share


def test_a_games_posterior_knows_its_word_or_was_fitted_without_it(fitted, parts, games_of):
    env, batches = games_of(fitted.held_back_posterior, *parts, 0.5)
    (_, unknown), (_, known) = batches
    listed = known_words(env.posterior)
    assert listed == set(known)
    assert not listed & set(unknown)
    # The posterior of all words would know the secrets of both.
    assert set(unknown) < known_words(fitted.posterior)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_where_one_kind_has_no_word_the_others_are_played(fitted, parts, games_of, share):
    for unknown, known in ((parts[0], ()), ((), parts[1])):
        _, batches = games_of(fitted.held_back_posterior, unknown, known, share)
        assert batches == [(NUM_ENVS, unknown or known)]


def test_ppo_alone_plays_all_train_words_alike(tiny_files, real_words):
    overrides = [f"ppo.num_envs={NUM_ENVS}", "posterior.enabled=false", "windows.log_rows=9"]
    config = load_config(tiny_files[0], overrides)
    model = ppo.make_model(config, UniformPosterior(), real_words[:3], real_words[3:400])
    assert isinstance(model.policy.network, WindowNetwork)
    assert len(model.env.games._task._secrets._words) == 400
    assert model.observation_space["word"].shape == (max(map(len, real_words[:400])),)
