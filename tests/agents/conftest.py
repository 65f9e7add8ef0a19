import pytest

from tests.agents.games import random_states


@pytest.fixture(scope="session")
def states(real_words):
    """Observations of unfinished games."""
    return random_states(real_words[:400], seed=11)
