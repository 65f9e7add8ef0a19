"""Games: the rules through retries and restarts, concurrent requests, words and limits."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test

from hangman_lab.server import games
from tests.envs.hangman.referee import Referee
from tests.server.harness import API, Harness


class Games(RuleBasedStateMachine):
    """One player's games, compared with the plain rules."""

    folder: Path
    begun = Bundle("begun")

    def __init__(self):
        super().__init__()
        path = self.folder / f"{os.urandom(8).hex()}.sqlite3"
        self.server = Harness(path, words=("noon", "ox", "jazz", "letter"))
        self.token, self.other = self.server.token(), self.server.token("bob")
        # The games in order; those that are recorded, and those that were resigned.
        self.referees, self.recorded, self.resigned = {}, set(), set()

    def teardown(self):
        self.server.close()

    def _is_over(self, game):
        return self.referees[game].over or game in self.resigned

    def _check(self, game, answer):
        referee, state = self.referees[game], answer.json()
        status = "success" if referee.won else "failed" if self._is_over(game) else "ongoing"
        assert (state["status"], state["resigned"]) == (status, game in self.resigned)
        assert (state["word"], state["tries_remains"]) == (referee.shown, referee.lives)
        assert sorted(state["guesses"]) == sorted(referee.guessed)
        wrong = [letter for letter in state["guesses"] if letter not in referee.word]
        assert state["wrong"] == "".join(wrong)
        assert state["secret"] == (None if status == "ongoing" else referee.word)

    @rule(target=begun, recorded=st.booleans(), times=st.integers(1, 2))
    def begin(self, recorded, times):
        key = f"k-{len(self.referees)}" if times > 1 else None
        answers = [self.server.begin(self.token, key, recorded=recorded) for _ in range(times)]
        (game,) = {answer.json()["game_id"] for answer in answers}
        assert game not in self.referees
        self.referees[game] = Referee(self.server.secret(game), repeated_guess="free")
        self.recorded |= {game} if recorded else set()
        self._check(game, answers[-1])
        return game

    @rule(game=begun, letter=st.sampled_from("abcdefghijklmnopqrstuvwxyzLETRNOX"))
    def guess(self, game, letter):
        if not self._is_over(game):
            self.referees[game].guess(letter.lower())
        path = f"{API}/games/{game}/guesses"
        self._check(game, self.server.post(path, {"letter": letter}, self.token))

    @rule(game=begun)
    def resign(self, game):
        if not self._is_over(game):
            self.resigned.add(game)
        self._check(game, self.server.resign(self.token, game))

    @rule(game=begun)
    def look(self, game):
        path = f"{API}/games/{game}"
        self._check(game, self.server.get(path, self.token))
        assert self.server.get(path, self.other).status_code == 404

    @rule()
    def count(self):
        practice = set(self.referees) - self.recorded
        won = {game for game, referee in self.referees.items() if referee.won}
        sets = practice, self.recorded, won & self.recorded, won & practice
        assert self.server.status(self.token) == [*map(len, sets)]
        listed = [game["game_id"] for game in self.server.get(f"{API}/games", self.token).json()]
        assert listed == [game for game in self.referees if not self._is_over(game)]

    @rule()
    def restart(self):
        self.server.restart()


@pytest.mark.slow
def test_games_follow_the_rules_through_retries_and_restarts(tmp_path):
    Games.folder = tmp_path
    run_state_machine_as_test(
        Games, settings=settings(max_examples=12, stateful_step_count=25, derandomize=True)
    )


def test_concurrent_new_games_with_one_key_are_one_game(start_with_player):
    server, token = start_with_player(words=["noon"], recorded_runs=1)
    body = {"recorded": True}
    begun = server.together(*(server.apost(f"{API}/games", body, token, "k") for _ in range(20)))
    assert {answer.status_code for answer in begun} == {201}
    assert len({answer.json()["game_id"] for answer in begun}) == server.count("games") == 1
    # A key belongs to a player and a kind of game; clients cannot send keys of days.
    assert server.begin(token, "k").status_code == 422
    assert server.begin(server.token("bob"), "k").status_code == 201
    for key in ("", " ", "x" * 65, "day 2026-01-31"):
        refused = server.begin(token, key)
        assert (refused.status_code, "Idempotency-Key" in refused.json()["error"]) == (422, True)


