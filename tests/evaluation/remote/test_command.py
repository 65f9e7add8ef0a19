"""evaluate.py --server: agents play the games of a server over HTTP."""

import asyncio
import csv
import json
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from sqlalchemy import select

from agents import make_agent
from envs.errors import InputError
from envs.hangman.observation import parse_observation
from evaluation.command_line import main
from evaluation.remote.arena import observe, play_on_server
from evaluation.remote.client import GameClient, RemoteGame
from evaluation.statistics import win_rate_interval
from server import store
from server.database import open_engine
from tests.envs.hangman.referee import Referee
from tests.processes import assert_refused, start
from tests.server.load import ServerProcess, add_token

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def words(tmp_path_factory, real_words):
    path = tmp_path_factory.mktemp("words") / "words.txt"
    path.write_text("\n".join(real_words) + "\n")
    return path


@pytest.fixture(scope="module")
def serving(tmp_path_factory, words):
    """A server: (process, address, URL of its database)."""
    url = f"sqlite:///{tmp_path_factory.mktemp('serving')}/games.sqlite3"
    process = ServerProcess(url, "--words", words, "--agent", "none")
    yield process, process.start(), url
    process.close()


@pytest.fixture
def evaluate(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")

    def evaluate(*arguments):
        try:
            status = main([*map(str, arguments)])
        except SystemExit as ending:
            status = ending.code
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, status, printed.out, printed.err)

    return evaluate


def played_by(url, token_name):
    """Return the games of a player as they are stored: by id, secret, recorded, status, letters."""
    engine = open_engine(url)
    with engine.connect() as connection:
        rows = connection.execute(
            select(store.games).join(store.players).where(store.players.c.name == token_name)
        ).all()
        guesses = {row.id: "" for row in rows}
        for game, letter in connection.execute(
            select(store.guesses.c.game_id, store.guesses.c.letter).order_by(
                store.guesses.c.game_id, store.guesses.c.number
            )
        ):
            if game in guesses:
                guesses[game] += letter
    engine.dispose()
    return [(row.secret, row.recorded, row.status, guesses[row.id]) for row in rows]


