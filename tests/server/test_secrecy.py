"""The secret word leaves the server only when the game is over."""

import asyncio
import json
import logging
from contextlib import closing

import pytest
from scipy.stats import chi2_contingency

from hangman_lab.envs.hangman.game import Game
from hangman_lab.server import store
from hangman_lab.server.errors import RequestError
from hangman_lab.server.store import PlayerGame
from tests.server.harness import API, CHALLENGE, Harness, bearer

pytestmark = pytest.mark.slow

NUM_GAMES = 1_000
# Most games of the first order are lost soon, most of the second are won late.
ORDERS = ("qzjxkwvyfbesiarntolcdugpmh", "esiarntolcdugpmhbyfvkwzxjq")


async def ask(server, method, path, body=None, token=None, **query):
    """Return the head and the body of an answer, all bytes of it."""
    headers = bearer(token)
    answer = await server.client.request(method, path, params=query, json=body, headers=headers)
    head = b"\n".join(name + b": " + value for name, value in answer.headers.raw)
    return head, answer.content


@pytest.fixture
def long_words(real_words):
    """Words that no answer has by chance, as it may have short ones."""
    return [word for word in real_words if len(word) >= 8]


def test_no_answer_of_a_thousand_games_tells_the_word_before_the_end(tmp_path, long_words):
    path = tmp_path / "games.sqlite3"
    with closing(Harness(path, words=long_words, open_games=NUM_GAMES)) as server:
        token, other = server.token("alice"), server.token("bob")
        count = {"answers": 0, "told": 0}

        def secret_of(game):
            return server.services.games._games[game].hangman.secret

        async def look(game, *request, **query):
            head, body = await ask(server, *request, **query)
            secret = secret_of(game).encode()
            count["answers"] += 1
            answer = json.loads(body)
            over = isinstance(answer, dict) and answer.get("status") in ("success", "failed")
            assert secret not in head.lower()
            if over:
                count["told"] += 1
            else:
                assert secret not in body.lower(), body
            return answer

        async def play(number):
            query = {"practice": bool(number % 2), "access_token": token}
            head, body = await ask(server, "GET", f"{CHALLENGE}/new_game", **query)
            game = json.loads(body)["game_id"]
            assert secret_of(game).encode() not in (head + body).lower()
            path, challenge = f"{API}/games/{game}", (game, "GET", f"{CHALLENGE}/guess_letter")
            for turn, letter in enumerate(ORDERS[number % 5 == 0]):
                if turn == 2 and number % 8 == 0:
                    # Wrong requests of all kinds, in the middle of the game.
                    for asking in (token, other, None):
                        await look(game, "GET", path, None, asking)
                    await look(game, "POST", f"{path}/guesses", {"letter": "ab"}, token)
                    await look(game, "POST", f"{path}/guesses", {"letter": "e"}, None)
                    await look(game, "POST", f"{path}/resignation", None, other)
                    await look(*challenge, game_id=game, letter="1", access_token=token)
                    await look(*challenge, game_id=game, letter="e", access_token=other)
                    await look(game, "DELETE", path, None, token)
                    await look(game, "GET", f"{API}/leaderboard")
                if number % 3:
                    answer = await look(*challenge, game_id=game, letter=letter, access_token=token)
                else:
                    answer = await look(game, "POST", f"{path}/guesses", {"letter": letter}, token)
                if answer["status"] != "ongoing":
                    return

        async def play_all():
            numbers = iter(range(NUM_GAMES))

            async def play_on():
                for number in numbers:
                    await play(number)

            await asyncio.gather(*(play_on() for _ in range(32)))

        server.run(play_all())
        assert count["told"] == NUM_GAMES
        assert count["answers"] > 6 * NUM_GAMES


def test_no_log_line_tells_the_word_or_the_token(start, long_words, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    # The client's own log is not the server's.
    monkeypatch.setattr(logging.getLogger("httpx"), "level", logging.WARNING)
    server = start(words=long_words[:50])
    token = server.token()
    for number in range(20):
        server.play(token, recorded=bool(number % 2), letters=ORDERS[1])
    # Mistakes of the server and of the database are logged, too.
    game = server.new_game(token)
    with monkeypatch.context() as broken:
        broken.setattr(PlayerGame, "answer", lambda self: 1 / 0)
        assert server.guess(token, game, "e").status_code == 500
    server.sql("INSERT INTO guesses VALUES (?, 9, 'q', NULL, 0)", game)
    assert server.guess(token, game, "q").status_code == 503
    again = PlayerGame(game, 1, Game(server.secret(game), 6))
    with pytest.raises(RequestError) as refused:
        server.run(server.services.database.write(store.add_game, again, None))
    words = {word for (word,) in server.sql("SELECT secret FROM games")}
    logged = caplog.text.lower() + str(refused.value)
    assert "the database failed" in logged
    assert len(words) > 10
    assert [word for word in (*words, token.lower()) if word in logged] == []


def test_two_words_that_look_alike_are_answered_alike(start):
    """Nothing but the pattern depends on the word, not even the length of a header."""

    def answers(word):
        server = start(words=[word])
        token = server.token("x" * 5)
        begun = server.run(ask(server, "GET", f"{CHALLENGE}/new_game", access_token=token))
        game = json.loads(begun[1])["game_id"]
        query = {"game_id": game, "access_token": token}
        path = f"{CHALLENGE}/guess_letter"
        guesses = (ask(server, "GET", path, letter=letter, **query) for letter in "aqpz")
        shown = ask(server, "GET", f"{API}/games/{game}", token=token)
        replies = [begun, *map(server.run, (*guesses, shown))]
        # The numbers of requests are drawn again.
        replies = [(head.partition(b"x-request-id")[0], body) for head, body in replies]
        return [reply.replace(game.encode(), b"ID") for pair in replies for reply in pair]

    assert answers("apple") == answers("apply")


def test_the_word_cannot_be_drawn_from_the_id(start):
    server = start(words=["apple", "jazz"])
    token = server.token()
    ids = [server.new_game(token) for _ in range(600)]
    assert len(set(ids)) == len(ids)
    counts = {"apple": [0] * 16, "jazz": [0] * 16}
    for game in ids:
        assert len(game) == 32
        for digit in game:
            counts[server.services.games._games[game].hangman.secret][int(digit, 16)] += 1
    # The digits of an id are independent of the word.
    assert chi2_contingency(list(counts.values())).pvalue > 1e-4
