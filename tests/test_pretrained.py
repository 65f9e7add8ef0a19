"""The pretrained policy as it lies in the repository."""

import json

import numpy as np
import pytest

from agents.loading import load_agent
from envs.words import Split, default_word_list, hash_words
from evaluation.arena import play
from training.run_directory import PRETRAINED, RunDirectory

MEGABYTE = 10**6


@pytest.fixture(scope="module")
def run():
    return RunDirectory.open(PRETRAINED)


@pytest.fixture(scope="module")
def parts(run):
    config = run.load_config()
    return Split(config.split.seed, tuple(config.split.fractions)).divide(default_word_list())


def test_it_is_small_and_holds_no_pickle():
    sizes = {path.name: path.stat().st_size for path in PRETRAINED.iterdir()}
    assert max(sizes.values()) <= 16 * MEGABYTE
    assert sum(sizes.values()) <= 32 * MEGABYTE
    assert {name.rpartition(".")[2] for name in sizes} <= {
        "safetensors",
        "npy",
        "yaml",
        "json",
        "md",
    }


def test_it_was_fitted_on_the_train_words_of_the_default_list(run, parts):
    assert np.array_equal(run.load_fitted_words(), np.sort(hash_words(parts["train"])))
    evaluation = json.loads(run.evaluation.read_text())
    assert evaluation["split"] == "test"
    assert evaluation["agents"]["ppo"]["games"] == len(parts["test"])
    assert evaluation["agents"]["ppo"]["seen"] == 0


def test_it_wins_what_its_card_says(run, parts):
    figures = json.loads(run.evaluation.read_text())["agents"]["ppo"]
    card = (PRETRAINED / "README.md").read_text()
    assert f"{100 * figures['win_rate']:.1f}%" in card
    agent = load_agent("ppo", (), 0, run.posterior, run.policy)
    sample = parts["test"][::23]
    won = play(agent, sample).won.mean()
    # Four standard errors of a sample of this size.
    tolerance = 4 * np.sqrt(figures["win_rate"] * (1 - figures["win_rate"]) / len(sample))
    assert won == pytest.approx(figures["win_rate"], abs=tolerance)