@pytest.mark.parametrize("recorded", [False, True])
def test_what_is_printed_and_written_is_what_the_server_has(
    evaluate, serving, words, tmp_path, recorded
):
    _, address, url = serving
    name = f"dictionary {recorded}"
    token = add_token(url, name)
    done = evaluate(
        "--server", address, "--token", token, *(["--recorded"] if recorded else []),
        "--agents", "dictionary", "--words", words, "--games", 60, "--at-once", 16, "--known", 0.25,
        "--json", tmp_path / "figures.json", "--csv", tmp_path / "games.csv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    stored = played_by(url, name)
    assert len(stored) == 60
    assert {is_recorded for _, is_recorded, _, _ in stored} == {recorded}
    wins = sum(status == "success" for _, _, status, _ in stored)
    wrong = sum(sum(letter not in secret for letter in letters) for secret, _, _, letters in stored)
    figures = json.loads((tmp_path / "figures.json").read_text())
    agent = figures["agents"]["dictionary"]
    assert (agent["games"], agent["wins"]) == (60, wins)
    assert agent["ci95"] == pytest.approx(win_rate_interval(wins, 60))
    assert agent["mean_wrong_guesses"] == pytest.approx(wrong / 60)
    assert agent["mean_guesses"] == pytest.approx(sum(len(row[3]) for row in stored) / 60)
    lengths = {str(len(secret)) for secret, *_ in stored}
    assert set(agent["by_length"]) == lengths
    assert figures["split"] == ("recorded" if recorded else "practice")
    assert (figures["max_wrong"], figures["known"]) == (6, 0.25)
    # Only the server could tell which of its words are known.
    assert "known" not in agent
    assert f"{wins / 60:.1%}" in done.stdout
    with (tmp_path / "games.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["guesses"] for row in rows) == sorted(row[3] for row in stored)
    assert sum(row["won"] == "1" for row in rows) == wins
    assert {row["known"] for row in rows} == {""}


def test_an_agent_guesses_over_http_what_it_guesses_in_the_arena(serving, words):
    _, address, url = serving
    token = add_token(url, "arena")
    agent = make_agent("dictionary").fit(words.read_text().split())

    async def play():
        async with GameClient(address, token) as server:
            return await play_on_server(agent, server, games=20, recorded=True, at_once=7)

    asyncio.run(play())
    for secret, _, status, letters in played_by(url, "arena"):
        referee = Referee(secret)
        for letter in letters:
            shown = referee.shown
            wrong = "".join(sorted(letter for letter in referee.guessed if letter not in secret))
            assert (
                letter
                == "abcdefghijklmnopqrstuvwxyz"[agent.act(parse_observation(shown, wrong))[0]]
            )
            referee.guess(letter)
        assert (status == "success") == referee.won
        assert referee.over


def test_it_survives_a_kill_and_a_restart_in_the_middle(serving, words, tmp_path):
    process, address, url = serving
    token = add_token(url, "restarted")
    client = start(
        "evaluate.py", "--server", address, "--token", token, "--recorded", "--agents",
        "dictionary", "--words", words, "--games", 200, "--json", tmp_path / "figures.json",
    )  # fmt: skip
    while len(played_by(url, "restarted")) < 40:
        assert client.poll() is None, client.communicate()
        time.sleep(0.3)
    process.kill()
    assert len(played_by(url, "restarted")) < 200
    process.start()
    _, errors = client.communicate(timeout=300)
    assert client.returncode == 0, errors
    stored = played_by(url, "restarted")
    agent = json.loads((tmp_path / "figures.json").read_text())["agents"]["dictionary"]
    assert len(stored) == agent["games"] == 200
    assert sum(status == "success" for _, _, status, _ in stored) == agent["wins"]
    assert all(status != "ongoing" for _, _, status, _ in stored)
    assert all(len(set(letters)) == len(letters) for *_, letters in stored)


def test_each_agent_plays_its_own_games(evaluate, serving, words):
    _, address, url = serving
    token = add_token(url, "two")
    done = evaluate(
        "--server", f"{address}/trexsim/hangman/", "--token", token, "--agents", "random",
        "benchmark", "--words", words, "--games", 12,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(played_by(url, "two")) == 24
    assert "random: 12 of 12 games" in done.stdout
    assert "benchmark: 12 of 12 games" in done.stdout


def test_what_the_server_refuses_is_told_in_one_line(evaluate, serving, words):
    _, address, _ = serving
    done = evaluate(
        "--server", address, "--token", "hm_wrong", "--agents", "random", "--words", words
    )
    assert_refused(done, "evaluate.py", "--server", address, "token is not known")
    assert "hm_wrong" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--server", "http://127.0.0.1:1"], "--token, HANGMAN_TOKEN"),
        (["--server", "127.0.0.1:8000", "--token", "t"], "is not a URL"),
        (["--server", "ftp://server", "--token", "t"], "is not a URL"),
        (["--server", "http://x", "--token", "t", "--split", "test"], "--split: cannot be given"),
        (["--server", "http://x", "--token", "t", "--max-wrong", "3"], "--max-wrong"),
        (["--server", "http://x", "--token", "t", "--report", "r"], "--report"),
        (["--server", "http://x", "--token", "t", "--env", "GuessTheWord-v0"], "--env"),
        (["--server", "http://x", "--token", "t", "--at-once", "0"], "--at-once"),
        (["--token", "t"], "--token: needs --server"),
        (["--recorded"], "--recorded: needs --server"),
        (["--at-once", "3"], "--at-once: needs --server"),
    ],
)
def test_options_that_do_not_go_together(evaluate, arguments, said):
    assert_refused(evaluate(*arguments), "evaluate.py", said)


@pytest.fixture
def answering():
    """Serve answers that a test makes up; yields (address, requests so far)."""
    servers = []

    def answering(answer):
        requests = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                query = {
                    name: value[0] for name, value in parse_qs(urlsplit(self.path).query).items()
                }
                requests.append((urlsplit(self.path).path, query, dict(self.headers)))
                reply = answer(len(requests), *requests[-1][:2])
                if reply is None:
                    self.close_connection = True
                    return
                status, headers, body = reply
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}", requests

    yield answering
    for server in servers:
        server.shutdown()
        server.server_close()


