"""Databases that fail, are locked, copied or of another version."""

import asyncio
import sqlite3
import stat
from contextlib import closing

import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.server import store
from hangman_lab.server.database import Database, open_database
from tests.server.harness import API, Harness


def test_what_could_not_be_stored_has_not_happened_and_its_cause_is_told(start, caplog):
    server = start(words=["banana"])
    token = server.token()
    game = server.new_game(token)
    # Guesses cannot be written, and then not be read.
    server.sql("ALTER TABLE guesses RENAME TO elsewhere")
    refused = [server.guess(token, game, letter) for letter in "axb"]
    server.sql("ALTER TABLE elsewhere RENAME TO guesses")
    server.get(f"{API}/games/{game}", token)
    server.sql("ALTER TABLE games RENAME TO elsewhere")
    refused.append(server.post(f"{API}/games", {}, token))
    refused.append(server.post(f"{API}/games/{game}/resignation", token=token))
    server.sql("ALTER TABLE elsewhere RENAME TO games")
    for answer in refused:
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert "banana" not in answer.text
    failures = [record for record in caplog.records if record.message == "the database failed"]
    assert {record.during for record in failures} == {"write", "read"}
    assert all("no such table" in record.cause for record in failures)
    assert "banana" not in caplog.text + str([record.cause for record in failures])
    assert server.status(token) == [1, 0, 0, 0]
    answer = server.guess(token, game, "b").json()
    assert (answer["word"], answer["tries_remains"]) == ("b _ _ _ _ _ ", 6)


def test_a_statement_that_fails_does_not_take_others_with_it(start):
    server = start()
    database = server.services.database

    def fail(connection):
        store.add_player(connection, "nobody", "nobody")
        return 1 / 0

    async def write_all():
        names = [f"player {number}" for number in range(10)]
        added = (database.write(store.add_player, name, name) for name in names)
        repeated = database.write(store.add_player, names[0], "another hash")
        return await asyncio.gather(*added, database.write(fail), repeated, return_exceptions=True)

    *numbers, failed, refused = server.run(write_all())
    assert isinstance(failed, ZeroDivisionError)
    assert refused.status_code == 503
    assert len(set(numbers)) == server.count("players") == 10


def test_a_locked_database_is_waited_for_once_by_all(start, monkeypatch):
    server = start(words=["banana"])
    token = server.token()
    games = [server.new_game(token) for _ in range(40)]
    commits = []
    commit = Database._commit
    monkeypatch.setattr(
        Database, "_commit", lambda self, writes: (commits.append(writes), commit(self, writes))
    )
    with closing(sqlite3.connect(server.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answers = server.together(
            *(server.apost(f"{API}/games/{game}/guesses", {"letter": "b"}, token) for game in games)
        )
        other.execute("ROLLBACK")
    assert {answer.status_code for answer in answers} == {503}
    assert len(commits) <= 3
    assert server.guess(token, games[0], "b").status_code == 200


def test_a_copy_that_is_made_while_it_runs_can_be_served(start, tmp_path):
    server = start(words=["noon"])
    token = server.token()
    game = server.new_game(token)
    server.guess(token, game, "n")
    copy = tmp_path / "copy.sqlite3"
    server.sql(f"VACUUM INTO '{copy}'")
    server.guess(token, game, "o")
    with closing(Harness(copy, words=["noon"])) as restored:
        assert restored.guess(token, game, "x").json()["word"] == "n _ _ n "


@pytest.mark.parametrize("version", [0, 2, 9999])
def test_tables_of_another_version_are_refused_and_not_changed(tmp_path, version):
    path = tmp_path / "games.sqlite3"
    open_database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"^--db: .* has tables of version {version}, .* needs 1"):
        open_database(path)
    assert path.read_bytes() == before


def test_what_is_no_database_is_refused_and_not_changed(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    with pytest.raises(InputError, match="file is not a database"):
        open_database(path)
    assert path.read_text() == "not a database " * 100


@pytest.mark.parametrize("is_there", [False, True])
def test_a_new_database_is_its_owners_alone(tmp_path, is_there):
    # Its name is that of a file, whatever SQLite makes of it.
    path = tmp_path / ":memory:"
    if is_there:
        path.touch(0o644)
    with closing(open_database(path)):
        modes = [stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()]
    assert modes == [0o600] * 3
