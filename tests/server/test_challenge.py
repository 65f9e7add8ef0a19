"""The protocol of the public challenge."""

import pytest

from tests.server.harness import CHALLENGE


def test_a_game_that_is_won(start):
    server = start(words=["noon"])
    token = server.token()
    begun = server.get(f"{CHALLENGE}/new_game", practice="True", access_token=token)
    assert begun.status_code == 200
    assert begun.headers["content-type"] == "application/json"
    answer = begun.json()
    game = answer.pop("game_id")
    assert answer == {"status": "approved", "word": "_ _ _ _ ", "tries_remains": 6}
    for letter, status, word in (
        ("e", "ongoing", "_ _ _ _ "),
        ("o", "ongoing", "_ o o _ "),
        ("N", "success", "n o o n "),
    ):
        expected = {"status": status, "game_id": game, "word": word, "tries_remains": 5}
        assert server.guess(token, game, letter).json() == expected
    assert server.status(token) == [1, 0, 0, 1]


def test_the_sixth_wrong_guess_loses_and_the_reason_is_told(start):
    server = start(words=["noon"], practice=["jazz"])
    token = server.token()
    game = server.new_game(token, recorded=True)
    answers = [server.guess(token, game, letter).json() for letter in "abcdef"]
    assert [answer["tries_remains"] for answer in answers] == [5, 4, 3, 2, 1, 0]
    assert [answer["status"] for answer in answers] == ["ongoing"] * 5 + ["failed"]
    assert answers[-1]["word"] == "_ _ _ _ "
    assert answers[-1]["reason"] == "no tries are left; the word was noon"
    assert all("reason" not in answer for answer in answers[:-1])
    assert server.status(token) == [0, 1, 0, 0]


@pytest.mark.parametrize(
    "letter", ["", "ee", "1", "é", "ß", "_", " ", "\N{KELVIN SIGN}", "e\n", "\0"]
)
def test_what_is_not_one_letter_is_refused_and_costs_nothing(start, letter):
    server = start(words=["apple"])
    token = server.token()
    game = server.new_game(token)
    answer = server.guess(token, game, letter)
    assert answer.status_code == 400
    assert list(answer.json()) == ["error"]
    assert "one letter" in answer.json()["error"]
    assert server.guess(token, game, "a").json()["tries_remains"] == 6


@pytest.mark.parametrize("token", [None, "", "hm_unknown", "x" * 500, "\0"])
@pytest.mark.parametrize("path", ["new_game", "guess_letter", "my_status"])
def test_no_or_an_unknown_token_is_refused(start, token, path):
    server = start()
    query = {} if token is None else {"access_token": token}
    answer = server.get(f"{CHALLENGE}/{path}", game_id="0", letter="e", **query)
    assert answer.status_code == 401
    assert list(answer.json()) == ["error"]


def test_unknown_games_and_those_of_others_are_refused_alike(start):
    server = start()
    alice, bob = server.token("alice"), server.token("bob")
    game = server.new_game(alice)
    answers = [server.guess(bob, id_, "e") for id_ in (game, "0" * 32, "", "\0'\"")]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert server.guess(alice, game, "z").json()["status"] == "ongoing"


def test_runs_are_used_up(start):
    server = start(words=["a"], recorded_runs=2, practice_runs=3)
    token = server.token()
    for recorded, allowed in ((True, 2), (False, 3)):
        for _ in range(allowed):
            server.play(token, recorded)
        kind = "recorded" if recorded else "practice"
        answer = server.get(f"{CHALLENGE}/new_game", practice=not recorded, access_token=token)
        assert answer.status_code == 403
        assert answer.json() == {"error": f"all {allowed} {kind} runs are used up"}
    server.restart()
    answer = server.get(f"{CHALLENGE}/new_game", practice=False, access_token=token)
    assert answer.status_code == 403
    assert server.status(token) == [3, 2, 2, 3]


@pytest.mark.parametrize("value", ["maybe", "", "2"])
def test_practice_is_true_or_false(start, value):
    server = start()
    answer = server.get(f"{CHALLENGE}/new_game", practice=value, access_token=server.token())
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("practice: ")
