"""Killing the server under load loses no answered guess and counts none twice."""

import asyncio

import pytest
from sqlalchemy import create_engine, text

from tests.server.load import (
    ServerProcess,
    add_token,
    check_nothing_lost,
    play_through_kills,
)

pytestmark = pytest.mark.slow

KILLS = 3


@pytest.fixture
def options(tmp_path, real_words):
    """Of a server that starts soon."""
    words = tmp_path / "words.txt"
    words.write_text("\n".join(real_words))
    return ("--words", words, "--agent", "none")


def test_no_answered_guess_is_lost_or_counted_twice_through_kills(make_url, options):
    url = make_url()
    server = ServerProcess(url, *options)
    try:
        address = server.start()
        token = add_token(url, "alice")
        witnesses = asyncio.run(
            play_through_kills(server, address, token, clients=16, kills=KILLS, pause=lambda: 0.7)
        )
    finally:
        server.close()
    counts = check_nothing_lost(url, witnesses)
    # Guesses were answered before, between and after the kills.
    assert counts["answered guesses"] > 16 * KILLS


def test_the_check_notices_what_is_lost(tmp_path, options):
    url = f"sqlite:///{tmp_path}/games.sqlite3"
    server = ServerProcess(url, *options)
    try:
        address = server.start()
        token = add_token(url, "alice")
        witnesses = asyncio.run(
            play_through_kills(server, address, token, clients=2, kills=0, pause=lambda: 0.5)
        )
    finally:
        server.close()
    check_nothing_lost(url, witnesses)
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM guesses WHERE number = 1"))
    engine.dispose()
    with pytest.raises(AssertionError):
        check_nothing_lost(url, witnesses)