def ask(address, patience=20.0):
    async def ask():
        async with GameClient(address, "t", patience=patience) as server:
            game = await server.new_game(0, recorded=True)
            await server.guess(game, "e")
            return game

    return asyncio.run(ask())


GAME = {"status": "approved", "game_id": "7", "word": "_ _ ", "tries_remains": 6}
AFTER = {"status": "ongoing", "game_id": "7", "word": "e _ ", "tries_remains": 6}


def encode(answer):
    return 200, {"Content-Type": "application/json"}, json.dumps(answer).encode()


def test_a_request_is_sent_again_with_its_key_until_it_is_answered(answering):
    def answer(number, path, query):
        if number in (1, 4):
            return None
        if number in (2, 5):
            return 503, {}, b"starting"
        return encode(GAME if path.endswith("new_game") else AFTER)

    address, requests = answering(answer)
    game = ask(address)
    assert (game.pattern, game.guesses, game.tries) == ("e_", "e", 6)
    keys = {}
    for path, _, headers in requests:
        keys.setdefault(path, set()).add(headers["Idempotency-Key"])
    new_game, guess = keys.values()
    assert len(new_game) == len(guess) == 1
    assert new_game != guess
    assert requests[-1][1] == {
        "request": "guess_letter", "game_id": "7", "letter": "e", "access_token": "t"
    }  # fmt: skip
    assert requests[0][1] == {"practice": "False", "access_token": "t"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {}, b"<html>hello</html>"), "is no game server; it answers '<html>hello"),
        ((200, {}, b"[]"), "is no game server"),
        ((404, {}, b"nothing here"), "is no game server"),
        ((200, {}, b'{"error": "no\\nsuch token"}'), "refuses: no such token"),
        ((403, {}, b'{"error": "used up"}'), "refuses: used up"),
        ((200, {}, b'{"game_id": 1, "word": "12", "tries_remains": 6}'), "is no game server"),
    ],
)
def test_what_is_no_game_server_is_told(answering, answer, said):
    address, _ = answering(lambda *_: answer)
    with pytest.raises(InputError) as error:
        ask(address)
    assert said in str(error.value)


def test_it_gives_up_on_a_server_that_does_not_answer(answering):
    address, requests = answering(lambda *_: (503, {}, b'{"error": "busy"}'))
    with pytest.raises(InputError, match=r"does not answer \(busy\)"):
        ask(address, patience=0.5)
    assert len(requests) > 1


def test_agents_see_of_remote_games_what_they_see_here():
    games = [
        RemoteGame("1", 0, "_pp_e", 4, 6, "epxz"),
        RemoteGame("2", 1, "________", 6, 6, ""),
    ]
    seen = observe(games)
    assert seen["word"].shape == (2, 8)
    for row, (game, wrong) in enumerate(zip(games, ("xz", ""), strict=True)):
        expected = parse_observation(game.pattern, wrong)
        length = len(game.pattern)
        assert np.array_equal(seen["word"][row, :length], expected["word"][0])
        assert not seen["word"][row, length:].any()
        assert np.array_equal(seen["guessed"][row], expected["guessed"][0])
        assert seen["lives"][row] == expected["lives"][0]


def test_a_server_that_counts_otherwise_is_noticed():
    with pytest.raises(InputError, match="that is not Hangman"):
        observe([RemoteGame("1", 0, "_pp_e", 5, 6, "epxz")])


def test_the_token_may_be_in_the_environment(serving, words, evaluate, monkeypatch):
    _, address, url = serving
    monkeypatch.setenv("HANGMAN_TOKEN", add_token(url, "from the environment"))
    done = evaluate("--server", address, "--agents", "random", "--words", words, "--games", "3")
    assert done.returncode == 0, done.stderr
    assert len(played_by(url, "from the environment")) == 3
