"""Databases that fail, are locked, copied or of another version."""

import sqlite3
import stat
from contextlib import closing

import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.server import database
from hangman_lab.server.database import VERSION, open_database
from tests.server.harness import API


def test_a_failed_transaction_is_rolled_back_and_logged(start_with_player, caplog):
    server, token = start_with_player(words=["banana"], guests=1)
    game = server.new_game(token)
    # The trigger of the winning guess fails.
    server.sql("CREATE TRIGGER fail UPDATE ON players BEGIN SELECT RAISE(ABORT, 'broken'); END")
    refused = server.guess(token, game, "ban")
    server.sql("DROP TRIGGER fail")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    state = server.state(token, game)
    assert (state["word"], state["guesses"], state["status"]) == ("ba_a_a", "ba", "ongoing")
    assert server.status(token) == [1, 0, 0, 0]
    assert [record.message for record in caplog.records] == ["the database failed: broken"]
    assert server.guess(token, game, "n").json()["status"] == "success"
    assert server.status(token) == [1, 0, 0, 1]
    # No guest is stored if the surplus one cannot be evicted.
    server.sql("CREATE TRIGGER fail DELETE ON players BEGIN SELECT RAISE(ABORT, 'broken'); END")
    assert [server.post(f"{API}/guests").status_code for _ in range(2)] == [201, 503]
    assert server.count("players") == 2


def test_requests_time_out_together_on_a_locked_database(start_with_player, monkeypatch, caplog):
    monkeypatch.setattr(database, "_PATIENCE", 0.5)
    server, token = start_with_player(words=["banana"])
    games = [server.new_game(token) for _ in range(40)]
    with closing(sqlite3.connect(server.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        paths = (f"{API}/games/{game}/guesses" for game in games)
        answers = server.together(*(server.apost(path, {"letter": "b"}, token) for path in paths))
        # Reads are not blocked.
        assert server.state(token, games[0])["guesses"] == ""
        # Health is not, since no game can be played.
        assert server.get(f"{API}/daily").status_code == 503
        other.execute("ROLLBACK")
    assert {answer.status_code for answer in answers} == {503}
    failures = [record.message for record in caplog.records]
    assert 1 <= failures.count("the database failed: database is locked") <= 4
    assert len(failures) == len(games) + 1
    assert server.guess(token, games[0], "b").status_code == 200


@pytest.mark.parametrize("version", [0, VERSION - 1, VERSION + 1, None])
def test_another_version_and_another_file_are_refused_and_not_changed(path, version):
    told = f"^--db: .* has tables of version {version}, this server needs {VERSION};"
    if version is None:
        path.write_text("not a database " * 100)
        told = "^--db: .* cannot be used .file is not a database"
    else:
        open_database(path).close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(InputError, match=told):
        open_database(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("is_there", [False, True])
def test_a_new_database_is_readable_by_its_owner_alone(tmp_path, is_there):
    # A name that is special to SQLite.
    path = tmp_path / ":memory:"
    if is_there:
        path.touch(0o644)
    with closing(open_database(path)):
        modes = [stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()]
    assert modes == [0o600] * 3


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_is_gone_is_not_written(start_with_player, caplog, is_replaced):
    server, token = start_with_player()
    server.path.rename(server.path.with_suffix(".moved"))
    if is_replaced:
        open_database(server.path).close()
    for answer in (server.get(f"{API}/player", token), server.post(f"{API}/guests")):
        assert answer.status_code == 503
    assert "was removed or replaced; restart" in caplog.text
