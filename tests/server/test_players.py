"""Guests."""

from dataclasses import replace
from unittest.mock import Mock

from hangman_lab.server import players
from tests.server.harness import API


def test_guests_have_a_few_open_practice_games_and_no_recorded_ones(start):
    server = start(words=["a"])
    token = server.guest()
    assert server.play(token)["status"] == "success"
    refused = server.begin(token, recorded=True)
    assert (refused.status_code, "guests" in refused.json()["error"]) == (403, True)
    statuses = [server.begin(token).status_code for _ in range(21)]
    assert statuses == [201] * 20 + [403]
    assert start(guests=0).post(f"{API}/guests").status_code == 403


def test_new_guests_per_address_have_a_burst_and_a_rate(start):
    server = start()
    server.services.new_guests.clock = Mock(return_value=0.0)
    statuses = [server.post(f"{API}/guests").status_code for _ in range(302)]
    assert statuses == [201] * 300 + [429] * 2
    assert server.post(f"{API}/guests").headers["Retry-After"] == "2"
    # Existing tokens are not affected.
    server.new_game(server.token())


def test_the_least_recently_seen_guests_are_evicted(start):
    server = start(guests=3, words=["a"])
    unused, often, once = (server.guest() for _ in range(3))
    for token in (once, often, often):
        server.play(token)
    # A visit is the beginning or the end of a game; the number of games does not matter.
    game = server.new_game(once)
    third, fourth = server.guest(), server.guest()
    server.play(third)
    server.guess(once, game, "a")
    newest = server.guest()
    tokens = (unused, often, once, third, fourth, newest)
    left = [server.get(f"{API}/player", token).status_code for token in tokens]
    assert left == [401, 401, 200, 200, 401, 200]
    # Their games are deleted.
    assert (server.count("players"), server.count("games")) == (3, 3)
    # Ids of evicted guests are not reused.
    server.token("alice")
    assert server.sql("SELECT id FROM players WHERE name = 'alice'") == [(7,)]


def test_a_lower_limit_of_guests_evicts_a_few_at_a_time(start, monkeypatch):
    monkeypatch.setattr(players, "_EVICTED_AT_ONCE", 4)
    server = start()
    for _ in range(10):
        server.guest()
    server.settings = replace(server.settings, guests=2)
    server.restart()
    left = []
    for _ in range(4):
        server.guest()
        left.append(server.count("players"))
    # Each transaction evicts a few.
    assert left == [7, 4, 2, 2]
