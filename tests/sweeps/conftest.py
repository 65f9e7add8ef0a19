"""Sweeps small enough to be run in seconds."""

import io

import pytest
from rich.console import Console

from runs.config import load_config
from tests.conftest import TINY_CONFIG
from training.run import train

SWEEP = """
name: tiny
base: {base}
set: {{ppo.num_envs: 32, validation.games: 30}}
space:
  ppo.learning_rate: {{grid: [0.001, 0.01, 0.1]}}
seeds: 2
storage: {storage}
"""


@pytest.fixture(scope="session")
def few_hundred_words(tmp_path_factory, real_words):
    words = tmp_path_factory.mktemp("words") / "words.txt"
    words.write_text("\n".join(real_words[::30]) + "\n")
    return words


@pytest.fixture(scope="session")
def base_recipe(tmp_path_factory):
    base = tmp_path_factory.mktemp("base") / "base.yaml"
    base.write_text(TINY_CONFIG.replace("2_048", "512").replace("4_096", "1_536"))
    return base


@pytest.fixture
def sweep_file(tmp_path, base_recipe):
    path = tmp_path / "tiny.yaml"
    path.write_text(SWEEP.format(base=base_recipe, storage=tmp_path / "sweeps"))
    return path


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, base_recipe, few_hundred_words):
    """The runs of ``train.py`` that the trials of the sweep are: folders by name."""
    runs = {}
    for point, rate in enumerate((0.001, 0.01, 0.1)):
        for seed in (0, 1):
            config = load_config(
                base_recipe,
                [
                    "ppo.num_envs=32",
                    "validation.games=30",
                    f"ppo.learning_rate={rate}",
                    f"seed={seed}",
                    f"words={few_hundred_words}",
                    "final_split=valid",
                ],
            )
            name = f"point_{point:03d}_seed_{seed}"
            folder = tmp_path_factory.mktemp("train") / name
            train(config, Console(file=io.StringIO()), folder)
            runs[name] = folder
    return runs
