"""The JSON API."""

import pytest

from hangman_lab.agents import make_agent
from tests.server.harness import API, WORDS, ClockStopped, bearer


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
    state = {
        **{"game_id": game, "recorded": True, "resigned": False, "hinted": False},
        **{"status": "ongoing", "word": "____", "guesses": "", "wrong": "", "tries_remains": 6},
        "secret": None,
    }
    assert begun.json() == state
    for letter in "xo":
        answer = server.post(f"{API}/games/{game}/guesses", {"letter": letter}, token)
    state |= {"word": "_oo_", "guesses": "xo", "wrong": "x", "tries_remains": 5}
    assert server.get(f"{API}/games/{game}", token).json() == answer.json() == state
    assert server.get(f"{API}/games", token).json() == {"game_ids": [game]}
    answer = server.post(f"{API}/games/{game}/guesses", {"letter": "n"}, token)
    assert (answer.json()["status"], answer.json()["secret"]) == ("success", "noon")
    assert server.get(f"{API}/games", token).json() == {"game_ids": []}
    assert server.get(f"{API}/player", token).json() == {
        "name": "alice",
        "practice_runs": 0,
        "practice_successes": 0,
        "recorded_runs": 1,
        "recorded_successes": 1,
        "open_games": 0,
    }


def test_guests_play_practice_games_alone(start):
    server = start(words=["a"])
    made = server.post(f"{API}/guests")
    assert made.status_code == 201
    token = made.json()["token"]
    assert server.play(token)["status"] == "success"
    refused = server.post(f"{API}/games", {"recorded": True}, token)
    assert refused.status_code == 403
    assert "guests" in refused.json()["error"]
    statuses = [server.post(f"{API}/games", {}, token).status_code for _ in range(21)]
    assert statuses == [201] * 20 + [403]
    without_guests = start(guests=0)
    assert without_guests.post(f"{API}/guests").status_code == 403
    assert without_guests.get(f"{API}/server").json()["guests"] is False


def test_a_hint_has_a_probability_for_each_letter(start, agent):
    server = start(agent=agent)
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
        ({"pattern": "abcdefghijklmnopqrstuvwxyz_"}, "no letter is left for the blanks"),
        ({"pattern": "a__le", "wrong": "a"}, "shown in the pattern"),
        ({"pattern": "_____", "wrong": "bcdfgh"}, "lost at 6"),
        ({"pattern": "_" * 33}, "at most 32"),
        ({"pattern": ""}, "pattern"),
        ({"pattern": 7}, "pattern"),
        ({}, "pattern"),
        ({"pattern": "_", "more": 1}, "more"),
    ],
)
def test_a_pattern_that_cannot_be_is_explained(start, agent, body, said):
    server = start(agent=agent)
    answer = server.post(f"{API}/hints", body, server.token())
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_the_agent_plays_a_word_by_the_rules(start, agent):
    server = start(agent=agent)
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
def test_what_is_no_word_is_not_played(start, agent, word):
    server = start(agent=agent)
    assert server.post(f"{API}/agent-games", {"word": word}, server.token()).status_code == 422


def test_a_hint_counts_as_ten_more_requests(start, agent):
    server = start(agent=agent, address_rate=40)
    server.app.rates.clock = ClockStopped()
    token = server.token()
    # An unknown token counts as eight until it is known.
    assert server.post(f"{API}/games", {}, token).status_code == 201
    body = {"pattern": "_pple"}
    statuses = [server.post(f"{API}/hints", body, token).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    assert server.post(f"{API}/games", {}, token).status_code == 201


@pytest.mark.parametrize("path", ["/nothing", f"{API}/nothing", "/assets/x.js"])
def test_what_is_not_there_is_an_error_or_a_page_for_a_browser(start, path):
    server = start()
    answer = server.get(path)
    assert (answer.status_code, list(answer.json())) == (404, ["error"])
    answer = server.get(path, headers={"Accept": "text/html,*/*"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert 'href="/"' in answer.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"two\\nlines": 1}', "body: extra inputs are not permitted"),
        (b'{"%s": 1}' % (b"x" * 1000), "body: extra inputs are not permitted"),
        (b'{"a', "body: it is not JSON (at character 1: "),
    ],
)
def test_a_body_that_cannot_be_is_refused_in_one_line(start, body, said):
    server = start()
    headers = {**bearer(server.token()), "Content-Type": "application/json"}
    answer = server.run(server.client.post(f"{API}/games", content=body, headers=headers))
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(said)
    assert "\n" not in answer.json()["error"]


def test_hints_need_an_agent_and_a_token(start, agent):
    without, server = start(), start(agent=agent)
    assert without.get(f"{API}/server").json()["agent"] is None
    token = without.token()
    for path, body in (("hints", {"pattern": "_"}), ("agent-games", {"word": "a"})):
        answer = without.post(f"{API}/{path}", body, token)
        assert (answer.status_code, answer.json()) == (404, {"error": "this server has no agent"})
        refused = server.post(f"{API}/{path}", body)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")


def test_a_practice_word_is_chosen_by_length_and_difficulty_or_the_day(start):
    server = start(words=["noon", "jazz", "tree", "banana"])
    token = server.token()
    assert server.get(f"{API}/server").json()["practice_lengths"] == [4]
    for difficulty in ("easy", "medium", "hard"):
        game = server.post(f"{API}/games", {"length": 4, "difficulty": difficulty}, token).json()
        assert len(game["word"]) == 4
    game = server.post(f"{API}/games", {"length": 6}, token).json()["game_id"]
    assert server.secret(game) == "banana"
    for body, error in (
        ({"length": 7}, "length: no practice word has 7 letters"),
        ({"recorded": True, "daily": True}, "recorded, daily, length or difficulty: one at most"),
    ):
        refused = server.post(f"{API}/games", body, token)
        assert (refused.status_code, refused.json()) == (422, {"error": error})
    daily = server.post(f"{API}/games", {"daily": True}, token).json()
    assert server.post(f"{API}/games", {"daily": True}, token).json() == daily
