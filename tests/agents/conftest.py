"""Words for agents to be fitted on."""

import pytest

from hangman_lab.envs.words import default_word_list
from tests.agents.games import random_states


@pytest.fixture(scope="session")
def real_words():
    """Every 40th word of the default list."""
    return default_word_list().words[::40]


@pytest.fixture(scope="session")
def states(real_words):
    """Observations of unfinished games."""
    return random_states(real_words[:400], seed=11)[0]
