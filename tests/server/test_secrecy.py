"""The secret word leaves the server only when the game is over."""

import logging
from typing import Any

import pytest
from scipy.stats import chi2_contingency

from hangman_lab.server import games
from tests.server.harness import API

pytestmark = pytest.mark.slow

NUM_GAMES = 1_000
# The first order mostly loses soon, the second mostly wins late.
ORDERS = ("qzjxkwvyfbesiarntolcdugpmh", "esiarntolcdugpmhbyfvkwzxjq")


@pytest.fixture
def long_words(real_words):
    """Words that are too long to be in an answer by chance."""
    return [word for word in real_words if len(word) >= 8]


def test_no_answer_of_a_thousand_games_reveals_the_word_before_the_end(
    start, long_words, dictionary
):
    server = start(words=long_words, agent=dictionary)
    token, other = server.token("alice"), server.token("bob")
    seen = []

    async def record(answer):
        seen.append((str(answer.headers.raw).lower(), (await answer.aread()).decode().lower()))

    server.client.event_hooks = {"response": [record]}
    for number in range(NUM_GAMES):
        seen.clear()
        game = server.new_game(token, recorded=number % 2 == 0)
        path = f"{API}/games/{game}"
        for turn, letter in enumerate(ORDERS[number % 5 == 0]):
            if turn == 2 and number % 8 == 0:
                # All kinds of requests during the game.
                for asker in (token, other):
                    server.state(asker, game)
                    server.get(f"{path}/review", asker)
                server.resign(other, game)
                server.post(f"{path}/guesses", {"letter": "ab"}, token)
                server.guess(token, game, "1")
                server.get(f"{API}/leaderboard")
            if number % 3:
                answer = server.guess(token, game, letter)
            else:
                answer = server.post(f"{path}/guesses", {"letter": letter}, token)
            if answer.json()["status"] != "ongoing":
                break
        *during, (head, _) = seen
        secret = server.secret(game)
        assert not [answer for answer in during if secret in "".join(answer)]
        assert secret not in head


def test_no_log_line_has_the_word_or_the_token(start_with_player, long_words, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    # Not the log of the client.
    monkeypatch.setattr(logging.getLogger("httpx"), "level", logging.WARNING)
    server, token = start_with_player(words=long_words[:50])
    for number in range(20):
        server.play(token, recorded=bool(number % 2), letters=ORDERS[1])
    # Failures of the server and of the database are logged.
    game = server.new_game(token)
    with monkeypatch.context() as broken:
        broken.setattr(games, "_answer", lambda row: 1 / 0)
        assert server.guess(token, game, "e").status_code == 500
    server.sql("CREATE TRIGGER fail UPDATE ON games BEGIN SELECT RAISE(ABORT, 'broken'); END")
    assert server.guess(token, game, "q").status_code == 503
    words = {word for (word,) in server.sql("SELECT secret FROM games")}
    logged = caplog.text.lower()
    assert "the database failed" in logged
    assert len(words) > 10
    assert [word for word in (*words, token.lower()) if word in logged] == []


def test_the_word_cannot_be_drawn_from_the_id(start_with_player):
    server, token = start_with_player(words=["apple", "jazz"])
    for _ in range(600):
        server.new_game(token)
    counts = {"apple": [0] * 16, "jazz": [0] * 16}
    for game, secret in server.sql("SELECT id, secret FROM games"):
        assert len(game) == 32
        for digit in game:
            counts[secret][int(digit, 16)] += 1
    # Ids are independent of the word.
    tested: Any = chi2_contingency(list(counts.values()))
    assert tested.pvalue > 1e-4
