"""Runs of stock algorithms of Stable-Baselines3 and sb3-contrib."""

from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console

from hangman_lab.envs.words import Split, WordList, read_word_list
from hangman_lab.evaluation.arena import play
from hangman_lab.run_files.agents import load_run_agent
from hangman_lab.run_files.config import STOCK_ALGORITHMS, load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.checkpoint import Interrupted
from hangman_lab.training.learners.stock import StockLearner
from hangman_lab.training.run import resume, train

QUIET = Console(quiet=True)


@pytest.fixture
def config_of(tinier_files):
    # A rollout of PPO with one environment has 2,048 steps.
    common = f"""
        words={tinier_files[1]} env.max_wrong=10 split.fractions=[0.8,0.1,0.1] learner.steps=2_048
        learner.num_envs=1 validation.every=2_048 validation.games=50
    """
    return lambda algorithm, *options: load_config(
        "configs/stock.yaml", [f"learner.algorithm={algorithm}", *common.split(), *options]
    )


@pytest.mark.parametrize("algorithm", STOCK_ALGORITHMS)
def test_what_plays_is_what_the_library_predicts(config_of, few_words, tmp_path, algorithm):
    """On the observations of random games, with the mask where the library has one."""
    config = config_of(algorithm, "learner.num_envs=64", "env.max_wrong=26")
    words = RunWords(WordList(few_words, "words", {}), {"train": few_words}, (1, 32))
    learner = StockLearner(config, RunDirectory(tmp_path), words)
    model: Any = learner.make_model()
    torch.nn.init.normal_(next(model.policy.parameters()), std=0.3)
    random, network = np.random.default_rng(0), learner.network(model)
    observations = model.env.reset()
    for _ in range(10):
        masks = model.env.action_masks()
        options = {"action_masks": masks} if algorithm == "sb3-maskable-ppo" else {}
        expected, _ = model.predict(observations, deterministic=True, **options)
        scores = network.letter_scores(observations)
        scores = np.where(masks, scores, -np.inf) if options else scores
        assert scores.argmax(axis=1).tolist() == expected.tolist()
        letters = np.where(masks, random.random(masks.shape), 0).argmax(axis=1)
        observations, *_ = model.env.step(letters)


@pytest.mark.parametrize("algorithm", STOCK_ALGORITHMS)
def test_it_learns_on_train_words_and_ends_with_its_name_in_the_table(
    config_of, tinier_files, tmp_path, algorithm
):
    run, evaluation = train(config_of(algorithm), QUIET, tmp_path / "run")
    agents = evaluation["agents"]
    assert list(agents) == [algorithm, "dictionary", "random"]
    curves = run.read_curves().set_index("step")
    assert curves["valid/win_rate"].dropna().index.tolist() == [0, 2_048]
    # A step of DQN is a rollout; its curves have a point for many games.
    assert 1 <= curves.loc[:, "rollout/ep_rew_mean"].notna().sum() < 40
    words = Split(0, (0.8, 0.1, 0.1)).divide(read_word_list(tinier_files[1]))
    uncovered = run.uncovered.read_text().split()
    assert len(uncovered) == curves["rollout/uncovered"].iloc[-1]
    assert set(uncovered) <= set(words["train"])
    # What is kept plays again, no letter twice, and any other words too.
    assert run.load_config().learner.agents == (algorithm,)
    agent = load_run_agent(algorithm, run, ())
    assert play(agent, words["valid"], 10).won.sum() == agents[algorithm]["wins"]
    games = play(agent, ["a", "z" * 32], 12)
    assert all(len(set(letters)) == len(letters) for letters in games["letters"])


def test_a_stopped_run_restarts_and_ends_with_the_same_weights(config_of, tmp_path):
    config = config_of("sb3-dqn", "learner.steps=512", "validation.every=256")
    whole, _ = train(config, QUIET, tmp_path / "whole")

    def stop(step, win_rate, run):
        if step == 256:
            raise Interrupted(run.path)

    with pytest.raises(Interrupted):
        train(config, QUIET, tmp_path / "stopped", on_validation=stop)
    resumed, _ = resume(tmp_path / "stopped", QUIET)
    assert resumed.policy.read_bytes() == whole.policy.read_bytes()
