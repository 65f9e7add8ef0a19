"""Servers for the tests of the server."""

import pytest

from hangman_lab.server import bounds
from tests.server.harness import Harness


@pytest.fixture(autouse=True)
def _without_delay(monkeypatch):
    """Refusals above a rate come at once."""
    monkeypatch.setattr(bounds, "_REFUSAL_SECONDS", 0.0)


@pytest.fixture
def start(tmp_path):
    """Start servers without a network, each on a new database; they are closed at the end."""
    started = []

    def start(**options):
        started.append(Harness(tmp_path / f"games_{len(started)}.sqlite3", **options))
        return started[-1]

    yield start
    for server in started:
        server.close()
