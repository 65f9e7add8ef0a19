"""serve.py as a process of its own."""

import hashlib
import re
import socket
import subprocess
import sys
import urllib.request

import pytest
from sqlalchemy import create_engine, text

from server.command_line import main
from server.database import ServerLock, open_engine
from tests.processes import assert_refused, run
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
        arguments += ["--db", f"sqlite:///{tmp_path}/games.sqlite3"]
    if "--port" not in arguments:
        arguments += ["--port", "0"]
    # Options after "nonsense" belong to no command.
    done = serve(*arguments) if arguments[0] != "nonsense" else serve("nonsense")
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
    monkeypatch.setattr("server.database._PATIENCE", 0.2)
    url = make_url()
    first = open_engine(url)
    lock = ServerLock(first)
    done = serve("--db", url, "--port", "0", "--agent", "none")
    assert_refused(done, "serve.py", "another server")
    # Tokens are made while it runs.
    assert serve("--db", url, "token", "alice").returncode == 0
    lock.release()
    second = open_engine(url)
    ServerLock(second).release()
    first.dispose()
    second.dispose()


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
    assert re.search('"GET /trexsim/hangman/new_game HTTP/1.1" 200', printed)
    assert token not in printed
    assert token[3:] not in printed
    assert "access_token" not in printed
    assert "banana" not in printed
    assert "Traceback" not in printed
