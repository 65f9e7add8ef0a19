"""The ranking."""

import threading

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.evaluation.statistics import win_rate_interval
from hangman_lab.server import leaderboard
from hangman_lab.server.leaderboard import rank
from hangman_lab.server.store import Row
from tests.server.harness import API


def row(games, wins, name=""):
    return Row(name=name, games=games, wins=wins, unfinished=0, hinted=0, hinted_wins=0)


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        ([], []),
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


def test_games_with_hints_are_apart_and_count_as_not_won(start):
    agent = make_agent("dictionary").fit(["noon"])
    server = start(words=["noon"], agent=agent)
    token = server.token()
    for hinted in (True, True, False):
        game = server.new_game(token, recorded=True)
        if hinted:
            assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == 200
        for letter in "no":
            server.guess(token, game, letter)
    # A hint does not take a game that is going badly out of the count.
    game = server.new_game(token, recorded=True)
    server.post(f"{API}/hints", {"game_id": game}, token)
    expected = {"games": 4, "wins": 1, "unfinished": 1, "hinted": 3, "hinted_wins": 2}
    (listed,) = server.get(f"{API}/leaderboard").json()["players"]
    one = server.get(f"{API}/leaderboard/player", name="alice").json()
    for counts in (listed, one, one["by_length"]["4"]):
        assert {name: counts[name] for name in expected} == expected
    assert listed["win_rate"] == 0.25
    assert server.status(token) == [0, 4, 3, 0]


@pytest.mark.parametrize("games", [0, 1, 2, 7, 500])
def test_intervals_are_those_of_the_evaluation(games):
    for wins in {0, 1, games // 2, games}:
        assert row(games, wins).ci95 == pytest.approx(win_rate_interval(wins, games))


def test_recorded_games_are_counted_and_open_ones_are_not_won(start):
    server = start(words=["noon"])
    # A second goes by between two requests.
    server.services.ranking._clock = iter(range(10_000)).__next__
    alice, bob = server.token("alice"), server.token("bob")
    server.play(bob, recorded=False, letters="abcdef")
    nothing = {"players": [], "least_games": 20, "total": 0}
    assert server.get(f"{API}/leaderboard").json() == nothing
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
    (counted,) = one["by_length"].values()
    assert (one["rank"], counted["games"], counted["wins"]) == (None, 2, 1)
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

    answers = server.together(*(server.client.get(f"{API}/leaderboard") for _ in range(60)))
    assert [answer.status_code for answer in answers] == [200] * 60
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
