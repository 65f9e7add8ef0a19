"""The words of PPO's games, and the posterior that plays them."""

import pytest

from hangman_lab.agents.ppo.agent import save_network
from hangman_lab.agents.ppo.network import LOOK_AHEAD
from hangman_lab.envs.words import WordList
from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.learners import ppo
from hangman_lab.training.learners.posterior import PosteriorLearner, make_posterior_env
from hangman_lab.training.posterior import fit_posterior, hold_back

NUM_ENVS = 64


@pytest.fixture(scope="module")
def fitted(real_words):
    return fit_posterior(real_words[:400])


@pytest.fixture(scope="module")
def posterior(fitted):
    return fitted.held_back_posterior


@pytest.fixture(scope="module")
def parts(real_words):
    return hold_back(real_words[:400])


@pytest.fixture
def games_of(tiny_files, monkeypatch):
    """Return a function that makes the games of a share: (environment, batches of games)."""

    def games_of(posterior, held_back, known, share):
        batches = []

        class Recorded(ppo.HangmanVecEnv):
            def __init__(self, num_envs, *, words, **options):
                batches.append((num_envs, tuple(words)))
                super().__init__(num_envs, words=words, **options)

        monkeypatch.setattr(ppo, "HangmanVecEnv", Recorded)
        options = [f"learner.known_games={share}", f"learner.num_envs={NUM_ENVS}"]
        config = load_config(tiny_files[0], [*options, "learner.known=0.75"])
        return make_posterior_env(config, posterior, held_back, known), batches

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
    assert env.posterior.prior.known == 0.75
    # If one kind has no word, the other kind is played.
    for held_back, known in ((parts[0], ()), ((), parts[1])):
        _, batches = games_of(posterior, held_back, known, share)
        assert batches == [(NUM_ENVS, held_back or known)]


def test_ppo_plays_without_the_held_back_words_and_the_agents_with_them(
    tiny_files, real_words, fitted, parts, tmp_path
):
    config, words = load_config(tiny_files[0], ["learner.look_ahead_lives=6"]), real_words[:400]
    run = RunDirectory.create(config, tmp_path / "run")
    fitted.save(run)
    run_words = RunWords(WordList(words, "words", {}), {"train": words}, (1, 32))
    learner = PosteriorLearner(config, run, run_words)
    learner.load()
    model = learner.make_model()
    assert set(model.env.posterior.known_words) == set(parts[1])
    # With all lives left, it looks ahead already.
    assert model.env.reset()["letters"][:, :, LOOK_AHEAD].any()
    assert model.policy.module.sizes["look_ahead_lives"] == 6
    save_network(learner.network(model), run.policy)
    agents = learner.final_agents(known=0.25)
    assert agents["look-ahead"].max_lives == 6
    for agent in (agents["look-ahead"].posterior, agents["posterior"]):
        assert set(agent.known_words) == set(words)
        assert agent.prior.known == 0.25
