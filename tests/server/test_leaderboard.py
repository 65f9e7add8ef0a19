"""The leaderboard."""

import pytest

from hangman_lab.evaluation.intervals import win_rate_interval
from tests.server.harness import API


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        # By the lower end of the interval.
        ([(60, 27, "b"), (100, 90, "a"), (20, 9, "c")], [(1, "a"), (2, "b"), (3, "c")]),
        # Ties share a rank.
        (
            [(30, 20, "a"), (30, 20, "b"), (30, 29, "c"), (30, 1, "d"), (20, 0, "e"), (50, 0, "f")],
            [(1, "c"), (2, "a"), (2, "b"), (4, "d"), (5, "e"), (5, "f")],
        ),
        # Too few games for a rank.
        (
            [(19, 19, "lucky"), (60, 27, "steady"), (1, 0, "new"), (50, 0, "losing")],
            [(1, "steady"), (2, "losing"), (None, "lucky"), (None, "new")],
        ),
    ],
)
def test_players_are_ranked(start, players, expected):
    server = start()
    for counts_and_name in players:
        server.sql(
            "INSERT INTO players (recorded_games, recorded_wins, name, token_hash, seen) "
            "VALUES (?, ?, ?3, ?3, 0)",
            *counts_and_name,
        )
    ranked = server.get(f"{API}/leaderboard").json()["players"]
    assert [(player["rank"], player["name"]) for player in ranked] == expected


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
        # A hinted game still counts.
        server.hint(alice, game)
        server.guess(alice, game, letters)
    server.play(bob, recorded=True, letters="no")
    server.resign(bob, server.new_game(bob, recorded=True))
    expected = {"games": 6, "wins": 2, "unfinished": 1, "hinted": 3}
    expected |= {"win_rate": 2 / 6, "ci95": pytest.approx(win_rate_interval(2, 6))}
    # The ranking is kept for some seconds.
    assert server.get(f"{API}/leaderboard").json() == nothing
    server.later()
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
