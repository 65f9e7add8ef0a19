"""Runs that end with games on fewer known words, to be done sooner; models of PPO alone."""

import itertools
import signal

import pytest

from hangman_lab.envs.words import WordList
from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.training.learners.windows import WindowsLearner


@pytest.fixture(scope="module", autouse=True)
def _few_known_words_at_the_end():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hangman_lab.training.run._NUM_KNOWN", 20)
        yield


class Killed(BaseException):
    """Ends a run at once, without a checkpoint."""


@pytest.fixture
def stop_in(monkeypatch):
    """Return a function: a signal, or a kill, in a call of a function, by default its first."""

    def stop_in(owner, name, number, call=1):
        go_on, calls = getattr(owner, name), itertools.count(1)

        def stop(*arguments):
            if next(calls) == call:
                monkeypatch.setattr(owner, name, go_on)
                if number == signal.SIGKILL:
                    raise Killed
                signal.raise_signal(number)
            return go_on(*arguments)

        monkeypatch.setattr(owner, name, stop)

    return stop_in


@pytest.fixture
def make_model(tiny_files, tmp_path):
    """Return a function: the model of PPO alone that learns from these words."""

    def make_model(words, options):
        common = ["learner.kind=windows", "learner.log_rows=9"]
        config = load_config(tiny_files[0], [*common, *options.split()])
        run_words = RunWords(WordList(words, "words", {}), {"train": words}, (1, 32))
        return WindowsLearner(config, RunDirectory(tmp_path), run_words).make_model()

    return make_model