def test_concurrent_guesses_in_one_game_are_serialized(start_with_player):
    server, token = start_with_player(words=["noon"])
    game = server.new_game(token)
    path = f"{API}/games/{game}/guesses"
    guesses = (server.apost(path, {"letter": letter}, token) for letter in "abcdefgh" * 3)
    states = [answer.json() for answer in server.together(*guesses)]
    assert {state["tries_remains"] for state in states} == {0, 1, 2, 3, 4, 5}
    longest = max((state["guesses"] for state in states), key=len)
    # Each answer is a state of the same game.
    assert all(longest.startswith(state["guesses"]) for state in states)
    assert len(set(longest)) == len(longest) == 6
    assert server.status(token) == [1, 0, 0, 0]


def test_runs_and_open_games_are_limited(start_with_player, monkeypatch):
    monkeypatch.setattr(games, "_MAX_OPEN", 3)
    monkeypatch.setattr(games, "_MAX_PRACTICE", 5)
    server, token = start_with_player(words=["a"], recorded_runs=1)
    begun = [server.new_game(token) for _ in range(3)]

    def refusal(**kind):
        refused = server.begin(token, **kind)
        assert refused.status_code == 403
        return refused.json()["error"]

    assert refusal() == "3 games are open; finish or resign one first"
    server.guess(token, begun[0], "a")
    server.resign(token, begun[1])
    for _ in range(2):
        server.new_game(token)
    server.restart()
    assert refusal() == "all 5 practice runs are used up"
    server.guess(token, begun[2], "a")
    server.play(token, recorded=True)
    assert refusal(recorded=True) == "all 1 recorded runs are used up"
    # Limits are per token.
    server.new_game(server.token("bob"))


def test_a_player_keeps_the_newest_finished_practice_games(start_with_player):
    server, token = start_with_player(words=["a"], kept_games=3)
    # The word of the day is not begun again.
    today = server.begin(token, daily=True).json()["game_id"]
    server.guess(token, today, "a")
    open_games = [server.new_game(token) for _ in range(5)]
    recorded = [server.play(token, recorded=True)["game_id"] for _ in range(5)]
    played = [server.play(token)["game_id"] for _ in range(8)]
    server.new_game(token)
    kept = [game for (game,) in server.sql("SELECT id FROM games ORDER BY number")]
    assert kept[:-1] == [today, *open_games, *recorded, *played[-3:]]
    # The counters are kept.
    assert server.status(token) == [15, 5, 5, 9]


def test_recorded_words_repeat_only_after_all_were_played(start_with_player):
    words = [f"{first}{second}" for first in "abcdef" for second in "abcde"]
    server, token = start_with_player(words=words, recorded_runs=31)

    def begin(key):
        return server.begin(token, key, recorded=True).status_code

    # Repeated and refused requests take no word.
    for number in range(20):
        assert [begin(f"game-{number}") for _ in range(2)] == [201] * 2
    server.restart()
    assert [begin(f"later-{number}") for number in range(10)] == [201] * 10
    drawn = server.sql("SELECT secret FROM games ORDER BY number")
    assert len(set(drawn)) == len(drawn) == 30
    # All have been played: one repeats.
    assert [begin("again"), begin("too-many")] == [201, 403]
    # The order depends on the key in the database.
    other, token = start_with_player(words=words)
    others = [other.secret(other.new_game(token, recorded=True)) for _ in range(30)]
    assert [(word,) for word in others] != drawn


def test_words_are_drawn_independently_for_each_kind_of_game(start):
    server = start(words=[first + second for first in "abcdefgh" for second in "abcdefgh"])
    drawn = [
        [server.secret(server.new_game(token, recorded)) for recorded in (False, True)]
        for token in map(server.token, "abcdefgh")
    ]
    assert any(practice != recorded for practice, recorded in drawn)


