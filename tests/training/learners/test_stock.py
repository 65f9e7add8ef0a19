"""Runs of stock algorithms of Stable-Baselines3 and sb3-contrib."""

import numpy as np
import pytest
import torch
from rich.console import Console

from hangman_lab.envs.words import WordList
from hangman_lab.run_files.config import STOCK_ALGORITHMS, load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.learners.stock import StockLearner

QUIET = Console(quiet=True)


@pytest.fixture
def config_of(tinier_files):
    # A rollout of PPO with two environments has 4,096 steps.
    common = f"""
        words={tinier_files[1]} env.max_wrong=10 split.fractions=[0.8,0.1,0.1] learner.steps=8_192
        learner.num_envs=2 validation.every=4_096 validation.games=50
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
    model = learner.make_model()
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
