"""Games: requests that are repeated or come at the same time, restarts and bounds."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from agents import make_agent
from server import store
from tests.server.harness import API, WIRE


def test_a_guess_sent_again_with_its_key_is_answered_as_before(start):
    server = start(words=["noon"])
    token = server.token()
    game = server.new_game(token)
    first = server.guess(token, game, "x", key="k1")
    second = server.guess(token, game, "o", key="k2")
    last = server.guess(token, game, "n", key="k3")
    assert last.json()["status"] == "success"
    for _ in range(2):
        for letter, key, answer in (("x", "k1", first), ("o", "k2", second), ("n", "k3", last)):
            again = server.guess(token, game, letter, key=key)
            assert (again.status_code, again.json()) == (200, answer.json())
        server.restart()
    assert server.count(store.guesses) == 3
    assert server.status(token) == [1, 0, 0, 1]


def test_a_key_belongs_to_one_letter_and_to_one_game(start):
    server = start(words=["noon"])
    token = server.token()
    game, other = server.new_game(token), server.new_game(token)
    server.guess(token, game, "x", key="k")
    refused = server.guess(token, game, "o", key="k")
    assert refused.status_code == 422
    assert "another letter" in refused.json()["error"]
    assert server.guess(token, other, "o", key="k").json()["word"] == "_ o o _ "


@pytest.mark.parametrize("key", ["", " ", "x" * 129, "\u00e9"])
def test_a_key_that_cannot_be_one_is_refused(sqlite_start, key):
    server = sqlite_start()
    headers = {"Idempotency-Key": key.encode("utf-8")}
    answer = server.get(f"{WIRE}/new_game", headers=headers, access_token=server.token())
    assert answer.status_code == 422
    assert "Idempotency-Key" in answer.json()["error"]


def test_a_game_begun_again_with_its_key_is_the_same_game(start):
    server = start(words=["noon"], recorded_runs=1)
    token = server.token()
    body = {"recorded": True}
    first = server.post(f"{API}/games", body, token, key="k").json()
    server.guess(token, first["game_id"], "o")
    for _ in range(2):
        assert server.post(f"{API}/games", body, token, key="k").json() == first
        server.restart()
    assert server.status(token) == [0, 1, 0, 0]
    refused = server.post(f"{API}/games", {"recorded": False}, token, key="k")
    assert refused.status_code == 422
    other = server.post(f"{API}/games", {}, server.token("bob"), key="k").json()
    assert other["game_id"] != first["game_id"]


def test_the_same_request_many_times_at_once_counts_once(start):
    server = start(words=["noon"])
    token = server.token()
    begun = server.together(*(server.apost(f"{API}/games", {}, token, "k") for _ in range(20)))
    (game,) = {answer.json()["game_id"] for answer in begun}
    assert {answer.status_code for answer in begun} == {201}
    path = f"{API}/games/{game}/guesses"
    guessed = server.together(*(server.apost(path, {"letter": "x"}, token, "g") for _ in range(20)))
    assert {answer.json()["tries_remains"] for answer in guessed} == {5}
    assert server.count(store.games) == server.count(store.guesses) == 1
    assert server.status(token) == [1, 0, 0, 0]


def test_guesses_in_one_game_at_once_are_played_one_after_the_other(start):
    server = start(words=["noon"])
    token = server.token()
    game = server.new_game(token)
    path = f"{API}/games/{game}/guesses"
    # Once read from the database by many at once, once from memory.
    server.restart()
    answers = server.together(
        *(server.apost(path, {"letter": letter}, token) for letter in "abcdef" * 3)
    )
    lives = [answer.json()["tries_remains"] for answer in answers if answer.status_code == 200]
    refused = [answer.status_code for answer in answers if answer.status_code != 200]
    assert sorted(set(lives)) == [0, 1, 2, 3, 4, 5]
    assert set(refused) <= {409}
    assert server.count(store.guesses) == 6
    assert server.status(token) == [1, 0, 0, 0]


def test_many_players_at_once_do_not_mix(start):
    server = start()
    tokens = [server.token(f"player {number}") for number in range(8)]

    async def play(token):
        begun = await server.aget(f"{WIRE}/new_game", practice=False, access_token=token)
        game = begun.json()["game_id"]
        for letter in "etaoinshrdlucmfwypvbgkjqxz":
            answer = await server.aget(
                f"{WIRE}/guess_letter", game_id=game, letter=letter, access_token=token
            )
            if answer.json()["status"] != "ongoing":
                return answer.json()["status"]
        raise AssertionError("the game did not end")

    statuses = server.together(*(play(token) for token in tokens for _ in range(5)))
    for number, token in enumerate(tokens):
        mine = statuses[5 * number : 5 * number + 5]
        assert server.status(token) == [0, 5, mine.count("success"), 0]


def test_a_game_goes_on_after_a_restart(start):
    server = start(words=["banana"])
    token = server.token()
    game = server.new_game(token, recorded=True)
    before = [server.guess(token, game, letter).json() for letter in "xab"]
    server.restart()
    assert server.guess(token, game, "b").json() == before[-1]
    assert server.guess(token, game, "n").json()["status"] == "success"
    server.restart()
    assert server.status(token) == [0, 1, 1, 0]
    assert server.guess(token, game, "z").status_code == 409


def test_games_that_are_not_kept_in_memory_go_on(start):
    server = start(words=["banana"], cached_games=2)
    token = server.token()
    games = [server.new_game(token) for _ in range(6)]
    for letter in "ban":
        answers = [server.guess(token, game, letter).json() for game in games]
    assert {answer["status"] for answer in answers} == {"success"}
    assert server.status(token) == [6, 0, 0, 6]


def test_the_number_of_open_games_is_bounded(start):
    server = start(words=["a"], open_games=3)
    token = server.token()
    games = [server.new_game(token) for _ in range(3)]
    for _ in range(2):
        answer = server.get(f"{WIRE}/new_game", access_token=token)
        assert answer.status_code == 403
        assert answer.json()["error"].startswith("3 games are open")
        server.restart()
    server.guess(token, games[0], "a")
    server.post(f"{API}/games/{games[1]}/resignation", token=token)
    for _ in range(2):
        server.new_game(token)
    assert server.get(f"{WIRE}/new_game", access_token=token).status_code == 403
    # Another token has games of its own.
    server.new_game(server.token("bob"))


def test_a_recorded_player_does_not_get_a_word_twice_while_others_are_left(start):
    words = ["apple", "banana", "jazz", "noon"]
    server = start(words=words)
    token = server.token()
    for number in range(4):
        server.play(token, recorded=True)
        if number == 1:
            server.restart()
    with server.engine.connect() as connection:
        assert sorted(connection.scalars(select(store.games.c.secret))) == sorted(words)
    server.play(token, recorded=True)


def test_a_word_depends_on_the_servers_secret_and_outlives_a_restart(sqlite_start):
    words = [f"{first}{second}" for first in "abcdefghij" for second in "abcdefghij"]

    def draw(server):
        token = server.token()
        for number in range(20):
            server.new_game(token, recorded=True)
            if number == 10:
                server.restart()
        with server.engine.connect() as connection:
            return list(connection.scalars(select(store.games.c.secret)))

    first, second = sqlite_start(words=words), sqlite_start(words=words)
    assert draw(first) != draw(second)


def test_a_lost_game_tells_no_word_of_an_operators_list(start):
    server = start(words=["grfzgl"], practice=["noon"], withheld=True)
    token = server.token()
    lost = server.play(token, recorded=True, letters="abcdeh")
    assert lost["reason"] == "no tries are left"
    game = server.new_game(token, recorded=True)
    assert server.post(f"{API}/games/{game}/resignation", token=token).json()["secret"] is None
    # The words of games that were begun before stay untold.
    server.words = replace(server.words, withheld=False)
    server.restart()
    headers = {"Authorization": f"Bearer {token}"}
    assert server.get(f"{API}/games/{game}", headers=headers).json()["secret"] is None
    assert "noon" in server.play(token, letters="abcdef")["reason"]
    assert server.play(token, recorded=True, letters="grfzl")["status"] == "success"


def test_hints_in_recorded_games_are_marked(start):
    server = start(words=["noon", "jazz"], agent=make_agent("dictionary").fit(["noon", "jazz"]))
    token = server.token()
    game = server.new_game(token, recorded=True)
    unnamed = server.post(f"{API}/hints", {"pattern": "____"}, token)
    assert unnamed.status_code == 409
    assert "game_id" in unnamed.json()["error"]
    for _ in range(2):
        hint = server.post(f"{API}/hints", {"game_id": game}, token)
        assert hint.status_code == 200
    assert server.post(f"{API}/hints", {"game_id": "0" * 32}, token).status_code == 404
    assert server.post(f"{API}/hints", {"game_id": game, "pattern": "_"}, token).status_code == 422
    server.restart()
    headers = {"Authorization": f"Bearer {token}"}
    assert server.get(f"{API}/games/{game}", headers=headers).json()["hinted"] is True
    (row,) = server.get(f"{API}/leaderboard").json()["players"]
    assert (row["games"], row["hinted"]) == (1, 1)
    server.post(f"{API}/games/{game}/resignation", token=token)
    assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == 409
    assert server.post(f"{API}/hints", {"pattern": "____"}, token).status_code == 200


def test_hints_in_recorded_games_may_be_off(start):
    agent = make_agent("dictionary").fit(["noon"])
    server = start(words=["noon"], agent=agent, recorded_hints="off")
    token = server.token()
    game = server.new_game(token, recorded=True)
    assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == 403
    practice = server.new_game(token)
    assert server.post(f"{API}/hints", {"game_id": practice}, token).status_code == 200
    assert server.get(f"{API}/leaderboard").json()["players"][0]["hinted"] == 0
