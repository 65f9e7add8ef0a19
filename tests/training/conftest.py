"""Runs end with games on fewer known words, to be done sooner."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _few_known_words_at_the_end():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hangman_lab.training.run._NUM_KNOWN", 20)
        yield
