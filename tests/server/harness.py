"""The server without a network: its application on an event loop, called by plain functions."""

import asyncio
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import httpx

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.word_sets import index_words
from hangman_lab.server.agent import AgentPlayer, review, think
from hangman_lab.server.app import create_app
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings
from tests.server.load import add_token

CHALLENGE = "/trexsim/hangman"
API = "/api/v1"
WORDS = ("apple", "banana", "jazz", "rhythm", "a", "mississippi", "noon", "letter")


class Harness:
    """A server on a database; ``restart`` replaces the server and keeps the database."""

    def __init__(self, path, words=WORDS, practice=None, agent=None, withheld=False, **settings):
        self.path, words = path, tuple(words)
        self.words = ServedWords(words, tuple(practice or words), words, words, "words", withheld)
        # By default no rate limit is reached.
        self.settings = Settings(**{"db": str(path), "address_rate": 1e9, **settings})
        self.agent = agent
        self.loop = asyncio.new_event_loop()
        self.start()

    def start(self):
        agent = None
        if self.agent is not None:
            there = (
                partial(think, self.agent),
                partial(review, self.agent, index_words(self.words.listed)),
            )
            agent = AgentPlayer(*there, partial(ThreadPoolExecutor, 1), self.settings)
        self.app = create_app(self.words, agent, self.settings)
        self.lifespan = self.app.app.router.lifespan_context(self.app.app)
        self.run(self.lifespan.__aenter__())
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://server")

    def stop(self):
        self.run(self.client.aclose())
        self.run(self.lifespan.__aexit__(None, None, None))

    def restart(self):
        self.stop()
        self.start()

    def close(self):
        self.stop()
        self.loop.close()

    def run(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    def together(self, *coroutines):
        return self.run(asyncio.gather(*map(self.loop.create_task, coroutines)))

    @property
    def services(self):
        return self.app.app.state.services

    def sql(self, statement, *values):
        """Run a statement on a new connection; return its rows."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    def count(self, table):
        """Return the number of rows of a table."""
        return self.sql(f"SELECT COUNT(*) FROM {table}")[0][0]

    def secret(self, game):
        """Return the word of a game."""
        return self.sql("SELECT secret FROM games WHERE id = ?", game)[0][0]

    def token(self, name="alice"):
        return add_token(self.path, name)

    def guest(self):
        return self.post(f"{API}/guests").json()["token"]

    def get(self, path, token=None, headers=None, **query):
        headers = {**bearer(token), **(headers or {})}
        return self.run(self.client.get(path, params=query, headers=headers))

    def post(self, path, body=None, token=None, key=None):
        return self.run(self.apost(path, body, token, key))

    async def apost(self, path, body=None, token=None, key=None):
        """Post a dict as JSON, or bytes, which may come in parts."""
        headers = {**bearer(token), "Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        content = json.dumps(body) if isinstance(body, dict) else body
        return await self.client.post(path, content=content, headers=headers)

    def begin(self, token, key=None, **kind):
        """Begin a game by the JSON API."""
        return self.post(f"{API}/games", kind, token, key)

    def new_game(self, token, recorded=False):
        """Begin a game by the challenge's protocol; return its id."""
        answer = self.get(f"{CHALLENGE}/new_game", practice=str(not recorded), access_token=token)
        assert answer.status_code == 200, answer.text
        return answer.json()["game_id"]

    def guess(self, token, game, letters):
        """Guess letters by the challenge's protocol, up to the end; return the last answer."""
        query, answer = {"request": "guess_letter", "game_id": game, "access_token": token}, None
        for letter in letters:
            answer = self.get(f"{CHALLENGE}/guess_letter", **query, letter=letter)
            if answer.json().get("status") != "ongoing":
                break
        return answer

    def state(self, token, game):
        return self.get(f"{API}/games/{game}", token).json()

    def resign(self, token, game):
        return self.post(f"{API}/games/{game}/resignation", token=token)

    def hint(self, token, game):
        return self.post(f"{API}/games/{game}/hint", token=token)

    def status(self, token):
        return self.get(f"{CHALLENGE}/my_status", access_token=token).json()

    def play(self, token, recorded=False, letters=ALPHABET):
        """Play a game to its end; return the last answer."""
        answer = self.guess(token, self.new_game(token, recorded), letters).json()
        assert answer["status"] != "ongoing"
        return answer


def bearer(token):
    """Return the headers with a token."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}
