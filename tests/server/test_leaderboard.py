"""The leaderboard."""

import pytest

from hangman_lab.evaluation.intervals import win_rate_interval
from tests.server.harness import API


def test_players_are_ranked_by_the_lower_end_of_the_interval(start):
    server = start()
    for counts_and_name in (
        *((19, 19, "lucky"), (1, 0, "new")),  # too few games for a rank
        *((60, 27, "d"), (100, 90, "a"), (60, 27, "b"), (20, 9, "c")),
        *((20, 0, "f"), (50, 0, "e"), (30, 1, "g")),
    ):
        server.sql(
            "INSERT INTO players (recorded_games, recorded_wins, name, token_hash, seen) "
            "VALUES (?, ?, ?3, ?3, 0)",
            *counts_and_name,
        )
    players = server.get(f"{API}/leaderboard").json()["players"]
    # Ties share a rank.
    expected = [(1, "a"), (2, "b"), (2, "d"), (4, "c"), (5, "g"), (6, "e"), (6, "f")]
    expected += [(None, "lucky"), (None, "new")]
    assert [(player["rank"], player["name"]) for player in players] == expected


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
    server.play(bob, recorded=True, letters="no")
    server.resign(bob, server.new_game(bob, recorded=True))
    expected = {"games": 6, "wins": 2, "unfinished": 1, "hinted": 3}
    expected |= {"win_rate": 2 / 6, "ci95": pytest.approx(win_rate_interval(2, 6))}
    # The ranking is kept for some seconds.
    assert server.get(f"{API}/leaderboard").json() == nothing
    server.restart()
    assert server.state(alice, game)["hinted"] is True
    first, second = server.get(f"{API}/leaderboard").json()["players"]
    assert {name: first[name] for name in expected} == expected
    assert [(row["name"], row["wins"]) for row in (first, second)] == [("alice", 2), ("bob", 1)]
    assert server.status(alice) == [0, 6, 4, 0]


def test_a_thousand_players_are_listed(start):
    server = start()
    server.sql(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1005) "
        "INSERT INTO players (name, token_hash, seen, recorded_games, recorded_wins) "
        "SELECT 'player ' || n, 'hash ' || n, 0, 2000, n FROM numbers"
    )
    players = server.get(f"{API}/leaderboard").json()["players"]
    assert [player["wins"] for player in players] == [*range(1005, 5, -1)]
