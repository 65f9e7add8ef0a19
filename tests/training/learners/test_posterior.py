"""The words of PPO's games, and the posterior that plays them."""

from hangman_lab.envs.words import WordList
from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.learners.posterior import PosteriorLearner, game_words
from hangman_lab.training.posterior import fit_posterior, hold_back
from tests.agents.ppo.test_network import GAP


def test_half_of_the_games_have_known_words(real_words):
    held_back, known = map(set, hold_back(real_words[:400]))
    words = game_words(real_words[:400])
    assert len(words) == len(set(words)) == 2 * len(held_back)
    assert held_back < set(words) < held_back | known
    # If no word is held back, all are played.
    assert game_words(["cat"]) == ("cat",)


OPTIONS = ["learner.look_ahead_lives=6", "learner.known=0.75"]


def test_ppo_plays_without_the_held_back_words_and_the_agents_with_them(
    tiny_files, real_words, tmp_path
):
    config, words = load_config(tiny_files[0], OPTIONS), real_words[:400]
    run = RunDirectory.create(config, tmp_path / "run")
    fit_posterior(words).save(run)
    run_words = RunWords(WordList(words, "words", {}), {"train": words}, (1, 32))
    learner = PosteriorLearner(config, run, run_words)
    learner.load()
    model = learner.make_model()
    assert set(model.env.posterior.known_words) == set(hold_back(words)[1])
    assert model.env.posterior.prior.known == 0.75
    # With all lives left, it looks ahead already.
    assert model.env.reset()["letters"][:, :, GAP].any()
    assert model.policy.module.sizes["look_ahead_lives"] == 6
    run.save_agent(learner.agent(model))
    assert learner.agent(model).posterior.prior.known == 0.75
    agents = learner.final_agents(known=0.25)
    assert agents["look-ahead"].max_lives == 6
    for agent in (agents["look-ahead"].posterior, agents["posterior"]):
        assert set(agent.known_words) == set(words)
        assert agent.prior.known == 0.25
