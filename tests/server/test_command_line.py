"""serve.py as a process of its own."""

import hashlib
import json
import os
import socket
import stat
import subprocess
import sys
import urllib.request

import pytest
from sqlalchemy import create_engine, text

from server.command_line import main
from server.database import open_engine
from server.server_lock import ServerLock
from tests.processes import assert_refused, run
from tests.server.harness import Harness, bearer
from tests.server.load import ServerProcess

pytestmark = pytest.mark.slow


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path}/games.sqlite3"


@pytest.fixture
def serve(capsys, tmp_path):
    """Run the command in this process: return what assert_refused takes."""

    def serve(*arguments):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as ending:
            status = ending.code
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, status, printed.out, printed.err)

    return serve


def test_a_token_is_the_end_of_the_last_line_and_only_its_hash_is_stored(database):
    done = run("serve.py", "token", "alice", "--db", database)
    assert (done.returncode, done.stderr) == (0, "")
    token = done.stdout.splitlines()[-1].split()[-1]
    assert len(token) > 40
    engine = create_engine(database)
    with engine.connect() as connection:
        (row,) = connection.execute(text("SELECT * FROM players"))
    engine.dispose()
    assert token not in str(row)
    assert hashlib.sha256(token.encode()).hexdigest() == row.token_hash


def test_a_name_has_one_token_that_can_be_replaced(serve, database):
    first = serve("--db", database, "token", "alice")
    assert_refused(serve("token", "alice", "--db", database), "serve.py", "'alice'", "--replace")
    second = serve("token", "alice", "--db", database, "--replace")
    assert second.returncode == 0
    assert first.stdout.split()[-1] != second.stdout.split()[-1]
    refused = serve("token", "bob", "--db", database, "--replace")
    assert_refused(refused, "serve.py", "no player 'bob'")


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "two\nlines", "nul\0"])
def test_names_that_cannot_be_are_refused(serve, database, name):
    assert_refused(serve("token", name, "--db", database), "serve.py", "is not a name")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--db", "games.sqlite3"], ["--db", "'games.sqlite3'", "sqlite:///FILE"]),
        (["--db", "mysql://me@here/games"], ["--db", "postgresql://"]),
        (["--db", "sqlite://"], ["--db", "no file"]),
        (["--db", "sqlite:///file::memory:?uri=true"], ["--db", "no file"]),
        (["--db", "postgresql://me@here:port/x"], ["--db", "postgresql://"]),
        (["--db", "postgresql+psycopg2://me:secret@here/x"], ["postgresql+psycopg2", "me:***"]),
        (["--host", "a..b"], ["--host", "a..b"]),
        (["--recorded-words", "/no/such/file"], ["/no/such/file", "cannot read"]),
        (["--recorded-words", "WORDS", "--split", "all"], ["--split", "--recorded-words"]),
        (["--forwarded-allow-ips", "the proxy"], ["--forwarded-allow-ips", "'the proxy'"]),
        (["--env-file", "/no/such/file"], ["--env-file", "/no/such/file"]),
        (["player", "revoke"], ["player revoke", "NAME"]),
        (["player", "list", "alice"], ["player list", "no NAME"]),
        (["player", "delete", "nobody"], ["no player 'nobody'"]),
        (["--db", "sqlite:////no/such/folder/x"], ["--db", "unable to open"]),
        (["--db", "postgresql://me:secret@127.0.0.1:1/x"], ["--db", "me:***@127.0.0.1"]),
        (["--words", "/no/such/file"], ["/no/such/file", "cannot read"]),
        (["--run", "/no/such/run"], ["/no/such/run"]),
        (["--agent", "nobody"], ["--agent", "'nobody'"]),
        (["--agent", "ppo", "--run", "/nowhere"], ["/nowhere", "not the folder of a run"]),
        (["--agent", "random", "--words", "WORDS"], ["--agent", "random", "how likely"]),
        (["--set", "speed=1"], ["--set", "'speed'"]),
        (["--port", "70000"], ["--port", "0..65535"]),
        (["--port", "x"], ["--port"]),
        (["--host", "no.such.host.invalid"], ["--host", "no.such.host.invalid"]),
        (["--split", "some"], ["--split"]),
        (["--split", "test", "--words", "WORDS"], ["--split", "no test word"]),
        (["nonsense"], ["nonsense"]),
    ],
)
def test_bad_input_is_one_line_and_status_2(serve, tmp_path, arguments, said):
    words = tmp_path / "words.txt"
    words.write_text("banana\n")
    arguments = [str(words) if argument == "WORDS" else argument for argument in arguments]
    if "--db" not in arguments:
        arguments = ["--db", f"sqlite:///{tmp_path}/games.sqlite3", *arguments]
    if "--port" not in arguments:
        arguments = ["--port", "0", *arguments]
    done = serve(*arguments)
    assert_refused(done, "serve.py", *said)
    assert "secret" not in done.stderr


