"""The ranking."""

import threading

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.evaluation.intervals import win_rate_interval
from hangman_lab.server import leaderboard
from hangman_lab.server.leaderboard import rank
from tests.server.harness import API


def row(games, wins, name=""):
    others = {"unfinished": 0, "hinted": 0, "hinted_wins": 0}
    return {"name": name, "games": games, "wins": wins, **others}


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        # By the lower end of the interval.
        ([(60, 27, "b"), (100, 90, "a"), (20, 9, "c")], [(1, "a"), (2, "b"), (3, "c")]),
        # Equal figures share a rank.
        (
            [(30, 20, "a"), (30, 20, "b"), (30, 29, "c"), (30, 1, "d"), (20, 0, "e"), (50, 0, "f")],
            [(1, "c"), (2, "a"), (2, "b"), (4, "d"), (5, "e"), (5, "f")],
        ),
        # A few lucky games do not lead.
        (
            [(19, 19, "lucky"), (60, 27, "steady"), (1, 0, "new"), (50, 0, "losing")],
            [(1, "steady"), (2, "losing"), (None, "lucky"), (None, "new")],
        ),
    ],
)
def test_players_are_ranked(players, expected):
    ranked = rank([row(*player) for player in players])
    assert [(player.rank, player.name) for player in ranked] == expected


def test_recorded_games_are_counted_and_open_resigned_and_hinted_ones_are_not_won(start):
    server = start(words=["noon"], agent=make_agent("dictionary").fit(["noon"]))
    # A second goes by between two requests.
    server.services.ranking._clock = iter(range(10_000)).__next__
    alice, bob = server.token("alice"), server.token("bob")
    server.play(bob, letters="abcdef")
    nothing = {"players": [], "least_games": 20, "total": 0}
    assert server.get(f"{API}/leaderboard").json() == nothing
    for letters in ("no", "no", "abcdef"):
        server.play(alice, recorded=True, letters=letters)
    for letters in ("no", "", "no"):
        game = server.new_game(alice, recorded=True)
        # A hint does not take a game that is going badly out of the count.
        server.post(f"{API}/hints", {"game_id": game}, alice)
        for letter in letters:
            server.guess(alice, game, letter)
    server.play(bob, recorded=True, letters="no")
    game = server.new_game(bob, recorded=True)
    server.post(f"{API}/games/{game}/resignation", token=bob)
    expected = {"games": 6, "wins": 2, "unfinished": 1, "hinted": 3, "hinted_wins": 2}
    expected |= {"win_rate": 2 / 6, "ci95": pytest.approx(win_rate_interval(2, 6))}
    board = server.get(f"{API}/leaderboard").json()
    one = server.get(f"{API}/leaderboard/player", name="alice").json()
    for counts in (board["players"][0], one, one["by_length"]["4"]):
        assert {name: counts[name] for name in expected} == expected
    assert [(row["name"], row["wins"]) for row in board["players"]] == [("alice", 2), ("bob", 1)]
    assert server.status(alice) == [0, 6, 4, 0]
    assert "noon" not in str(board) + str(one)
    part = server.get(f"{API}/leaderboard", offset=1, limit=1).json()
    assert (part["players"], part["total"]) == (board["players"][1:], 2)
    assert server.get(f"{API}/leaderboard/player", name="carol").status_code == 404


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

    answers = server.together(*(server.client.get(f"{API}/leaderboard") for _ in range(60)))
    assert [answer.status_code for answer in answers] == [200] * 60
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
