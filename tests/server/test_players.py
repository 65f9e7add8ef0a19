"""Guests, and the ranking of players."""

import json
from dataclasses import replace
from unittest.mock import Mock

import pytest

from hangman_lab.evaluation.intervals import win_rate_interval
from hangman_lab.server import games, players
from hangman_lab.server.access import Client
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


def test_a_thousand_players_are_ranked_by_the_lower_end_of_the_interval(start):
    server = start(address_rate=1)  # the burst is enough for any request
    counts_and_names = [
        *((60, 27, "d"), (100, 90, "a"), (60, 27, "b"), (20, 9, "c")),
        *((20, 0, "f"), (50, 0, "e"), (30, 1, "g")),
        *((19, 19, "lucky"), (1, 0, "new")),  # too few games for a rank
        *((1, 0, f"new {number}") for number in range(1_000)),
    ]
    server.sql(
        "INSERT INTO players (recorded_games, recorded_wins, name, token_hash, seen) "
        "SELECT value->>0, value->>1, value->>2, value->>2, 0 FROM json_each(?)",
        json.dumps(counts_and_names),
    )
    players = server.get(f"{API}/leaderboard").json()["players"]
    assert len(players) == 1_000
    # Ties share a rank.
    expected = [(1, "a"), (2, "b"), (2, "d"), (4, "c"), (5, "g"), (6, "e"), (6, "f")]
    expected += [(None, "lucky"), (None, "new")]
    assert [(player["rank"], player["name"]) for player in players[:9]] == expected


def test_open_resigned_and_hinted_games_count_as_not_won(start, dictionary):
    server = start(words=["noon"], agent=dictionary)
    alice, bob = server.token("alice"), server.token("bob")
    server.play(bob, letters="abcdef")
    nothing = {"players": [], "least_games": 20}
    assert server.get(f"{API}/leaderboard").json() == nothing
    for letters in ("no", "no", "abcdef"):
        server.play(alice, recorded=True, letters=letters)
    for letters in ("no", "", "no"):
        game = server.new_game(alice, recorded=True)
        # A hinted game still counts; a second hint changes nothing.
        assert [server.hint(alice, game).status_code for _ in range(2)] == [200, 200]
        server.guess(alice, game, letters)
    assert server.hint(alice, game).status_code == 409
    # The hint arrives after the end: the first game was won, the second was not.
    for letters in ("no", "abcdef"):
        ended = server.play(alice, recorded=True, letters=letters)["game_id"]
        server.run(Client(server.services, "", alice).write(games.mark_hinted, ended))
    server.play(bob, recorded=True, letters="no")
    for _ in range(2):
        server.resign(bob, server.new_game(bob, recorded=True))
    expected = {"games": 8, "wins": 2, "unfinished": 1, "hinted": 5}
    expected |= {"win_rate": 2 / 8, "ci95": pytest.approx(win_rate_interval(2, 8))}
    # The ranking is kept for some seconds.
    assert server.get(f"{API}/leaderboard").json() == nothing
    server.restart()
    assert server.state(alice, game)["hinted"] is True
    first, second = server.get(f"{API}/leaderboard").json()["players"]
    assert {name: first[name] for name in expected} == expected
    assert [(row["name"], row["wins"]) for row in (first, second)] == [("alice", 2), ("bob", 1)]
    assert server.status(alice) == [0, 8, 5, 0]
