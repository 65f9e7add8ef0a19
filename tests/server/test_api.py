"""The versioned JSON interface."""

import pytest

from agents import make_agent
from tests.server.harness import API, WORDS


@pytest.fixture
def agent():
    return make_agent("dictionary").fit(WORDS)


def test_a_game_and_its_end(start):
    server = start(words=["noon"])
    token = server.token()
    begun = server.post(f"{API}/games", {"recorded": True}, token)
    assert begun.status_code == 201
    game = begun.json()["game_id"]
    assert begun.headers["location"] == f"{API}/games/{game}"
    assert begun.json() == {
        "game_id": game,
        "recorded": True,
        "status": "ongoing",
        "word": "____",
        "guesses": "",
        "wrong": "",
        "tries_remains": 6,
        "resigned": False,
        "hinted": False,
        "secret": None,
    }
    for letter in "xo":
        answer = server.post(f"{API}/games/{game}/guesses", {"letter": letter}, token)
    assert answer.json()["word"] == "_oo_"
    assert (answer.json()["guesses"], answer.json()["wrong"]) == ("xo", "x")
    headers = {"Authorization": f"Bearer {token}"}
    assert server.get(f"{API}/games/{game}", headers=headers).json() == answer.json()
    assert server.get(f"{API}/games", headers=headers).json() == {"game_ids": [game]}
    answer = server.post(f"{API}/games/{game}/guesses", {"letter": "n"}, token)
    assert (answer.json()["status"], answer.json()["secret"]) == ("success", "noon")
    assert server.get(f"{API}/games", headers=headers).json() == {"game_ids": []}
    assert server.get(f"{API}/player", headers=headers).json() == {
        "name": "alice",
        "practice_runs": 0,
        "practice_successes": 0,
        "recorded_runs": 1,
        "recorded_successes": 1,
        "open_games": 0,
    }


def test_a_game_that_is_resigned_is_failed_and_tells_its_word(start):
    server = start(words=["noon"])
    token = server.token()
    game = server.post(f"{API}/games", {}, token).json()["game_id"]
    server.post(f"{API}/games/{game}/guesses", {"letter": "o"}, token, key="k")
    for _ in range(2):
        for _ in range(2):
            answer = server.post(f"{API}/games/{game}/resignation", token=token)
            assert answer.status_code == 200
            assert answer.json()["status"] == "failed"
            assert (answer.json()["word"], answer.json()["secret"]) == ("_oo_", "noon")
        refused = server.post(f"{API}/games/{game}/guesses", {"letter": "n"}, token)
        assert refused.status_code == 409
        # The answer of before is still that of before.
        again = server.post(f"{API}/games/{game}/guesses", {"letter": "o"}, token, key="k")
        assert (again.json()["status"], again.json()["secret"]) == ("ongoing", None)
        server.restart()


def test_a_game_that_is_won_cannot_be_resigned(start):
    server = start(words=["a"])
    token = server.token()
    game = server.post(f"{API}/games", {}, token).json()["game_id"]
    server.post(f"{API}/games/{game}/guesses", {"letter": "a"}, token)
    assert server.post(f"{API}/games/{game}/resignation", token=token).status_code == 409


def test_games_of_others_are_not_shown(start):
    server = start()
    game = server.post(f"{API}/games", {}, server.token()).json()["game_id"]
    other = server.token("bob")
    headers = {"Authorization": f"Bearer {other}"}
    for answer in (
        server.get(f"{API}/games/{game}", headers=headers),
        server.post(f"{API}/games/{game}/guesses", {"letter": "e"}, other),
        server.post(f"{API}/games/{game}/resignation", token=other),
    ):
        assert answer.status_code == 404


def test_guests_play_practice_games_alone(start):
    server = start(words=["a"], guest_open_games=2)
    made = server.post(f"{API}/guests")
    assert made.status_code == 201
    token = made.json()["token"]
    assert server.play(token)["status"] == "success"
    refused = server.post(f"{API}/games", {"recorded": True}, token)
    assert refused.status_code == 403
    assert "guests" in refused.json()["error"]
    for status in (201, 201, 403):
        assert server.post(f"{API}/games", {}, token).status_code == status


def test_a_server_without_guests(sqlite_start):
    server = sqlite_start(guests=0)
    assert server.post(f"{API}/guests").status_code == 403
    assert server.get(f"{API}/server").json()["guests"] is False


