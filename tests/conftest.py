"""Shared fixtures: real words, tiny runs, and few threads; slow files are tested first."""

import os
import signal

os.environ.setdefault("NUMBA_NUM_THREADS", "2")
# Of this process and of those that it starts: several share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import matplotlib as mpl
import pytest
from hypothesis import settings

mpl.use("Agg")
# A shell that begins the tests in the background has Ctrl-C ignored in them and in the commands
# that they start, of which some are stopped by it.
signal.signal(signal.SIGINT, signal.default_int_handler)
# The first example may compile a kernel, and no test depends on the clock.
settings.register_profile("without_deadline", deadline=None)
settings.load_profile("without_deadline")


def pytest_collection_modifyitems(items):
    """Test files with slow tests first, so that parallel workers end at the same time."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def real_words():
    """About 4,000 words of the default list, spread over the alphabet."""
    from hangman_lab.envs.words import default_word_list

    return default_word_list().words[::59]


@pytest.fixture(scope="session")
def few_words():
    return (
        *("a", "i", "ox", "an", "cat", "dog", "dot", "tee", "eel", "noon", "apple", "hangman"),
        *("banana", "letter", "puzzle", "jazz", "rhythm", "mississippi", "bookkeeper"),
        "abcdefghijklmnop",
    )


TINY_CONFIG = """
name: tiny
threads: 1
split: {fractions: [0.8, 0.1, 0.1]}
learner:
  kind: posterior
  steps: 4_096
  num_envs: 64
  rollout_steps: 16
  batch_size: 512
  epochs: 1
  learning_rate: 1.0e-3
validation:
  every: 2_048
  games: 50
"""


@pytest.fixture(scope="session")
def tiny_files(tmp_path_factory, real_words):
    """A config that trains in seconds and a word list: (config, words)."""
    folder = tmp_path_factory.mktemp("tiny")
    config, words = folder / "tiny.yaml", folder / "words.txt"
    config.write_text(TINY_CONFIG)
    words.write_text("\n".join(real_words) + "\n")
    return config, words


@pytest.fixture(scope="session")
def tinier_files(tmp_path_factory, tiny_files, real_words):
    """The same with a quarter of the words, for tests that train several runs."""
    words = tmp_path_factory.mktemp("fewer") / "words.txt"
    words.write_text("\n".join(real_words[::4]) + "\n")
    return tiny_files[0], words


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory, tiny_files):
    """A run with fewer known words that looks ahead in every state: (run directory, output)."""
    import io

    from rich.console import Console

    from hangman_lab.run_files.config import load_config
    from hangman_lab.training.run import train

    config, words = tiny_files
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hangman_lab.training.run._NUM_KNOWN", 400)
        run, _ = train(
            load_config(config, [f"words={words}", "learner.look_ahead_lives=6"]),
            Console(file=printed, width=120),
            tmp_path_factory.mktemp("runs") / "tiny",
        )
    return run, printed.getvalue()
