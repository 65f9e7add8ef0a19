"""The ranking."""

import pytest

from evaluation.statistics import win_rate_interval
from server.leaderboard import rank
from server.store import RecordedCount
from tests.server.harness import API


def test_players_are_ranked_by_win_rate_then_games_then_name():
    counts = [
        RecordedCount("few", 4, 1, 1, 0),
        RecordedCount("many", 4, 2, 2, 0),
        RecordedCount("none", 4, 3, 0, 0),
        RecordedCount("also", 4, 2, 2, 0),
    ]
    assert [row.name for row in rank(counts).players] == ["also", "many", "few", "none"]


def test_lengths_are_added_up():
    (row,) = rank([RecordedCount("a", 4, 3, 1, 1), RecordedCount("a", 7, 5, 4, 0)]).players
    assert (row.games, row.wins, row.unfinished) == (8, 5, 1)
    assert row.ci95 == pytest.approx(win_rate_interval(5, 8))
    assert {length: (rate.games, rate.wins) for length, rate in row.by_length.items()} == {
        "4": (3, 1),
        "7": (5, 4),
    }


def test_without_a_recorded_game_it_is_empty(start):
    server = start(words=["a"])
    server.play(server.token())
    assert server.get(f"{API}/leaderboard").json() == {"players": []}


def test_recorded_games_are_counted_and_open_ones_are_not_won(start):
    server = start(words=["noon"])
    alice, bob = server.token("alice"), server.token("bob")
    for letters in ("no", "no", "abcdef"):
        server.play(alice, recorded=True, letters=letters)
    server.new_game(alice, recorded=True)
    server.play(bob, recorded=True, letters="no")
    server.play(bob, recorded=False, letters="abcdef")
    rows = server.get(f"{API}/leaderboard").json()["players"]
    assert [(row["name"], row["games"], row["wins"], row["unfinished"]) for row in rows] == [
        ("bob", 1, 1, 0),
        ("alice", 4, 2, 1),
    ]
    assert rows[1]["win_rate"] == 0.5
    assert rows[1]["by_length"]["4"]["games"] == 4
    assert "noon" not in str(rows)