def test_a_hint_has_a_probability_for_each_letter(sqlite_start, agent):
    server = sqlite_start(agent=agent)
    token = server.token()
    hint = server.post(f"{API}/hints", {"pattern": "_ pp _ e", "wrong": "i, o"}, token).json()
    assert hint["letter"] == "a"
    assert list(hint["probabilities"]) == list("abcdefghijklmnopqrstuvwxyz")
    assert all(0 <= probability <= 1 for probability in hint["probabilities"].values())
    assert all(hint["probabilities"][letter] == 0 for letter in "peio")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"pattern": "ap*le"}, "'*'"),
        ({"pattern": "apple"}, "no letter is hidden"),
        ({"pattern": "a__le", "wrong": "a"}, "shown in the pattern"),
        ({"pattern": "_____", "wrong": "bcdfgh"}, "lost at 6"),
        ({"pattern": "_" * 33}, "at most 32"),
        ({"pattern": ""}, "pattern"),
        ({"pattern": 7}, "pattern"),
        ({}, "pattern"),
        ({"pattern": "_", "more": 1}, "more"),
    ],
)
def test_a_pattern_that_cannot_be_is_explained(sqlite_start, agent, body, said):
    server = sqlite_start(agent=agent)
    answer = server.post(f"{API}/hints", body, server.token())
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_the_agent_plays_a_word_by_the_rules(sqlite_start, agent):
    server = sqlite_start(agent=agent)
    token = server.token()
    game = server.post(f"{API}/agent-games", {"word": " Mississippi"}, token).json()
    assert game["status"] in ("success", "failed")
    guessed = ""
    for turn in game["turns"]:
        assert turn["letter"] not in guessed
        guessed += turn["letter"]
        shown = "".join(letter if letter in guessed else "_" for letter in "mississippi")
        assert turn["word"] == shown
        assert turn["wrong"] == "".join(letter for letter in guessed if letter not in "misp")
        assert turn["tries_remains"] == 6 - len(turn["wrong"])
    assert (game["status"] == "success") == (shown == "mississippi")


@pytest.mark.parametrize("word", ["", "two words", "naïve", "a" * 33, "x1"])
def test_what_is_no_word_is_not_played(sqlite_start, agent, word):
    server = sqlite_start(agent=agent)
    assert server.post(f"{API}/agent-games", {"word": word}, server.token()).status_code == 422


def test_without_an_agent_there_are_no_hints(sqlite_start):
    server = sqlite_start()
    token = server.token()
    assert server.get(f"{API}/server").json()["agent"] is None
    for path, body in (("hints", {"pattern": "_"}), ("agent-games", {"word": "a"})):
        answer = server.post(f"{API}/{path}", body, token)
        assert answer.status_code == 404
        assert answer.json() == {"error": "this server has no agent"}


def test_hints_have_a_rate_of_their_own(sqlite_start, agent):
    server = sqlite_start(agent=agent, agent_rate=0.001, agent_burst=2.0)
    token = server.token()
    body = {"pattern": "_pple"}
    statuses = [server.post(f"{API}/hints", body, token).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    assert server.post(f"{API}/games", {}, token).status_code == 201


def test_hints_and_agents_need_a_token(sqlite_start, agent):
    server = sqlite_start(agent=agent)
    for path, body in (("hints", {"pattern": "_"}), ("agent-games", {"word": "a"}), ("games", {})):
        answer = server.post(f"{API}/{path}", body)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("path", "status"), [("/nothing", 404), (f"{API}/nothing", 404), ("/assets/x.js", 404)]
)
def test_what_is_not_there_is_an_error_in_the_same_form(sqlite_start, path, status):
    answer = sqlite_start().get(path)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


def test_a_browser_gets_a_page_where_nothing_is(sqlite_start):
    server = sqlite_start()
    for path in ("/nothing", "/leaderboard/x"):
        answer = server.get(path, headers={"Accept": "text/html,*/*"})
        assert answer.status_code == 404
        assert answer.headers["content-type"].startswith("text/html")
        assert 'href="/"' in answer.text


@pytest.mark.parametrize("name", ["two\nlines", "x" * 1000])
def test_a_field_with_a_name_that_fits_no_line_is_refused_in_one(sqlite_start, name):
    server = sqlite_start()
    answer = server.post(f"{API}/games", {name: 1}, server.token())
    assert answer.status_code == 422
    assert answer.json() == {"error": "body: extra inputs are not permitted"}


def test_a_body_that_is_not_json_is_told_so(sqlite_start):
    server = sqlite_start()
    headers = {"Authorization": f"Bearer {server.token()}", "Content-Type": "application/json"}
    answer = server.run(server.client.post(f"{API}/games", content=b'{"a', headers=headers))
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("body: it is not JSON (at character 1: ")


def test_the_wrong_method_is_an_error_in_the_same_form(sqlite_start):
    answer = sqlite_start().post("/trexsim/hangman/new_game", {})
    assert (answer.status_code, list(answer.json())) == (405, ["error"])
