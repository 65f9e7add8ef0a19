"""Words for agents to be fitted on."""

import pytest

from hangman_lab.envs.words import default_word_list


@pytest.fixture(scope="session")
def real_words():
    """Every 40th word of the default list."""
    return default_word_list().words[::40]
