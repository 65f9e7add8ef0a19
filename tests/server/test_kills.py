"""Killing the server under load loses no answered guess and counts none twice."""

import asyncio
import sqlite3
import time
from contextlib import closing
from functools import partial

import pytest

from tests.server.load import add_token, check_nothing_lost, play_while, serving

pytestmark = pytest.mark.slow

KILLS = 3


def test_no_answered_guess_is_lost_or_counted_twice_through_kills(tmp_path, real_words):
    path = tmp_path / "games.sqlite3"

    def kill(server):
        for _ in range(KILLS):
            time.sleep(0.7)
            server.kill()
            server.start()
        time.sleep(0.7)

    with serving(path, "--agent", "none", words=real_words) as (server, address):
        token = add_token(path, "alice")
        witnesses = asyncio.run(play_while(partial(kill, server), address, token, clients=16))
    num_answered = check_nothing_lost(path, witnesses)
    # Guesses were answered before, between and after the kills.
    assert num_answered > 16 * KILLS
    # What is lost is noticed.
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM guesses WHERE number = 1")
    with pytest.raises(AssertionError):
        check_nothing_lost(path, witnesses)
