"""Games: requests that are repeated or come at the same time, restarts and bounds."""

from dataclasses import replace

import pytest

from hangman_lab.agents import make_agent
from hangman_lab.server import games, players
from hangman_lab.server.served_words import Choice
from hangman_lab.server.store import Player
from tests.server.harness import API, CHALLENGE


def test_a_guess_sent_again_with_its_key_is_answered_as_before(start):
    server = start(words=["noon"])
    token = server.token()
    game = server.new_game(token)
    answers = {letter: server.guess(token, game, letter, key=letter) for letter in "xon"}
    assert answers["n"].json()["status"] == "success"
    for _ in range(2):
        for letter, answer in answers.items():
            again = server.guess(token, game, letter, key=letter)
            assert (again.status_code, again.json()) == (200, answer.json())
        server.restart()
    refused = server.guess(token, game, "o", key="x")
    assert refused.status_code == 422
    assert "another letter" in refused.json()["error"]
    other = server.new_game(token)
    assert server.guess(token, other, "o", key="x").json()["word"] == "_ o o _ "
    assert server.count("guesses") == 4
    assert server.status(token) == [2, 0, 0, 1]


@pytest.mark.parametrize("key", ["", " ", "x" * 129, "\u00e9"])
def test_a_key_that_cannot_be_one_is_refused(start, key):
    server = start()
    headers = {"Idempotency-Key": key.encode("utf-8")}
    answer = server.get(f"{CHALLENGE}/new_game", headers=headers, access_token=server.token())
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
    assert server.count("games") == server.count("guesses") == 1
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
    assert server.count("guesses") == 6
    assert server.status(token) == [1, 0, 0, 0]


def test_games_and_players_that_are_not_kept_in_memory_go_on(start, monkeypatch):
    monkeypatch.setattr(games, "_CACHED_GAMES", 2)
    monkeypatch.setattr(players, "_MAX_TOKENS", 1)
    server = start(words=["banana"])
    tokens = [server.token(name) for name in ("alice", "bob")]
    begun = [(token, server.new_game(token)) for token in tokens * 3]
    for letter in "ban":
        answers = [server.guess(*game, letter).json() for game in begun]
    assert {answer["status"] for answer in answers} == {"success"}
    assert [server.status(token) for token in tokens] == [[3, 0, 0, 3]] * 2


def test_the_number_of_open_games_is_bounded(start):
    server = start(words=["a"], open_games=3)
    token = server.token()
    games = [server.new_game(token) for _ in range(3)]
    for _ in range(2):
        answer = server.get(f"{CHALLENGE}/new_game", access_token=token)
        assert answer.status_code == 403
        assert answer.json()["error"].startswith("3 games are open")
        server.restart()
    server.guess(token, games[0], "a")
    server.post(f"{API}/games/{games[1]}/resignation", token=token)
    for _ in range(2):
        server.new_game(token)
    assert server.get(f"{CHALLENGE}/new_game", access_token=token).status_code == 403
    # Another token has games of its own.
    server.new_game(server.token("bob"))


def test_a_player_does_not_get_a_recorded_word_twice_while_others_are_left(start):
    words = [f"{first}{second}" for first in "abcdef" for second in "abcde"]
    server = start(words=words, recorded_runs=31, open_games=100)
    token = server.token()

    def begin(key, count=1):
        body = {"recorded": True}
        asked = (server.apost(f"{API}/games", body, token, key) for _ in range(count))
        return {answer.status_code for answer in server.together(*asked)}

    for number in range(20):
        assert begin(f"game-{number}") == {201}
    # Repeated, refused and, with a broken table, failed beginnings take no word.
    for burst in range(5):
        assert begin(f"burst-{burst}", 30) == {201}
    server.sql("ALTER TABLE players RENAME COLUMN recorded_open TO elsewhere")
    assert begin("failed", 3) == {503}
    server.sql("ALTER TABLE players RENAME COLUMN elsewhere TO recorded_open")
    server.restart()
    for number in range(5):
        assert begin(f"later-{number}") == {201}
    drawn = "SELECT COUNT(*), COUNT(DISTINCT secret) FROM games"
    assert server.sql(drawn) == [(30, 30)]
    # When all have been played, one comes again.
    assert begin("again") == {201}
    assert server.sql(drawn) == [(31, 30)]
    assert begin("too-many", 3) == {403}


def test_a_word_depends_on_a_secret_of_the_database(start):
    words = [f"{first}{second}" for first in "abcdefghij" for second in "abcdefghij"]

    def draw(server):
        token = server.token()
        return [server.secret(server.new_game(token, recorded=True)) for _ in range(20)]

    assert draw(start(words=words)) != draw(start(words=words))


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
    assert server.get(f"{API}/games/{game}", token).json()["secret"] is None
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
    assert server.get(f"{API}/games/{game}", token).json()["hinted"] is True
    (row,) = server.get(f"{API}/leaderboard").json()["players"]
    assert (row["games"], row["hinted"]) == (1, 1)
    server.post(f"{API}/games/{game}/resignation", token=token)
    assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == 409
    assert server.post(f"{API}/hints", {"pattern": "____"}, token).status_code == 200


def test_hints_in_recorded_games_may_be_off(start):
    agent = make_agent("dictionary").fit(["noon"])
    server = start(words=["noon"], agent=agent, recorded_hints="off")
    token = server.token()
    for recorded, status in ((True, 403), (False, 200)):
        game = server.new_game(token, recorded)
        assert server.post(f"{API}/hints", {"game_id": game}, token).status_code == status
    assert server.get(f"{API}/leaderboard").json()["players"][0]["hinted"] == 0


def test_the_word_of_the_day_is_one_game_of_each_player_with_the_same_word(start):
    server = start(words=[f"word{chr(97 + index)}" for index in range(26)])
    games, everybody = server.services.games, [Player(number, "") for number in (1, 2, 3)]
    for number in range(3):
        server.token(str(number))

    def begin(player, day):
        return server.run(games.begin(player, False, choice=Choice(day=day)))

    begun = [begin(player, "2026-01-31") for player in everybody]
    assert len({game.game_id for game in begun}) == 3
    assert len({server.secret(game.game_id) for game in begun}) == 1
    days = [begin(everybody[0], f"2026-01-{day}").game_id for day in range(10, 20)]
    assert len({server.secret(game) for game in days}) > 1
    # It goes on where it was left, also after a restart and when it is over.
    server.run(games.guess(everybody[0], begun[0].game_id, "w"))
    server.restart()
    games = server.services.games
    again = begin(everybody[0], "2026-01-31")
    assert (again.game_id, again.word[:4]) == (begun[0].game_id, "w___")
    server.run(games.resign(everybody[0], again.game_id))
    assert begin(everybody[0], "2026-01-31").status == "failed"
    # A key of a client cannot be that of a day.
    assert (
        server.post(f"{API}/games", {}, server.token("x"), key="day 2026-01-31").status_code == 422
    )
