"""Sweeps small enough to be run in seconds."""

import io
from functools import cache

import pytest
import yaml
from rich.console import Console

from hangman_lab.run_files.config import load_config
from hangman_lab.sweeps.sweep_file import load_sweep
from hangman_lab.training.run import train
from tests.conftest import TINY_CONFIG

RATES = (0.001, 0.01)


@pytest.fixture(scope="session")
def few_hundred_words(tmp_path_factory, real_words):
    words = tmp_path_factory.mktemp("words") / "words.txt"
    words.write_text("\n".join(real_words[::30]) + "\n")
    return words


@pytest.fixture(scope="session")
def base_recipe(tmp_path_factory):
    base = tmp_path_factory.mktemp("base") / "base.yaml"
    base.write_text(TINY_CONFIG.replace("2_048", "1_536").replace("4_096", "1_536"))
    return base


@pytest.fixture
def write_sweep(tmp_path, base_recipe):
    """Return a function: a sweep file of two learning rates and two seeds, with changes."""

    def write(**changes):
        described = {
            "name": "tiny",
            "base": str(base_recipe),
            "set": {"ppo.num_envs": 32, "validation.games": 30},
            "space": {"ppo.learning_rate": {"grid_search": list(RATES)}},
            "seeds": 2,
            "storage": str(tmp_path / "sweeps"),
        }
        path = tmp_path / "tiny.yaml"
        path.write_text(yaml.safe_dump(described | changes))
        return path

    return write


@pytest.fixture
def make_sweep(write_sweep, few_hundred_words):
    """Return a function: the sweep of such a file."""
    return lambda **changes: load_sweep(write_sweep(**changes), words=str(few_hundred_words))


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, base_recipe, few_hundred_words):
    """Return a function: the run of ``train.py`` that a trial of the sweep is."""

    @cache
    def folder_of(rate, seed):
        overrides = ["ppo.num_envs=32", "validation.games=30", "final_split=valid"]
        overrides += [f"ppo.learning_rate={rate}", f"seed={seed}", f"words={few_hundred_words}"]
        folder = tmp_path_factory.mktemp("train") / "run"
        train(load_config(base_recipe, overrides), Console(file=io.StringIO()), folder)
        return folder

    return folder_of
