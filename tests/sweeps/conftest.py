"""Sweeps small enough to be run in seconds."""

import io
import re
from functools import cache

import pytest
from rich.console import Console

from runs.config import load_config
from tests.conftest import TINY_CONFIG
from training.run import train

RATES = (0.001, 0.01, 0.1)
SWEEP = """
name: tiny
base: {base}
set: {{ppo.num_envs: 32, validation.games: 30}}
space:
  ppo.learning_rate: {{grid: {rates}}}
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
    path.write_text(SWEEP.format(rates=list(RATES), base=base_recipe, storage=tmp_path / "sweeps"))
    return path


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, base_recipe, few_hundred_words):
    """Return a function: the run of ``train.py`` that a trial of the sweep is, by its name."""

    @cache
    def folder_of(name):
        point, seed = map(int, re.findall(r"\d+", name))
        overrides = [
            "ppo.num_envs=32",
            "validation.games=30",
            f"ppo.learning_rate={RATES[point]}",
            f"seed={seed}",
            f"words={few_hundred_words}",
            "final_split=valid",
        ]
        folder = tmp_path_factory.mktemp("train") / name
        train(load_config(base_recipe, overrides), Console(file=io.StringIO()), folder)
        return folder

    return folder_of
