"""Repeated requests, requests at the same time, restarts and bounds."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import OperationalError

from agents import make_agent
from server import store
from server.database import Database
from tests.server.harness import API, WIRE, ClockStopped, Harness


def count(server, table):
    with server.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table))


def test_a_guess_sent_again_with_its_key_is_answered_as_before(start):
    server = start(words=["noon"])
    token = server.token()
    game = server.new_game(token)
    first = server.guess(token, game, "x", key="k1")
    second = server.guess(token, game, "o", key="k2")
    last = server.guess(token, game, "n", key="k3")
    assert last.json()["status"] == "success"
    for _ in range(2):
        for letter, key, answer in (("x", "k1", first), ("o", "k2", second), ("n", "k3", last)):
            again = server.guess(token, game, letter, key=key)
            assert (again.status_code, again.json()) == (200, answer.json())
        server.restart()
    assert count(server, store.guesses) == 3
    assert server.status(token) == [1, 0, 0, 1]


def test_a_key_belongs_to_one_letter_and_to_one_game(start):
    server = start(words=["noon"])
    token = server.token()
    game, other = server.new_game(token), server.new_game(token)
    server.guess(token, game, "x", key="k")
    refused = server.guess(token, game, "o", key="k")
    assert refused.status_code == 422
    assert "another letter" in refused.json()["error"]
    assert server.guess(token, other, "o", key="k").json()["word"] == "_ o o _ "


@pytest.mark.parametrize("key", ["", " ", "x" * 129, "\u00e9"])
def test_a_key_that_cannot_be_one_is_refused(sqlite_start, key):
    server = sqlite_start()
    headers = {"Idempotency-Key": key.encode("utf-8")}
    answer = server.get(f"{WIRE}/new_game", headers=headers, access_token=server.token())
    assert answer.status_code == 422
    assert "Idempotency-Key" in answer.json()["error"]


def test_a_game_begun_again_with_its_key_is_the_same_game(start):
    server = start(words=["noon"], recorded_runs=1)
    token = server.token()
    body = {"recorded": True}
    first = server.post(f"{API}/games", body, token, key="k").json()
    server.guess(token, first["game_id"], "o")
    for _ in range(2):
        assert server.post(f"{API}/games", body, token, key="k").json() == first
        server.restart()
    assert server.status(token) == [0, 1, 0, 0]
    refused = server.post(f"{API}/games", {"recorded": False}, token, key="k")
    assert refused.status_code == 422
    other = server.post(f"{API}/games", {}, server.token("bob"), key="k").json()
    assert other["game_id"] != first["game_id"]


def test_the_same_request_many_times_at_once_counts_once(start):
    server = start(words=["noon"])
    token = server.token()
    begun = server.together(*(server.apost(f"{API}/games", {}, token, "k") for _ in range(20)))
    (game,) = {answer.json()["game_id"] for answer in begun}
    assert {answer.status_code for answer in begun} == {201}
    path = f"{API}/games/{game}/guesses"
    guessed = server.together(*(server.apost(path, {"letter": "x"}, token, "g") for _ in range(20)))
    assert {answer.json()["tries_remains"] for answer in guessed} == {5}
    assert count(server, store.games) == count(server, store.guesses) == 1
    assert server.status(token) == [1, 0, 0, 0]


def test_guesses_in_one_game_at_once_are_played_one_after_the_other(start):
    server = start(words=["noon"])
    token = server.token()
    game = server.new_game(token)
    path = f"{API}/games/{game}/guesses"
    # Once read from the database by many at once, once from memory.
    server.restart()
    answers = server.together(
        *(server.apost(path, {"letter": letter}, token) for letter in "abcdef" * 3)
    )
    lives = [answer.json()["tries_remains"] for answer in answers if answer.status_code == 200]
    refused = [answer.status_code for answer in answers if answer.status_code != 200]
    assert sorted(set(lives)) == [0, 1, 2, 3, 4, 5]
    assert set(refused) <= {409}
    assert count(server, store.guesses) == 6
    assert server.status(token) == [1, 0, 0, 0]


def test_many_players_at_once_do_not_mix(start):
    server = start()
    tokens = [server.token(f"player {number}") for number in range(8)]

    async def play(token):
        begun = await server.aget(f"{WIRE}/new_game", practice=False, access_token=token)
        game = begun.json()["game_id"]
        for letter in "etaoinshrdlucmfwypvbgkjqxz":
            answer = await server.aget(
                f"{WIRE}/guess_letter", game_id=game, letter=letter, access_token=token
            )
            if answer.json()["status"] != "ongoing":
                return answer.json()["status"]
        raise AssertionError("the game did not end")

    statuses = server.together(*(play(token) for token in tokens for _ in range(5)))
    for number, token in enumerate(tokens):
        mine = statuses[5 * number : 5 * number + 5]
        assert server.status(token) == [0, 5, mine.count("success"), 0]


def test_a_game_goes_on_after_a_restart(start):
    server = start(words=["banana"])
    token = server.token()
    game = server.new_game(token, recorded=True)
    before = [server.guess(token, game, letter).json() for letter in "xab"]
    server.restart()
    assert server.guess(token, game, "b").json() == before[-1]
    assert server.guess(token, game, "n").json()["status"] == "success"
    server.restart()
    assert server.status(token) == [0, 1, 1, 0]
    assert server.guess(token, game, "z").status_code == 409


def test_games_that_are_not_kept_in_memory_go_on(start):
    server = start(words=["banana"], cached_games=2)
    token = server.token()
    games = [server.new_game(token) for _ in range(6)]
    for letter in "ban":
        answers = [server.guess(token, game, letter).json() for game in games]
    assert {answer["status"] for answer in answers} == {"success"}
    assert server.status(token) == [6, 0, 0, 6]


def test_what_could_not_be_stored_has_not_happened(start, monkeypatch):
    server = start(words=["banana"])
    token = server.token()
    game = server.new_game(token)
    commit = Database._commit

    def fail(self, writes):
        error = OperationalError("INSERT", {"secret": "banana"}, Exception("disk is full"))
        for write in writes:
            write.future.set_exception(error)

    monkeypatch.setattr(Database, "_commit", fail)
    for answer in (
        server.guess(token, game, "a"),
        server.guess(token, game, "x"),
        server.post(f"{API}/games", {}, token),
        server.post(f"{API}/games/{game}/resignation", token=token),
    ):
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "1"
        assert "banana" not in answer.text
    monkeypatch.setattr(Database, "_commit", commit)
    assert server.status(token) == [1, 0, 0, 0]
    answer = server.guess(token, game, "b").json()
    assert (answer["word"], answer["tries_remains"]) == ("b _ _ _ _ _ ", 6)


def test_a_statement_that_fails_does_not_take_others_with_it(start):
    server = start()
    database = server.services.database

    async def fail():
        return await database.write(lambda connection: 1 / 0)

    async def write_all():
        names = (f"player {number}" for number in range(10))
        return await asyncio.gather(
            *(database.write(store.add_player, name, name) for name in names),
            fail(),
            return_exceptions=True,
        )

    *numbers, failed = server.run(write_all())
    assert isinstance(failed, ZeroDivisionError)
    assert len(set(numbers)) == 10
    assert count(server, store.players) == 10


def test_the_number_of_open_games_is_bounded(start):
    server = start(words=["a"], open_games=3)
    token = server.token()
    games = [server.new_game(token) for _ in range(3)]
    for _ in range(2):
        answer = server.get(f"{WIRE}/new_game", access_token=token)
        assert answer.status_code == 403
        assert answer.json()["error"].startswith("3 games are open")
        server.restart()
    server.guess(token, games[0], "a")
    server.post(f"{API}/games/{games[1]}/resignation", token=token)
    for _ in range(2):
        server.new_game(token)
    assert server.get(f"{WIRE}/new_game", access_token=token).status_code == 403
    # Another token has games of its own.
    server.new_game(server.token("bob"))


def test_requests_above_the_rate_of_a_token_wait(sqlite_start):
    server = sqlite_start(request_rate=10.0, request_burst=3.0)
    server.services.players._clock = clock = ClockStopped()
    token, other = server.token(), server.token("bob")
    answers = [server.get(f"{WIRE}/my_status", access_token=token) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].headers["Retry-After"] == "1"
    assert answers[-1].json()["error"].startswith("too many requests")
    assert server.get(f"{WIRE}/my_status", access_token=other).status_code == 200
    clock.now += 0.1
    answers = [server.get(f"{WIRE}/my_status", access_token=token) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]


def test_unknown_tokens_reach_the_database_a_few_times_only(sqlite_start, monkeypatch):
    server = sqlite_start(address_rate=0.001, address_burst=5.0)
    token = server.token()
    assert server.get(f"{WIRE}/my_status", access_token=token).status_code == 200
    looked_up = []
    find_player = store.find_player

    def counting(connection, token_hash):
        looked_up.append(token_hash)
        return find_player(connection, token_hash)

    monkeypatch.setattr(store, "find_player", counting)
    answers = [server.get(f"{WIRE}/my_status", access_token=f"x{i}") for i in range(9)]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 4
    assert len(looked_up) == 5
    # One that is known is no guess.
    assert server.get(f"{WIRE}/my_status", access_token=token).status_code == 200


def test_a_recorded_player_does_not_get_a_word_twice_while_others_are_left(start):
    words = ["apple", "banana", "jazz", "noon"]
    server = start(words=words)
    token = server.token()
    for number in range(4):
        server.play(token, recorded=True)
        if number == 1:
            server.restart()
    with server.engine.connect() as connection:
        assert sorted(connection.scalars(select(store.games.c.secret))) == sorted(words)
    server.play(token, recorded=True)


def test_guests_are_forgotten_when_there_are_too_many_and_they_are_idle(start):
    server = start(guests=2, guest_hours=0.0, words=["a"])
    first = server.post(f"{API}/guests").json()["token"]
    server.play(first)
    server.post(f"{API}/guests")
    third = server.post(f"{API}/guests")
    assert third.status_code == 201
    assert count(server, store.players) == 1
    assert count(server, store.games) == count(server, store.guesses) == 0


def test_guests_that_are_not_idle_are_kept(start):
    server = start(guests=1, words=["a"])
    token = server.post(f"{API}/guests").json()["token"]
    server.play(token)
    refused = server.post(f"{API}/guests")
    assert refused.status_code == 503
    assert "too many guests" in refused.json()["error"]
    assert server.play(token)["status"] == "success"


def test_a_token_that_was_replaced_is_refused_within_a_second(start):
    server = start()
    old = server.token()
    server.services.players._clock = clock = ClockStopped()
    assert server.get(f"{WIRE}/my_status", access_token=old).status_code == 200
    with server.engine.begin() as connection:
        assert store.replace_token(connection, "alice", "another hash")
    clock.now += 1
    assert server.get(f"{WIRE}/my_status", access_token=old).status_code == 401


def test_the_number_of_a_forgotten_guest_is_nobody_elses(start):
    server = start(guests=2, guest_hours=0.0, words=["a", "letter"])
    tokens = [server.post(f"{API}/guests").json()["token"] for _ in range(2)]
    games = [server.new_game(token) for token in tokens]
    server.post(f"{API}/guests")
    alice = server.token("alice")
    assert server.status(alice) == [0, 0, 0, 0]
    assert server.guess(alice, games[0], "e").status_code == 404
    server.new_game(alice, recorded=True)
    with server.engine.connect() as connection:
        assert connection.scalar(select(store.players.c.id).filter_by(name="alice")) == 4


def test_guests_that_never_played_make_room_first(start, monkeypatch):
    server = start(guests=2, words=["a"])
    token = server.post(f"{API}/guests").json()["token"]
    server.play(token)
    server.post(f"{API}/guests")
    assert server.post(f"{API}/guests").status_code == 503
    monkeypatch.setattr("server.players._UNUSED_GUEST_SECONDS", 0.0)
    assert server.post(f"{API}/guests").status_code == 201
    assert server.play(token)["status"] == "success"


def test_an_address_makes_guests_slowly(sqlite_start):
    server = sqlite_start(new_guest_burst=3.0, new_guest_rate=0.001)
    statuses = [server.post(f"{API}/guests").status_code for _ in range(5)]
    assert statuses == [201] * 3 + [429] * 2
    # Whoever has a token plays on.
    server.new_game(server.token())


def test_guests_of_one_address_share_its_bucket(sqlite_start):
    server = sqlite_start(guest_address_burst=4.0, guest_address_rate=0.001)
    tokens = [server.post(f"{API}/guests").json()["token"] for _ in range(6)]
    statuses = [server.get(f"{WIRE}/my_status", access_token=token).status_code for token in tokens]
    assert statuses == [200] * 4 + [429] * 2
    assert server.get(f"{WIRE}/my_status", access_token=server.token()).status_code == 200


def test_a_word_depends_on_the_servers_secret_and_outlives_a_restart(sqlite_start):
    words = [f"{first}{second}" for first in "abcdefghij" for second in "abcdefghij"]

    def draw(server):
        token = server.token()
        for number in range(20):
            server.new_game(token, recorded=True)
            if number == 10:
                server.restart()
        with server.engine.connect() as connection:
            return list(connection.scalars(select(store.games.c.secret)))

    first, second = sqlite_start(words=words), sqlite_start(words=words)
    assert draw(first) != draw(second)


def test_a_lost_game_tells_no_word_of_an_operators_list(start):
    server = start(words=["grfzgl"], practice=["noon"], withheld=True)
    token = server.token()
    lost = server.play(token, recorded=True, letters="abcdeh")
    assert lost["reason"] == "no tries are left"
    game = server.new_game(token, recorded=True)
    assert server.post(f"{API}/games/{game}/resignation", token=token).json()["secret"] is None
    # The words of games that were begun before stay untold.
    server.words = replace(server.words, withheld=False)
    server.restart()
    headers = {"Authorization": f"Bearer {token}"}
    assert server.get(f"{API}/games/{game}", headers=headers).json()["secret"] is None
    assert "noon" in server.play(token, letters="abcdef")["reason"]
    assert server.play(token, recorded=True, letters="grfzl")["status"] == "success"


def test_another_server_on_the_database_ends_the_right_of_the_first(start):
    server = start(words=["noon"], recorded_runs=5)
    token = server.token()
    game = server.new_game(token, recorded=True)
    replaced = []
    server.services.database._on_replaced = lambda: replaced.append(None)
    second = Harness(server.url, words=["noon"], recorded_runs=5)
    try:
        for answer in (
            server.guess(token, game, "n"),
            server.post(f"{API}/games", {"recorded": True}, token),
        ):
            assert answer.status_code == 503
        assert second.guess(token, game, "n").json()["word"] == "n _ _ n "
        assert second.status(token)[1] == 1
        assert replaced == [None]
    finally:
        second.close()


def test_a_database_that_fails_is_told_with_its_cause_and_goes_on(start, monkeypatch, caplog):
    server = start(words=["banana"])
    token = server.token()
    game = server.new_game(token)
    headers = {"Authorization": f"Bearer {token}"}
    with server.engine.begin() as connection:
        connection.execute(text("ALTER TABLE guesses RENAME TO elsewhere"))
    for _ in range(3):
        assert server.guess(token, game, "b").status_code == 503
    assert server.get(f"{API}/games/{game}", headers=headers).status_code == 503
    failures = [record for record in caplog.records if record.message == "the database failed"]
    assert {record.during for record in failures} == {"write", "read"}
    assert all("guesses" in record.cause for record in failures)
    assert "banana" not in caplog.text + str([record.cause for record in failures])
    with server.engine.begin() as connection:
        connection.execute(text("ALTER TABLE elsewhere RENAME TO guesses"))
    assert server.guess(token, game, "b").json()["word"] == "b _ _ _ _ _ "


def test_a_locked_database_is_waited_for_once_by_all(sqlite_start, monkeypatch):
    server = sqlite_start(words=["banana"])
    token = server.token()
    games = [server.new_game(token) for _ in range(40)]
    begun = []
    begin = server.engine.begin

    def counting():
        begun.append(None)
        return begin()

    monkeypatch.setattr(server.services.database._engine, "begin", counting)
    with sqlite3.connect(server.url.removeprefix("sqlite:///"), isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        answers = server.together(
            *(server.apost(f"{API}/games/{game}/guesses", {"letter": "b"}, token) for game in games)
        )
        other.execute("ROLLBACK")
    other.close()
    assert {answer.status_code for answer in answers} == {503}
    assert len(begun) <= 3
    assert server.guess(token, games[0], "b").status_code == 200


def test_hints_in_recorded_games_are_marked(start):
    server = start(words=["noon", "jazz"], agent=make_agent("dictionary").fit(["noon", "jazz"]))
    token = server.token()
    game = server.new_game(token, recorded=True)
    unnamed = server.post(f"{API}/hints", {"pattern": "____"}, token)
    assert unnamed.status_code == 409
    assert "game_id" in unnamed.json()["error"]
    for _ in range(2):
        hint = server.post(f"{API}/hints", {"game_id": game}, token)
        assert hint.status_code == 200
    assert server.post(f"{API}/hints", {"game_id": "0" * 32}, token).status_code == 404
    assert server.post(f"{API}/hints", {"game_id": game, "pattern": "_"}, token).status_code == 422
    server.restart()
    headers = {"Authorization": f"Bearer {token}"}
    assert server.get(f"{API}/games/{game}", headers=headers).json()["hinted"] is True
    (row,) = server.get(f"{API}/leaderboard").json()["players"]
    assert (row["games"], row["hinted"]) == (1, 1)
    server.post(f"{API}/games/{game}/resignation", token=token)
    assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == 409
    assert server.post(f"{API}/hints", {"pattern": "____"}, token).status_code == 200


def test_hints_in_recorded_games_may_be_off(start):
    agent = make_agent("dictionary").fit(["noon"])
    server = start(words=["noon"], agent=agent, recorded_hints="off")
    token = server.token()
    game = server.new_game(token, recorded=True)
    assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == 403
    practice = server.new_game(token)
    assert server.post(f"{API}/hints", {"game_id": practice}, token).status_code == 200
    assert server.get(f"{API}/leaderboard").json()["players"][0]["hinted"] == 0


def test_a_copy_that_is_made_while_it_runs_can_be_served(sqlite_start, tmp_path):
    server = sqlite_start(words=["noon"])
    token = server.token()
    game = server.new_game(token)
    server.guess(token, game, "n")
    copy = tmp_path / "copy.sqlite3"
    with closing(sqlite3.connect(server.url.removeprefix("sqlite:///"))) as connection:
        connection.execute(f"VACUUM INTO '{copy}'")
    server.guess(token, game, "o")
    with Harness(f"sqlite:///{copy}", words=["noon"]) as restored:
        assert restored.guess(token, game, "x").json()["word"] == "n _ _ n "
