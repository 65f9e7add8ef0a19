"""The ranking."""

import asyncio
import threading

import pytest

from evaluation.statistics import win_rate_interval
from server import leaderboard
from server.leaderboard import rank, wilson_interval
from server.store import RecordedCount
from tests.server.harness import API


def test_players_are_ranked_by_the_lower_end_of_the_interval_then_by_name():
    counts = {"lucky": (2, 2), "steady": (100, 90), "none": (3, 0), "also": (2, 2)}
    rows = rank([RecordedCount(name, *games, 0, 0) for name, games in counts.items()])
    ranked = [(row.rank, row.name) for row in rows]
    assert ranked == [(1, "steady"), (2, "also"), (3, "lucky"), (4, "none")]
    assert rank([]) == []


@pytest.mark.parametrize("games", [1, 2, 7, 500])
def test_intervals_are_those_of_the_evaluation(games):
    for wins in {0, 1, games // 2, games}:
        expected = win_rate_interval(wins, games)
        assert wilson_interval(wins, games) == pytest.approx(expected)


def test_recorded_games_are_counted_and_open_ones_are_not_won(start):
    server = start(words=["noon"])
    # A second goes by between two requests.
    server.services.ranking._clock = iter(range(10_000)).__next__
    alice, bob = server.token("alice"), server.token("bob")
    server.play(bob, recorded=False, letters="abcdef")
    assert server.get(f"{API}/leaderboard").json() == {"players": [], "total": 0}
    for letters in ("no", "no", "abcdef"):
        server.play(alice, recorded=True, letters=letters)
    server.new_game(alice, recorded=True)
    server.play(bob, recorded=True, letters="no")
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
def test_parts_that_cannot_be_are_refused(start, query):
    assert start().get(f"{API}/leaderboard", **query).status_code == 422


def test_the_ranking_is_computed_once_for_all_who_ask_and_elsewhere(start, monkeypatch):
    """On the event loop nobody could play meanwhile; each for itself, requests would pile up."""
    server = start()
    threads = []

    def counting(counts):
        threads.append(threading.current_thread())
        return rank(counts)

    monkeypatch.setattr(leaderboard, "rank", counting)
    # A clock by which it takes a second, from whose end its age counts.
    server.services.ranking._clock = lambda: float(len(threads))

    async def ask():
        asked = (server.aget(f"{API}/leaderboard") for _ in range(60))
        return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert server.run(ask()) == [200] * 60
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
