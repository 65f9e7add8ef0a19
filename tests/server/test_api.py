"""The JSON API and the protocol of the public challenge."""

from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from hangman_lab.server.app import create_app
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings
from tests.server.harness import API, CHALLENGE, bearer
from tests.server.load import add_token

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
# The schema needs neither words nor a database.
APP = create_app(ServedWords((), (), (), (), ""), None, Settings()).app
SCHEMA: Any = schemathesis.openapi.from_dict(APP.openapi())
OPERATIONS = {operation.ok().label: operation.ok() for operation in SCHEMA.get_all_operations()}


@pytest.mark.slow
@pytest.mark.parametrize("label", OPERATIONS)
def test_every_answer_to_generated_requests_follows_the_schema(label, page_server):
    operation, (address, path) = OPERATIONS[label], page_server
    token = add_token(path, label)
    fixed = {"headers": bearer(token)}
    if operation.path.startswith(CHALLENGE):
        fixed["query"] = {"access_token": token}

    # Hypothesis types the members of HealthCheck as classes.
    every: Any = list(HealthCheck)

    @settings(max_examples=30, derandomize=True, suppress_health_check=every)
    @given(data=st.data(), is_known=st.booleans(), mode=st.sampled_from(GenerationMode))
    def ask(data, is_known, mode):
        known = {}
        if is_known and "game_id" in operation.path:
            begun = requests.post(f"{address}{API}/games", json={}, headers=bearer(token))
            known = {"path_parameters": {"game_id": begun.json()["game_id"]}}
        case = data.draw(operation.as_strategy(mode, **fixed, **known))
        response = case.call_and_validate(base_url=address, checks=CHECKS)
        if response.status_code >= 400:
            assert list(response.json()) == ["error"]
            assert "\n" not in response.json()["error"]

    ask()


def test_a_game_and_its_end(start_with_player):
    server, token = start_with_player(words=["noon"])
    begun = server.begin(token, recorded=True)
    assert begun.status_code == 201
    game = begun.json()["game_id"]
    state = {
        **{"game_id": game, "recorded": True, "resigned": False, "hinted": False, "day": None},
        **{"status": "ongoing", "word": "____", "guesses": "", "wrong": "", "tries_remains": 6},
        "secret": None,
    }
    assert begun.json() == state
    path = f"{API}/games/{game}/guesses"
    *_, answer = (server.post(path, {"letter": letter}, token) for letter in "xo")
    state |= {"word": "_oo_", "guesses": "xo", "wrong": "x", "tries_remains": 5}
    assert server.state(token, game) == answer.json() == state
    assert server.get(f"{API}/games", token).json() == [state]
    answer = server.post(path, {"letter": "n"}, token)
    assert (answer.json()["status"], answer.json()["secret"]) == ("success", "noon")
    assert server.get(f"{API}/games", token).json() == []
    assert server.get(f"{API}/player", token).json() == {
        **{"name": "alice", "practice_runs": 0, "practice_successes": 0},
        **{"recorded_runs": 1, "recorded_successes": 1, "open_games": 0},
    }


def test_a_game_of_the_challenge_that_is_won(start_with_player):
    server, token = start_with_player(words=["noon"])
    # A practice game by default.
    begun = server.get(f"{CHALLENGE}/new_game", access_token=token)
    assert (begun.status_code, begun.headers["content-type"]) == (200, "application/json")
    answer = begun.json()
    game = answer.pop("game_id")
    assert answer == {"status": "approved", "word": "_ _ _ _ ", "tries_remains": 6}
    for letter, status, word in (
        ("e", "ongoing", "_ _ _ _ "),
        ("e", "ongoing", "_ _ _ _ "),
        ("o", "ongoing", "_ o o _ "),
        ("N", "success", "n o o n "),
        ("x", "success", "n o o n "),
    ):
        expected = {"status": status, "game_id": game, "word": word, "tries_remains": 5}
        assert server.guess(token, game, letter).json() == expected
    assert server.status(token) == [1, 0, 0, 1]


@pytest.mark.parametrize(
    "letter", ["", "ee", "1", "é", "ß", "_", " ", "\N{KELVIN SIGN}", "e\n", "\0"]
)
def test_an_invalid_letter_is_refused_and_costs_nothing(start_with_player, letter):
    server, token = start_with_player(words=["apple"])
    game = server.new_game(token)
    answer = server.post(f"{API}/games/{game}/guesses", {"letter": letter}, token)
    expected = {"error": "letter: one letter a to z is expected"}
    assert (answer.status_code, answer.json()) == (400, expected)
    assert server.guess(token, game, "a").json()["tries_remains"] == 6


def test_white_space_around_a_token_is_ignored(start_with_player):
    server, token = start_with_player()
    copied = f" \t{token} \r\n"
    assert server.status(copied) == [0] * 4
    assert server.get(f"{API}/player", f" {token}\t ").status_code == 200


@pytest.mark.parametrize("token", ["", " ", "hm_unknown", "x" * 500])
def test_a_missing_or_unknown_token_is_refused(start, token):
    server = start()
    assert server.get(f"{CHALLENGE}/my_status", access_token=token).status_code == 401
    refused = server.get(f"{API}/player", token)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")


def test_unknown_games_and_games_of_other_players_have_the_same_error(start):
    server = start()
    alice, bob = server.token("alice"), server.token("bob")
    game = server.new_game(alice)
    answers = [server.guess(bob, id_, "e") for id_ in (game, "0" * 32, "", "\0'\"", "é")]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert server.guess(alice, game, "z").json()["status"] == "ongoing"


def test_the_page_is_served_and_unknown_paths_are_refused(start):
    server = start()
    assert server.get("/").text.startswith("<!DOCTYPE html>")
    first = server.get("/assets/main.js")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = server.get("/assets/main.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    # No redirect to the Host that the client sends.
    for path in ("/nothing", f"{API}/nothing", "/assets", f"{API}/server/", "/..%2Fapp.py"):
        answer = server.get(path, headers={"Host": "elsewhere.example"})
        assert (answer.status_code, list(answer.json())) == (404, ["error"])
    refused = server.post("/assets/main.js")
    assert (refused.status_code, list(refused.json())) == (405, ["error"])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"two\\nlines": 1}', "body: extra inputs are not permitted"),
        (b'{"recorded": true, "daily": true}', "recorded, daily: one at most"),
        (b'{"%s": 1}' % (b"x" * 1000), "body: extra inputs are not permitted"),
        (b'{"a', "body: not JSON (at character 1: "),
        (b"[" * 8_000, "body: not JSON"),  # too deep for some versions of Python
        (b'{"recorded": %s}' % (b"9" * 8_000), "body: not JSON that this server reads"),
    ],
)
def test_an_invalid_body_is_refused_in_one_line(start_with_player, body, said):
    server, token = start_with_player()
    answer = server.post(f"{API}/games", body, token)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(said)
    assert "\n" not in answer.json()["error"]
