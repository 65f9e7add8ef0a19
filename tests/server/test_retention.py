"""What is not kept for ever, and that nobody waits while it is deleted."""

import asyncio
from functools import partial

import pytest

from hangman_lab.server import players, store
from hangman_lab.server.players import prune
from tests.server.harness import API

DAY = 86_400


@pytest.fixture
def clock(monkeypatch):
    """The server's time of day, in seconds; the server prunes when the test says so."""
    times = [1e9]
    monkeypatch.setattr(store, "time", lambda: times[0])
    monkeypatch.setattr(players, "_PRUNE_SECONDS", 1e9)
    monkeypatch.setattr(players, "_PAUSE", 0.0)
    return times


def prune_now(server):
    server.run(prune(server.services.database, server.settings))


def add_guest(server):
    return server.post(f"{API}/guests").json()["token"]


def is_known(server, token):
    return server.get(f"{API}/player", token).status_code == 200


def test_practice_games_are_kept_for_a_time_and_recorded_games_for_ever(start, clock):
    server = start(words=["noon"], practice_days=2)
    token = server.token()
    server.play(token, letters="no")
    server.play(token, recorded=True, letters="no")
    open_game = server.new_game(token)
    clock[0] += 1.5 * DAY
    young = server.new_game(token)
    prune_now(server)
    assert server.count("games") == 4
    clock[0] += DAY
    prune_now(server)
    assert (server.count("games"), server.count("guesses")) == (2, 2)
    # It was in memory, and what is not stored is not played.
    path = f"{API}/games/{open_game}/resignation"
    assert [server.post(path, token=token).status_code for _ in range(2)] == [503, 404]
    # What was counted stays.
    assert server.status(token) == [3, 1, 1, 1]
    assert server.get(f"{API}/player", token).json()["open_games"] == 1
    assert server.guess(token, young, "n").status_code == 200


def test_the_least_used_and_longest_unseen_guests_make_room(start, clock):
    server = start(guests=3, words=["a"], new_guest_rate=100)
    unused, once, once_before, often = (add_guest(server) for _ in range(4))
    for token in (often, often, once_before, once):
        clock[0] += 1
        server.play(token, letters="a")
    clock[0] += DAY
    # Whoever comes is not refused, and is not the one that goes.
    new = add_guest(server)
    prune_now(server)
    assert [is_known(server, token) for token in (unused, once_before)] == [False, False]
    assert [is_known(server, token) for token in (once, often, new)] == [True, True, True]
    assert (server.count("players"), server.count("games")) == (3, 3)
    # The number of a guest that was forgotten is nobody else's.
    server.token("alice")
    assert server.sql("SELECT id FROM players WHERE name = 'alice'") == [(6,)]


def test_a_server_that_prunes_writes_between_small_transactions(start, clock, monkeypatch):
    monkeypatch.setattr(players, "_PRUNED_GAMES", 5)
    server = start(guests=1, words=["a"], new_guest_rate=100)
    for token in [add_guest(server) for _ in range(3)]:
        for _ in range(12):
            server.play(token, letters="a")
    clock[0] += 40 * DAY
    database = server.services.database
    deleted = []

    def count(statement, connection, *arguments):
        before = connection.total_changes
        result = statement(connection, *arguments)
        deleted.append(connection.total_changes - before)
        return result

    for name in ("delete_practice_games", "forget_guest"):
        monkeypatch.setattr(store, name, partial(count, getattr(store, name)))

    async def write_meanwhile():
        pruning = asyncio.create_task(prune(database, server.settings))
        written = 0
        while not pruning.done():
            await database.write(store.add_player, f"{written}", f"{written}")
            written += 1
        return written

    assert server.run(write_meanwhile()) > 8
    # A game and its guess.
    assert max(deleted) <= 5 * 2
    assert server.count("games") == server.count("guesses") == 0
    assert server.sql("SELECT COUNT(*) FROM players WHERE name IS NULL") == [(1,)]


def test_a_database_that_fails_is_pruned_when_it_works_again(start, clock, monkeypatch):
    server = start(guests=0)
    monkeypatch.setattr(players, "_PRUNE_SECONDS", 0.0)
    server.sql("ALTER TABLE games RENAME TO elsewhere")

    async def keep_pruning():
        task = asyncio.create_task(players.keep_pruning(server.services.database, server.settings))
        await asyncio.sleep(0.05)
        server.sql("ALTER TABLE elsewhere RENAME TO games")
        while server.sql("SELECT COUNT(*) FROM players WHERE name IS NULL") != [(0,)]:
            await asyncio.sleep(0.001)
        task.cancel()

    server.sql("INSERT INTO players (token_hash, seen_at) VALUES ('hash', 0)")
    server.run(keep_pruning())
