"""evaluate.py --server: agents play the games of a server over HTTP."""

import json
import re
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
import pytest

from hangman_lab.agents.base import Agent
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.game_client import GameClient, RemoteGame
from hangman_lab.evaluation.preparation import EvaluationOptions, prepare
from hangman_lab.evaluation.remote import _observe, _play_games
from hangman_lab.evaluation.statistics import basic_statistics
from tests.processes import assert_refused
from tests.server.load import add_token, serving


def stored_games(path):
    """The games of a server in their order, as they are stored."""
    with closing(sqlite3.connect(path)) as connection:
        return pd.read_sql_query("SELECT * FROM games", connection)


@pytest.mark.slow
def test_output_and_files_agree_with_the_arena_and_the_server(
    evaluate, tiny_files, tmp_path, monkeypatch
):
    words, path = tiny_files[1], tmp_path / "games.sqlite3"
    with serving(path, "--words", words, "--agent", "none") as (_, address):
        monkeypatch.setenv("HANGMAN_TOKEN", add_token(path, "alice"))
        done, evaluation = evaluate(
            "--server", address, "--agents", "dictionary", "random", "--words", words,
            "--games", 30, "--known", 0.25, "--csv", tmp_path / "games.csv", "--details",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "random: 30 games done" in done.stdout
    stored = stored_games(path)
    agent = prepare(EvaluationOptions.of(agents=["dictionary"], words=words)).agents["dictionary"]
    arena = play(agent, stored["secret"].tolist())
    assert len(stored) == 60
    assert not stored.recorded.any()
    # The rest are those of the random agent.
    is_its_game = stored.guesses == arena.letters
    assert is_its_game.sum() == 30
    stored, arena = stored.loc[is_its_game], arena.loc[is_its_game]
    assert ((stored["status"] == "success") == arena["won"]).all()
    statistics = evaluation["agents"]["dictionary"]
    expected = {**basic_statistics(arena, 1.0), "games_per_second": statistics["games_per_second"]}
    review = statistics.pop("review")
    assert (review["games"], review["guesses"]) == (30, arena["guesses"].sum())
    assert review["given_up"] < evaluation["agents"]["random"]["review"]["given_up"]
    # The client does not know which words are known.
    assert statistics == {**expected, "fitted": None}
    assert (evaluation["split"], evaluation["max_wrong"]) == ("practice", 6)
    assert evaluation["known"] == 0.25
    assert f"{statistics['win_rate']:.1%}" in done.stdout
    games = pd.read_csv(tmp_path / "games.csv").query("agent == 'dictionary'")
    assert sorted(games["letters"]) == sorted(arena["letters"])
    assert games.won.sum() == arena.won.sum()
    assert games.is_known.isna().all()


@pytest.mark.slow
def test_recorded_games_are_played_to_their_ends_when_there_are_no_more(
    evaluate, tiny_files, tmp_path, monkeypatch
):
    words, path = tiny_files[1], tmp_path / "games.sqlite3"
    options = ("--words", words, "--agent", "none", "--recorded-runs", 5)
    with serving(path, *options) as (_, address):
        monkeypatch.setenv("HANGMAN_TOKEN", add_token(path, "alice"))
        asked = ("--server", address, "--recorded", "--words", words, "--games", 7)
        done, evaluation = evaluate(*asked, "--agents", "dictionary", "random")
        again, nothing = evaluate(*asked, "--agents", "dictionary")
    assert "all 5 recorded runs are used up (after 5 games, which are over)" in done.stderr
    assert "dictionary: 5 games done" in done.stdout
    assert list(evaluation["agents"]) == ["dictionary"]
    assert evaluation["agents"]["dictionary"]["games"] == 5
    assert evaluation["split"] == "recorded"
    stored = stored_games(path)
    assert stored.recorded.all()
    assert {*stored.status} <= {"success", "failed"}
    assert_refused(again, "evaluate.py", "all 5 recorded runs are used up")
    assert nothing is None


@contextmanager
def server_of(answer):
    """Yield a client of a server, and the requests that the server gets.

    ``answer`` returns a status and a text for the number of a request and its path, or None to
    close the connection.
    """
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            url = urlsplit(self.path)
            requests.append((url.path, dict(parse_qsl(url.query)), self.headers["Idempotency-Key"]))
            reply = answer(len(requests), url.path)
            if reply is not None:
                self.send_response(reply[0])
                self.end_headers()
                self.wfile.write(reply[1].encode())

        def log_message(self, format, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield GameClient(f"http://127.0.0.1:{server.server_port}", "t", retries=3), requests
        server.shutdown()


def test_a_request_is_retried_with_its_key_until_it_is_answered():
    def answer(number, path):
        if number in (1, 4):
            return None
        if number in (2, 5):
            return 503, "starting"
        if path.endswith("new_game"):
            return 200, '{"status": "approved", "game_id": "7", "word": "_ _ ", "tries_remains": 8}'
        return 200, '{"status": "ongoing", "game_id": "7", "word": "e _ ", "tries_remains": 8}'

    with server_of(answer) as (client, requests):
        game = client.new_game(recorded=True)
        client.guess(game, "e")
        GameClient(client.url, "t").new_game(recorded=True)
    *requests, (_, _, key_of_another_client) = requests
    assert (game.pattern, game.guesses, game.tries, game.rules.max_wrong) == ("e_", "e", 8, 8)
    paths, queries, keys = zip(*requests, strict=True)
    assert [path.rpartition("/")[2] for path in paths] == ["new_game"] * 3 + ["guess_letter"] * 3
    # A repeated letter changes nothing, so that a guess needs no key.
    assert len({*keys[:3]}) == 1
    assert None not in (*keys[:3], key_of_another_client)
    assert key_of_another_client != keys[0]
    assert {*keys[3:]} == {None}
    assert queries[0] == {"practice": "False", "access_token": "t"}
    assert queries[-1] == {
        "request": "guess_letter", "game_id": "7", "letter": "e", "access_token": "t"
    }  # fmt: skip


class Alphabetical(Agent):
    """Guesses the first unguessed letter; ``keys`` are those of its batches."""

    def __init__(self):
        self.keys = []

    def act_batch(self, observations, keys=None):
        self.keys.append(keys.tolist())
        return (observations["guessed"] == 0).argmax(axis=1)


@pytest.mark.parametrize("last_word", [{"word": "all"}, {"word": None}, {}], ids=str)
def test_games_keep_their_keys_and_order_and_may_end_without_their_word(monkeypatch, last_word):
    secrets, games = ("zoo", "ace", "b", "fab"), []

    def answer(path, query, read, key=None):
        if path == "new_game":
            games.append(Game(secrets[len(games)], Rules()))
            return read({"game_id": len(games) - 1, "word": games[-1].word, "tries_remains": 6})
        game = games[int(query["game_id"])]
        game.guess(ALPHABET.index(query["letter"]))
        status = ("success" if game.won else "failed") if game.over else "ongoing"
        reply = {"status": status, "word": game.word, "tries_remains": game.lives}
        if game.over and last_word != {"word": "all"}:
            del reply["word"]
            reply |= last_word
        return read(reply)

    client, agent = GameClient("http://127.0.0.1", "t"), Alphabetical()
    monkeypatch.setattr(client, "_request", answer)
    with ThreadPoolExecutor(1) as threads:
        played, _ = _play_games(agent, client, 4, False, threads, lambda number: None)
    assert agent.keys == [[0, 1, 2, 3]] * 2 + [[0, 1, 3]] * 3 + [[0, 3]]
    assert played.word.tolist() == ["___", "ace", "b", "fab"]
    assert played.won.tolist() == [False, True, True, True]
    assert played.wrong_guesses.tolist() == [6, 2, 1, 3]
    assert played.letters.tolist() == ["abcdef", "abcde", "ab", "abcdef"]


@pytest.mark.parametrize(
    ("status", "text", "said"),
    [
        (200, "<html>hello</html>", "is not a game server; it answers '<html>hello"),
        (200, '{"error": "no\\nsuch token"}', "refuses: no such token"),
        (403, '{"error": "used up"}', "refuses: used up"),
        (200, '{"game_id": 1, "word": null, "tries_remains": 6}', "is not a game server"),
        (
            200,
            '{"game_id": 1, "word": "\N{KELVIN SIGN}_", "tries_remains": 6}',
            "not a game server",
        ),
        (503, '{"error": "busy"}', "does not answer (busy)"),
    ],
)
def test_an_invalid_server_is_reported(status, text, said):
    with (
        server_of(lambda *_: (status, text)) as (client, requests),
        pytest.raises(InputError, match=re.escape(said)),
    ):
        client.new_game(recorded=False)
    assert len(requests) == (4 if status == 503 else 1)


def test_an_unknown_token_is_refused_before_agents_are_fitted(evaluate, monkeypatch):
    monkeypatch.setattr("hangman_lab.evaluation.remote.prepare", None)
    with server_of(lambda *_: (200, '{"error": "no such token"}')) as (client, requests):
        monkeypatch.setenv("HANGMAN_TOKEN", "t\r\n")
        for token in ("--token", " t\r"), ():
            done, _ = evaluate("--server", client.url, *token)
            assert_refused(done, "evaluate.py", "refuses: no such token")
    (path, query, _), _ = requests
    assert (path.rpartition("/")[2], query) == ("my_status", {"access_token": "t"})
    assert requests[0] == requests[1]


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "ongoing", "tries_remains": 5},
        {"status": "failed", "tries_remains": -1},
        {"status": "success", "tries_remains": 6},
    ],
    ids=str,
)
def test_an_impossible_answer_to_a_guess_is_refused(answer):
    game = RemoteGame("1", 0, "_pp__", 5, Rules(), "px")
    with (
        server_of(lambda *_: (200, json.dumps(answer))) as (client, _),
        pytest.raises(InputError, match="is not a game server; it answers"),
    ):
        client.guess(game, "e")


def test_a_server_with_a_wrong_count_of_lives_is_refused():
    with pytest.raises(InputError, match="breaks the rules"):
        _observe([RemoteGame("1", 0, "_pp_e", 5, Rules(), "epxz")])
