"""serve.py: options, the environment, tokens and players."""

import hashlib
import re
import signal
import socket
import sqlite3
import subprocess
import urllib.request
from contextlib import closing
from functools import partial

import pytest

from hangman_lab.server.command_line import main, read_options
from tests.processes import assert_refused, command, run, run_main
from tests.server.harness import API, Harness
from tests.server.load import serving

pytestmark = pytest.mark.slow
# Lines, accents that are stacked or alone, and what is invisible or changes the direction.
NO_NAMES = ("two\nlines", "e\u0301\u0302", "\u1ebf\u0301", "a\u0328\u0328", "\u0301")
NO_NAMES += tuple(f"al{char}ice" for char in "\u3164\u2800\u034f\ufe0f\u17b4\u200b\u200d\u202e")


@pytest.fixture
def serve(capsys, monkeypatch, path):
    """Run the command in this process on a database: return what assert_refused takes."""
    monkeypatch.setenv("HANGMAN_DB", str(path))
    monkeypatch.setenv("HANGMAN_PORT", "0")
    return partial(run_main, main, capsys)


def read_players(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT name, token_hash FROM players").fetchall()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["token", "a" * 65], ["is not a name of 1 to 64 letters"]),
        # A letter of another script.
        (["token", "p\u0430ul"], ["is not a name", "one script"]),
        *((["token", name], ["is not a name"]) for name in NO_NAMES),
        (["delete", "nobody"], ["--db: there is no file"]),
        (["nothing"], ["argument action: invalid choice: 'nothing'"]),
        (["--port=1", "--database", "x", "token"], ["unrecognized arguments: --database ("]),
        (["-p", "9000"], ["unrecognized arguments: -p ("]),
        (["--db", "/no/such/folder/x"], ["--db", "/no/such/folder/x", "No such file"]),
        (["--host", "no.such.host.invalid"], ["--host", "no.such.host.invalid"]),
        (["--port", "70000"], ["--port: '70000' is not a whole number in 0..65535"]),
        (["--forwarded-allow-ips", "::1, proxy"], ["--forwarded-allow-ips", "'proxy'"]),
        (["--agent", "random"], ["--agent", "random", "letter probabilities"]),
        (
            ["--agent", "none", "--common", "1"],
            ["--common: is for ppo", "not for none"],
        ),
        (["--agent", "dictionary", "--known", "1"], ["--known: is for ppo", "not for dictionary"]),
    ],
)
def test_bad_input_is_one_line_and_status_2(serve, arguments, said):
    assert_refused(serve(*arguments), "serve.py", *said)


def test_options_have_precedence_over_the_environment(serve, monkeypatch):
    monkeypatch.setenv("HANGMAN_PORT", "1")
    monkeypatch.setenv("HANGMAN_MAX_WRONG", "5")
    monkeypatch.setenv("HANGMAN_WORDS", "")
    # The variable of evaluate.py.
    monkeypatch.setenv("HANGMAN_TOKEN", "hm_token")
    options = read_options(["--max-wrong", "7"])
    assert (options.host, options.port, options.max_wrong) == ("127.0.0.1", 1, 7)
    assert (options.words, options.action) == (None, None)
    monkeypatch.setenv("HANGMAN_PORT", "many")
    assert_refused(serve(), "serve.py", "HANGMAN_PORT: 'many' is not a whole number")


def test_a_port_in_use_is_reported(serve):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serve("--port", port)
    assert_refused(done, "serve.py", f"127.0.0.1:{port} (Address already in use)")


def test_tokens_are_made_replaced_and_players_deleted_while_a_server_runs(path, serve):
    def make(name, *options):
        return serve("token", name, *options).stdout.strip()

    with closing(Harness(path, words=["noon"])) as server:
        alice, bob = make("alice"), make("bob")
        for token in (alice, bob):
            server.play(token, recorded=True, letters="no")
        assert_refused(serve("token", "alice"), "serve.py", "'alice'", "--replace")
        new = make("alice", "--replace")
        assert serve("delete", "bob").returncode == 0
        assert_refused(serve("delete", "bob"), "serve.py", "there is no player 'bob'")
        statuses = [server.get(f"{API}/player", token).status_code for token in (alice, bob, new)]
        assert statuses == [401, 401, 200]
        (row,) = server.get(f"{API}/leaderboard").json()["players"]
        assert (row["name"], row["games"], server.count("games")) == ("alice", 1, 1)


def test_it_serves_until_it_is_stopped_and_logs_no_token(path):
    options = ("--agent", "none", "--forwarded-allow-ips=*")
    with serving(path, *options, words=["banana"]) as (process, address):
        made = run("serve.py", "token", "alice", "--db", path)
        assert (made.returncode, made.stderr.count("\n")) == (0, 1)
        assert "alice" in made.stderr
        token = made.stdout.strip()
        assert re.fullmatch(r"hm_[\w-]{40,}", token)
        query = f"practice=True&access_token={token}"
        with urllib.request.urlopen(f"{address}/trexsim/hangman/new_game?{query}") as answer:
            assert answer.status == 200
        assert process.end(signal.SIGINT) == 0
        printed = process.read()
    assert "recorded words are public" in printed
    assert "any client can name its own address" in printed
    for secret in (token, token[3:], "access_token", "banana", "Traceback"):
        assert secret not in printed
    assert read_players(path) == [("alice", hashlib.sha256(token.encode()).hexdigest())]


def test_names_are_normalized(serve, path):
    names = {"Zoe\u0308": "Zo\u00eb", "\uff21da 2": "Ada 2", "O'Neil-Smith.": "O'Neil-Smith."}
    # Accents above and below one letter.
    names |= {name: name for name in ("\u5c71\u7530", "Ad\u00e9b\u00e1y\u1ecd\u0300", "Ng\u1ebf")}
    for typed in names:
        assert serve("token", typed).returncode == 0
    assert [name for name, _ in read_players(path)] == [*names.values()]


def test_a_token_that_cannot_be_shown_is_not_stored(path):
    with open("/dev/full", "w") as output:
        done = subprocess.run(command("serve.py", "--db", path, "token", "ada"), stdout=output)
    assert (done.returncode, read_players(path)) == (2, [])