def test_a_missing_driver_is_told(serve, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = serve("--db", "postgresql://me@127.0.0.1:1/x", "--port", "0")
    assert_refused(done, "serve.py", "PostgreSQL needs the package psycopg", "pip install")


def test_a_port_that_is_taken_is_told(serve, database):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serve("--port", port, "--db", database)
    assert_refused(done, "serve.py", f"127.0.0.1:{port}", "in use")


def test_two_servers_do_not_share_a_database(make_url, serve, monkeypatch):
    monkeypatch.setattr("server.server_lock._PATIENCE", 0.2)
    url = make_url()
    first = open_engine(url)
    lock = ServerLock(first)
    done = serve("--db", url, "--port", "0", "--agent", "none")
    assert_refused(done, "serve.py", "another server")
    # Tokens are made while it runs.
    assert serve("--db", url, "token", "alice").returncode == 0
    lock.close()
    second = open_engine(url)
    ServerLock(second).close()
    first.dispose()
    second.dispose()


@pytest.mark.parametrize("spelling", ["symlink", "hard link", "uri", "no lock file"])
def test_the_file_of_a_database_has_one_server_whatever_it_is_called(
    serve, tmp_path, database, spelling, monkeypatch
):
    monkeypatch.setattr("server.server_lock._PATIENCE", 0.2)
    engine = open_engine(database)
    lock = ServerLock(engine)
    path, other = tmp_path / "games.sqlite3", tmp_path / "other.sqlite3"
    url = f"sqlite:///{other}"
    if spelling == "symlink":
        other.symlink_to(path)
    elif spelling == "hard link":
        other.hardlink_to(path)
    elif spelling == "uri":
        url = f"sqlite:///file:{path}?uri=true"
    else:
        url = database
        for file in tmp_path.glob("*lock*"):
            file.unlink()
    try:
        done = serve("--db", url, "--port", "0", "--agent", "none")
        assert_refused(done, "serve.py", "another server")
    finally:
        lock.close()


def test_the_file_of_a_new_database_is_its_owners_alone(serve, tmp_path, database):
    mask = os.umask(0o022)
    try:
        serve("token", "alice", "--db", database)
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "games.sqlite3").stat().st_mode) == 0o600


def test_players_are_listed_revoked_and_deleted(make_url, serve, monkeypatch):
    monkeypatch.setattr("server.players.SECONDS_KNOWN", 0.0)
    url = make_url()
    tokens = {
        name: serve("token", name, "--db", url).stdout.split()[-1] for name in ("alice", "bob")
    }
    with Harness(url, words=["noon"]) as server:
        for token in tokens.values():
            server.play(token, recorded=True, letters="no")
        assert serve("player", "revoke", "alice", "--db", url).returncode == 0
        assert serve("player", "delete", "bob", "--db", url).returncode == 0
        for token in tokens.values():
            assert server.get("/api/v1/player", headers=bearer(token)).status_code == 401
        rows = server.get("/api/v1/leaderboard").json()["players"]
        assert [row["name"] for row in rows] == ["alice"]
    listed = serve("player", "list", "--db", url).stdout.splitlines()
    assert listed == [
        "alice: 1 recorded games, 1 won, 0 open, 0 with hints",
        "1 players, 0 guests",
    ]
    assert serve("player", "list", "--db", url, "--db", url).returncode == 0


def test_the_environment_sets_what_options_do(serve, monkeypatch, database):
    monkeypatch.setenv("HANGMAN_DB", database)
    assert serve("token", "alice").returncode == 0
    assert "alice" in serve("player", "list", "--db", database).stdout
    monkeypatch.setenv("HANGMAN_WORDS", "/no/such/file")
    assert_refused(serve("--port", "0"), "serve.py", "/no/such/file")


def test_it_serves_until_it_is_stopped_and_logs_no_token(tmp_path, database):
    words = tmp_path / "words.txt"
    words.write_text("banana\n")
    process = ServerProcess(database, "--words", words, "--agent", "none")
    try:
        address = process.start()
        made = run("serve.py", "token", "alice", "--db", database)
        token = made.stdout.split()[-1]
        with urllib.request.urlopen(
            f"{address}/trexsim/hangman/new_game?practice=True&access_token={token}"
        ) as answer:
            assert answer.status == 200
            assert "server" not in answer.headers
        assert process.stop() == 130
        printed = process.read()
    finally:
        process.close()
    logged = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert all(line["time"] and line["level"] for line in logged)
    (request,) = [line for line in logged if line["message"] == "request"]
    assert (request["path"], request["status"]) == ("/trexsim/hangman/new_game", 200)
    assert request["request_id"] == answer.headers["x-request-id"]
    assert token not in printed
    assert token[3:] not in printed
    assert "access_token" not in printed
    assert "banana" not in printed
    assert "Traceback" not in printed