def test_a_lost_game_does_not_reveal_a_withheld_word(start_with_player):
    server, token = start_with_player(words=["grfzgl"], practice=["noon"], withheld=True)
    lost = server.play(token, recorded=True, letters="abcdeh")
    assert lost["reason"] == "no tries are left"
    game = server.new_game(token, recorded=True)
    assert server.resign(token, game).json()["secret"] is None
    # Also of games begun before the restart.
    server.words = replace(server.words, withheld=False)
    server.restart()
    assert server.state(token, game)["secret"] is None
    assert server.guess(token, game, "e").json()["reason"] == "the game was resigned"
    lost = server.play(token, letters="abcdefg")
    assert lost["reason"] == "no tries are left; the word was noon"
    assert server.play(token, recorded=True, letters="grfzl")["status"] == "success"


def test_the_word_of_the_day_is_one_game_of_each_player_with_the_same_word(start, monkeypatch):
    server = start(words=[f"word{chr(97 + index)}" for index in range(26)])
    alice, bob = server.token("alice"), server.token("bob")

    def begin(token, day):
        monkeypatch.setattr(games.time, "strftime", lambda *_: f"2026-01-{day}")
        return server.begin(token, daily=True).json()

    begun = [begin(token, 31)["game_id"] for token in (alice, bob)]
    assert len(set(begun)) == 2
    assert server.secret(begun[0]) == server.secret(begun[1])
    days = [begin(alice, day)["game_id"] for day in range(10, 20)]
    assert len({server.secret(game) for game in days}) > 1
    # The same request resumes it, also after a restart and after its end.
    server.guess(alice, begun[0], "w")
    server.restart()
    again = begin(alice, 31)
    assert (again["game_id"], again["word"][:4]) == (begun[0], "w___")
    server.resign(alice, begun[0])
    assert begin(alice, 31)["status"] == "failed"


def test_the_results_of_a_day_are_kept_for_seconds_and_end_at_midnight(start, monkeypatch):
    server, reads = start(words=["noon"]), []
    second = 1_767_398_390  # 2026-01-02 23:59:50 UTC
    monkeypatch.setattr("time.time", lambda: second)
    server.services.database._reading.set_trace_callback(reads.append)

    def finish(name, letters):
        token = server.token(name)
        server.guess(token, server.begin(token, daily=True).json()["game_id"], letters)
        server.play(token, letters="no")  # another practice game

    def read():
        """Return the results, and how often they are read for many requests."""
        reads.clear()
        answers = server.together(*(server.client.get(f"{API}/daily") for _ in range(20)))
        (result,) = {answer.text for answer in answers}
        return json.loads(result), len(reads)

    for name, letters in (("alice", "no"), ("bob", "xno"), ("carol", "xyzabc"), ("dave", "n")):
        finish(name, letters)
    results = {"players": 3, "wrong_guesses": [1, 1, 0, 0, 0, 0]}
    expected = {"date": "2026-01-02", "seconds_left": 10, **results}
    assert read() == (expected, 1)
    finish("eve", "no")
    assert read() == (expected, 0)
    second += 15
    results = {"players": 0, "wrong_guesses": [0] * 6}
    assert read() == ({"date": "2026-01-03", "seconds_left": 86_395, **results}, 1)
    # Games with more wrong guesses than lose since a restart.
    finish("frank", "vwxyzno")
    server.settings = replace(server.settings, max_wrong=2)
    server.restart()
    assert server.get(f"{API}/daily").json()["wrong_guesses"] == [0, 1]


def test_the_hundred_oldest_open_games_are_listed(start_with_player):
    server, token = start_with_player()
    begun = [server.new_game(token) for _ in range(103)]
    listed = server.get(f"{API}/games", token).json()
    assert [game["game_id"] for game in listed] == begun[:100]
