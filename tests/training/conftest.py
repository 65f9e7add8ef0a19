"""Runs end with games on fewer known words, to be done sooner."""

import signal

import pytest


@pytest.fixture(scope="module", autouse=True)
def _few_known_words_at_the_end():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hangman_lab.training.run._NUM_KNOWN", 20)
        yield


@pytest.fixture
def press_ctrl_c_in(monkeypatch):
    """Return a function: press Ctrl-C when a function is called for the first time."""

    def press_in(owner, name):
        go_on = getattr(owner, name)

        def press(*arguments):
            monkeypatch.setattr(owner, name, go_on)
            signal.raise_signal(signal.SIGINT)
            return go_on(*arguments)

        monkeypatch.setattr(owner, name, press)

    return press_in
