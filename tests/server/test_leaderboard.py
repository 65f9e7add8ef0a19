"""The ranking."""

import asyncio
import threading

import numpy as np
import pytest
from sqlalchemy import insert

from evaluation.statistics import win_rate_interval
from server import leaderboard, store
from server.leaderboard import Ranking, wilson_intervals
from server.store import RecordedCount
from tests.server.harness import API


def counted(name, games, wins):
    return RecordedCount(name, games, wins, 0, 0)


def test_players_are_ranked_by_the_lower_end_of_the_interval_then_by_name():
    counts = [
        counted("lucky", 2, 2),
        counted("steady", 100, 90),
        counted("none", 3, 0),
        counted("also", 2, 2),
    ]
    rows = Ranking(counts).rows(10)
    assert [(row.rank, row.name) for row in rows] == [
        (1, "steady"),
        (2, "also"),
        (3, "lucky"),
        (4, "none"),
    ]
    assert Ranking(counts).rows(2, 1) == rows[1:3]
    assert Ranking([]).rows(10) == []


def test_intervals_are_those_of_the_evaluation():
    pairs = [(wins, games) for games in (1, 2, 7, 500) for wins in {0, 1, games // 2, games}]
    wins, games = np.array(pairs, dtype=float).T
    low, high = wilson_intervals(wins, games)
    expected = [win_rate_interval(*pair) for pair in pairs]
    assert list(zip(low, high, strict=True)) == [pytest.approx(one) for one in expected]


def test_without_a_recorded_game_it_is_empty(start):
    server = start(words=["a"])
    server.play(server.token())
    assert server.get(f"{API}/leaderboard").json() == {"players": [], "total": 0}


def test_recorded_games_are_counted_and_open_ones_are_not_won(start):
    server = start(words=["noon"])
    alice, bob = server.token("alice"), server.token("bob")
    for letters in ("no", "no", "abcdef"):
        server.play(alice, recorded=True, letters=letters)
    server.new_game(alice, recorded=True)
    server.play(bob, recorded=True, letters="no")
    server.play(bob, recorded=False, letters="abcdef")
    game = server.new_game(bob, recorded=True)
    server.post(f"{API}/games/{game}/resignation", token=bob)
    board = server.get(f"{API}/leaderboard").json()
    rows = board["players"]
    assert [(row["name"], row["games"], row["wins"], row["unfinished"]) for row in rows] == [
        ("alice", 4, 2, 1),
        ("bob", 2, 1, 0),
    ]
    assert rows[0]["win_rate"] == 0.5
    assert rows[0]["ci95"] == pytest.approx(win_rate_interval(2, 4))
    one = server.get(f"{API}/leaderboard/player", name="bob").json()
    assert (one["rank"], one["by_length"]["4"]["games"], one["by_length"]["4"]["wins"]) == (2, 2, 1)
    assert "noon" not in str(board) + str(one)
    part = server.get(f"{API}/leaderboard", offset=1, limit=1).json()
    assert (part["players"], part["total"]) == (rows[1:], 2)
    assert server.get(f"{API}/leaderboard/player", name="carol").status_code == 404


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 1001}, {"offset": -1}, {"limit": "x"}])
def test_parts_that_cannot_be_are_refused(sqlite_start, query):
    assert sqlite_start().get(f"{API}/leaderboard", **query).status_code == 422


def test_the_ranking_is_computed_once_for_all_who_ask_and_elsewhere(sqlite_start, monkeypatch):
    """On the event loop nobody could play meanwhile; each for itself, requests would pile up."""
    server = sqlite_start()
    threads = []

    def slow_ranking(counts):
        threads.append(threading.current_thread())
        return Ranking(counts)

    monkeypatch.setattr("server.leaderboard.Ranking", slow_ranking)

    async def ask():
        asked = (server.aget(f"{API}/leaderboard") for _ in range(60))
        return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert server.run(ask()) == [200] * 60
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


def test_the_age_of_a_ranking_begins_when_it_is_made(sqlite_start, monkeypatch):
    server = sqlite_start()
    made = []

    def clock():
        return float(len(made))

    def slow_ranking(counts):
        # It takes a second.
        made.append(counts)
        return Ranking(counts)

    monkeypatch.setattr("server.leaderboard.Ranking", slow_ranking)
    server.services.ranking._clock = clock
    for _ in range(3):
        assert server.get(f"{API}/leaderboard").status_code == 200
    assert len(made) == 1


def test_no_test_is_computed_for_a_player(sqlite_start, monkeypatch):
    """Thousands of players are ranked at once."""
    server = sqlite_start()
    calls = []
    intervals = leaderboard.wilson_intervals

    def counting(wins, games):
        calls.append(len(wins))
        return intervals(wins, games)

    monkeypatch.setattr("server.leaderboard.wilson_intervals", counting)
    rows = [
        {
            "name": f"player {number}",
            "token_hash": str(number),
            "is_guest": False,
            "seen_at": 0.0,
            "recorded_games": 9,
            "recorded_wins": number % 10,
        }
        for number in range(2_000)
    ]
    with server.engine.begin() as connection:
        connection.execute(insert(store.players), rows)
    assert server.get(f"{API}/leaderboard").json()["total"] == 2_000
    assert calls == [2_000]
