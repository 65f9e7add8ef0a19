"""The secret word leaves the server only when the game is over."""

import asyncio
import json
import logging

import pytest
from scipy.stats import chi2_contingency
from sqlalchemy import select

from envs.hangman.game import Game
from server import store
from server.errors import RequestError
from server.game import PlayerGame
from tests.server.harness import API, WIRE, Harness

pytestmark = pytest.mark.slow

NUM_GAMES = 2_000
# Most games of the first order are lost soon, most of the second are won late.
ORDERS = ("qzjxkwvyfbesiarntolcdugpmh", "esiarntolcdugpmhbyfvkwzxjq")


async def ask(app, method, path, query="", body=None, token=None):
    """Call the application itself, which is faster than a client; return all bytes of an answer."""
    content = b"" if body is None else json.dumps(body).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content))]
    if token is not None:
        headers.append((b"authorization", b"Bearer " + token.encode()))
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": headers,
        "http_version": "1.1",
        "scheme": "http",
        "server": ("server", 80),
        "client": ("client", 1),
        "root_path": "",
    }
    sent = []

    async def receive():
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    start, *rest = sent
    head = b"\n".join(name + b": " + value for name, value in start["headers"])
    return head, b"".join(message.get("body", b"") for message in rest)


@pytest.fixture
def long_words(real_words):
    """Words that no answer has by chance, as it may have short ones."""
    return [word for word in real_words if len(word) >= 8]


def test_no_answer_of_thousands_of_games_tells_the_word_before_the_end(tmp_path, long_words):
    url = f"sqlite:///{tmp_path}/games.sqlite3"
    with Harness(url, words=long_words, open_games=NUM_GAMES) as server:
        token, other = server.token("alice"), server.token("bob")
        count = {"answers": 0, "told": 0}

        def secret_of(game):
            return server.services.games._games[game].hangman.secret

        async def look(game, *request):
            head, body = await ask(server.app, *request)
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
            practice = bool(number % 2)
            query = f"practice={practice}&access_token={token}"
            head, body = await ask(server.app, "GET", f"{WIRE}/new_game", query)
            game = json.loads(body)["game_id"]
            assert secret_of(game).encode() not in (head + body).lower()
            for turn, letter in enumerate(ORDERS[number % 5 == 0]):
                if turn == 2 and number % 8 == 0:
                    # Wrong requests of all kinds, in the middle of the game.
                    path, wire = f"{API}/games/{game}", f"{WIRE}/guess_letter"
                    await look(game, "GET", path, "", None, token)
                    await look(game, "GET", path, "", None, other)
                    await look(game, "GET", path, "", None, None)
                    await look(game, "POST", f"{path}/guesses", "", {"letter": "ab"}, token)
                    await look(game, "POST", f"{path}/guesses", "", {"letter": "e"}, None)
                    await look(game, "POST", f"{path}/resignation", "", None, other)
                    await look(game, "GET", wire, f"game_id={game}&letter=1&access_token={token}")
                    await look(game, "GET", wire, f"game_id={game}&letter=e&access_token={other}")
                    await look(game, "DELETE", path, "", None, token)
                    await look(game, "GET", f"{API}/leaderboard")
                if number % 3:
                    query = f"game_id={game}&letter={letter}&access_token={token}"
                    answer = await look(game, "GET", f"{WIRE}/guess_letter", query)
                else:
                    path = f"{API}/games/{game}/guesses"
                    answer = await look(game, "POST", path, "", {"letter": letter}, token)
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
    # With its statements, as INFO has them; the client's own log is not the server's.
    logging.getLogger("sqlalchemy").setLevel(logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    server = start(words=long_words[:50])
    try:
        token = server.token()
        for number in range(20):
            server.play(token, recorded=bool(number % 2), letters=ORDERS[1])
        # Mistakes of the server and of the database are logged, too.
        game = server.new_game(token)
        secret = server.services.games._games[game].hangman.secret
        with monkeypatch.context() as broken:
            broken.setattr(PlayerGame, "answer", lambda self: 1 / 0)
            assert server.guess(token, game, "e").status_code == 500
        with server.engine.begin() as connection:
            row = {"game_id": game, "number": 1, "letter": "e", "created_at": 0.0}
            connection.execute(store.guesses.insert().values(row))
        server.services.games._games.clear()
        server.guess(token, game, "q")
        again = PlayerGame(game, 1, False, Game(secret, 6))
        with pytest.raises(RequestError) as refused:
            server.run(server.services.database.write(store.add_game, again, None, False))
        assert secret not in str(refused.value)
    finally:
        logged = caplog.text
        logging.getLogger("sqlalchemy").setLevel(logging.NOTSET)
        logging.getLogger("httpx").setLevel(logging.NOTSET)
    assert "INSERT INTO games" in logged
    assert token not in logged
    with server.engine.connect() as connection:
        words = set(connection.scalars(select(store.games.c.secret)))
    assert len(words) > 10
    assert [word for word in words if word in logged.lower()] == []


def test_two_words_that_look_alike_are_answered_alike(sqlite_start):
    """Nothing but the pattern depends on the word, not even the length of a header."""

    def answers(word):
        server = sqlite_start(words=[word])
        token = server.token("x" * 5)
        query = f"practice=True&access_token={token}"
        replies = [server.run(ask(server.app, "GET", f"{WIRE}/new_game", query))]
        game = json.loads(replies[0][1])["game_id"]
        for letter in "aqpz":
            query = f"game_id={game}&letter={letter}&access_token={token}"
            replies.append(server.run(ask(server.app, "GET", f"{WIRE}/guess_letter", query)))
        path = f"{API}/games/{game}"
        replies.append(server.run(ask(server.app, "GET", path, "", None, token)))
        # The numbers of requests are drawn anew.
        replies = [(head.partition(b"x-request-id")[0], body) for head, body in replies]
        return [reply.replace(game.encode(), b"ID") for pair in replies for reply in pair]

    assert answers("apple") == answers("apply")


def test_the_word_cannot_be_drawn_from_the_id(sqlite_start):
    server = sqlite_start(words=["apple", "jazz"])
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
