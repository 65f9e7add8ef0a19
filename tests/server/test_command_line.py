"""serve.py: options, the environment, players, one server for a database."""

import hashlib
import json
import socket
import sqlite3
import subprocess
import urllib.request
from contextlib import closing

import pytest

from hangman_lab.envs.errors import InputError
from hangman_lab.server import players
from hangman_lab.server.command_line import main, read_command
from hangman_lab.server.database import only_server, open_database
from tests.processes import assert_refused, run
from tests.server.harness import Harness
from tests.server.load import serving

pytestmark = pytest.mark.slow


@pytest.fixture
def database(tmp_path):
    return tmp_path / "games.sqlite3"


@pytest.fixture
def serve(capsys):
    """Run the command in this process: return what assert_refused takes."""

    def serve(*arguments):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as ending:
            status = ending.code
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, status, printed.out, printed.err)

    return serve


def test_a_name_has_one_token_that_can_be_replaced(serve, database):
    first = serve("--db", database, "token", "alice")
    assert_refused(serve("token", "alice", "--db", database), "serve.py", "'alice'", "--replace")
    second = serve("token", "alice", "--db", database, "--replace")
    assert second.returncode == 0
    assert first.stdout.split()[-1] != second.stdout.split()[-1]
    refused = serve("token", "bob", "--db", database, "--replace")
    assert_refused(refused, "serve.py", "no player 'bob'")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["token", "two\nlines"], ["is not a name"]),
        (["player", "revoke"], ["player revoke: the NAME of a player is expected"]),
        (["player", "delete", "nobody"], ["no player 'nobody'"]),
        (["--db", "/no/such/folder/x"], ["--db", "/no/such/folder/x", "No such file"]),
        (["--host", "no.such.host.invalid"], ["--host", "no.such.host.invalid"]),
        (["--port", "70000"], ["--port: '70000' is not allowed", "65535"]),
        (["--forwarded-allow-ips", "the proxy"], ["--forwarded-allow-ips", "'the proxy'"]),
        (["--agent", "random", "--words", "WORDS"], ["--agent", "random", "letter probabilities"]),
        (["--connections", "9"], ["--connections: '9' is not allowed", "10"]),
    ],
)
def test_bad_input_is_one_line_and_status_2(serve, tmp_path, database, arguments, said):
    words = tmp_path / "words.txt"
    words.write_text("banana\n")
    arguments = [str(words) if argument == "WORDS" else argument for argument in arguments]
    options = () if "--port" in arguments else ("--port", "0")
    options += () if "--db" in arguments else ("--db", database)
    assert_refused(serve(*options, *arguments), "serve.py", *said)


def test_the_command_line_comes_before_the_environment_and_that_before_the_defaults(monkeypatch):
    monkeypatch.setenv("HANGMAN_PORT", "1")
    monkeypatch.setenv("HANGMAN_MAX_WRONG", "5")
    monkeypatch.setenv("HANGMAN_WORDS", "")
    # A client's, as evaluate.py has it.
    monkeypatch.setenv("HANGMAN_TOKEN", "hm_token")
    command = read_command(["--max-wrong", "7"])
    assert (command.host, command.port, command.max_wrong) == ("127.0.0.1", 1, 7)
    assert (command.words, command.token, command.player) == (None, None, None)
    monkeypatch.setenv("HANGMAN_PORT", "many")
    with pytest.raises(InputError, match=r"^HANGMAN_PORT: 'many' is not allowed"):
        read_command([])


def test_a_port_that_is_taken_is_told(serve, database):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serve("--port", port, "--db", database)
    assert_refused(done, "serve.py", f"127.0.0.1:{port} (Address already in use)")


@pytest.mark.parametrize("spelling", ["the same", "symbolic link", "hard link"])
def test_a_database_has_one_server_whatever_it_is_called(serve, tmp_path, database, spelling):
    open_database(database).close()
    other = database if spelling == "the same" else tmp_path / "other.sqlite3"
    if spelling == "symbolic link":
        other.symlink_to(database)
    elif spelling == "hard link":
        other.hardlink_to(database)
    with only_server(database):
        done = serve("--db", other, "--port", "0", "--agent", "none")
        assert_refused(done, "serve.py", "another server")
        # Tokens are made while it runs.
        assert serve("--db", other, "token", "alice").returncode == 0
    with only_server(other):
        pass


def test_players_are_listed_revoked_and_deleted(database, serve, monkeypatch):
    monkeypatch.setattr(players, "SECONDS_KNOWN", 0.0)
    tokens = {
        name: serve("token", name, "--db", database).stdout.split()[-1] for name in ("alice", "bob")
    }
    with closing(Harness(database, words=["noon"])) as server:
        for token in tokens.values():
            server.play(token, recorded=True, letters="no")
        assert serve("player", "revoke", "alice", "--db", database).returncode == 0
        assert serve("--db", database, "player", "delete", "bob").returncode == 0
        for token in tokens.values():
            assert server.get("/api/v1/player", token=token).status_code == 401
        rows = server.get("/api/v1/leaderboard").json()["players"]
        assert [row["name"] for row in rows] == ["alice"]
    monkeypatch.setenv("HANGMAN_DB", str(database))
    assert serve("player", "list").stdout.splitlines() == [
        "alice: 1 recorded games, 1 won, 0 open, 0 with hints",
        "1 players, 0 guests",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), ["again after 2 games of 1,000"]),
        (("--recorded-runs=2",), []),
        (
            ("--recorded-runs=2", "--host=0.0.0.0", "--forwarded-allow-ips=*"),
            ["reaches 0.0.0.0 can read /metrics", "can name its own address"],
        ),
    ],
)
def test_the_operator_is_warned_at_the_start(database, options, said):
    words = ["banana", "apple"]
    with serving(database, "--agent", "none", *options, words=words) as (process, _):
        printed = process.read()
    for part in ("again after", "can read /metrics", "can name its own"):
        assert (part in printed) == any(part in expected for expected in said)
    assert all(expected in printed for expected in said)


def test_it_serves_until_it_is_stopped_and_logs_no_token(database):
    with serving(database, "--agent", "none", words=["banana"]) as (process, address):
        made = run("serve.py", "token", "alice", "--db", database)
        assert (made.returncode, made.stderr) == (0, "")
        token = made.stdout.split()[-1]
        assert len(token) > 40
        with urllib.request.urlopen(
            f"{address}/trexsim/hangman/new_game?practice=True&access_token={token}"
        ) as answer:
            assert answer.status == 200
        assert process.stop() == 130
        printed = process.read()
    logged = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert all(line["time"] and line["level"] for line in logged)
    (request,) = [line for line in logged if line["message"] == "request"]
    assert (request["path"], request["status"]) == ("/trexsim/hangman/new_game", 200)
    assert request["request_id"] == answer.headers["x-request-id"]
    for secret in (token, token[3:], "access_token", "banana", "Traceback"):
        assert secret not in printed
    # Only the hash is stored.
    with closing(sqlite3.connect(database)) as connection:
        (row,) = connection.execute("SELECT * FROM players").fetchall()
    assert hashlib.sha256(token.encode()).hexdigest() in row
    assert token not in str(row)
