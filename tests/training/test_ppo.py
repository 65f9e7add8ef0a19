"""The words of PPO's games, and the posterior that plays them."""

import pytest

from hangman_lab.run_files.config import load_config
from hangman_lab.training import ppo
from hangman_lab.training.posterior import fit_posterior, hold_back

NUM_ENVS = 64


@pytest.fixture(scope="module")
def posterior(real_words):
    return fit_posterior(real_words[:400]).held_back_posterior


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
        options = [f"ppo.known={share}", f"ppo.num_envs={NUM_ENVS}", "windows.log_rows=9"]
        config = load_config(tiny_files[0], options)
        return ppo.make_model(config, posterior, unknown, known).env, batches

    return games_of


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_share_of_games_with_known_words_is_that_of_the_config(
    posterior, parts, games_of, share
):
    env, batches = games_of(posterior, *parts, share)
    num_known = round(NUM_ENVS * share)
    expected = [(NUM_ENVS - num_known, parts[0]), (num_known, parts[1])]
    assert batches == [(count, words) for count, words in expected if count]
    assert env.num_envs == NUM_ENVS
    # The posterior is told how many of the secrets it knows.
    assert env.posterior.prior.known == share
    # If one kind has no word, the other kind is played.
    for unknown, known in ((parts[0], ()), ((), parts[1])):
        _, batches = games_of(posterior, unknown, known, share)
        assert batches == [(NUM_ENVS, unknown or known)]


def test_ppo_alone_plays_all_train_words(games_of, real_words):
    _, batches = games_of(None, real_words[:3], real_words[3:400], 0.5)
    assert [(count, set(words)) for count, words in batches] == [(NUM_ENVS, set(real_words[:400]))]


@pytest.mark.parametrize("steps", [48, 45])
def test_the_learning_rate_falls_and_the_last_update_learns(tiny_files, few_words, steps):
    """Three rollouts of 16 steps, the last of which may be longer than what is left."""
    options = f"""
        posterior.enabled=false ppo.steps={steps} ppo.num_envs=4 ppo.rollout_steps=4
        ppo.batch_size=16 ppo.learning_rate=1e-2 windows.log_rows=9
    """
    model = ppo.make_model(load_config(tiny_files[0], options.split()), None, (), few_words)
    # Stable-Baselines3 counts the steps of a rollout before its update.
    rates = [model.lr_schedule(1 - 16 * update / steps) for update in (1, 2, 3)]
    assert rates == pytest.approx([1e-2 * (1 - 16 * update / steps) for update in range(3)])
