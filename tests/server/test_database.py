"""Databases that fail, are locked, copied, or taken by another server."""

import asyncio
import sqlite3
from contextlib import closing

from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from server import store
from server.database import Database
from tests.server.harness import API, Harness


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
    assert server.count(store.players) == 10


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
