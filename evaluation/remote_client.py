"""A client of game servers, which retries requests."""

from __future__ import annotations

import itertools
import json
import re
import secrets
from dataclasses import dataclass
from typing import Any

from urllib3 import PoolManager, Retry
from urllib3.exceptions import HTTPError, LocationParseError, MaxRetryError
from urllib3.util import parse_url

from hangman_lab.envs.errors import InputError

DEFAULT_PATH = "/trexsim/hangman"
# Concurrent requests.
NUM_CONNECTIONS = 32
# Status codes of a server that is starting, stopping or busy.
_RETRY_STATUS = (429, 502, 503, 504)
# About two minutes.
_RETRIES = 60
_MAX_BACKOFF = 2.0
_REQUEST_SECONDS = 30.0


@dataclass
class RemoteGame:
    """A game of a server."""

    game_id: str
    index: int  #: The index among the games of the client.
    pattern: str  #: The masked word, with ``_`` for each hidden letter.
    tries: int  #: The number of wrong guesses left.
    max_wrong: int  #: The number of wrong guesses that loses.
    guesses: str = ""  #: The guessed letters in order.
    status: str = "ongoing"  #: "ongoing", "success" or "failed".

    @property
    def wrong(self) -> str:
        """The wrong guesses in order."""
        return "".join(letter for letter in self.guesses if letter not in self.pattern)


class GameClient:
    """A thread-safe client of a game server.

    The default path of ``url`` is that of the challenge's protocol. An unanswered request is
    retried up to ``retries`` times. InputError if the URL is invalid.
    """

    def __init__(self, url: str, token: str, retries: int = _RETRIES) -> None:
        try:
            base = parse_url(url)
        except LocationParseError:
            base = parse_url("")
        if base.scheme not in ("http", "https") or not base.host:
            raise InputError(f"--server: {url!r} is not a URL like http://127.0.0.1:8000")
        if base.path in (None, "/"):
            base = base._replace(path=DEFAULT_PATH)
        self.url = base.url.rstrip("/")
        self._token = token
        self._numbers = itertools.count()
        # Retries of a new game have the same key, so that it is begun once.
        self._key = secrets.token_hex(12)
        self._pool = PoolManager(maxsize=NUM_CONNECTIONS, timeout=_REQUEST_SECONDS)
        self._retries = Retry(
            retries,
            # Refused connections are retried once the server has answered: it may be restarting.
            connect=0,
            status_forcelist=_RETRY_STATUS,
            backoff_factor=0.1,
            backoff_max=_MAX_BACKOFF,
            raise_on_status=False,
        )

    def check(self) -> None:
        """Ask for the player's counts of games; raises InputError like :meth:`new_game`."""
        self._request("my_status", {})

    def new_game(self, recorded: bool) -> RemoteGame:
        """Start a recorded game or a practice game.

        Raises InputError if the server refuses, does not answer, or breaks the protocol.
        """
        index = next(self._numbers)
        answer = self._request("new_game", {"practice": str(not recorded)}, f"{self._key}.{index}")
        try:
            pattern, tries = _read_word(answer["word"]), int(answer["tries_remains"])
            return RemoteGame(str(answer["game_id"]), index, pattern, tries, tries)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._not_understood(answer) from error

    def guess(self, game: RemoteGame, letter: str) -> None:
        """Guess a letter and update the game; raises InputError like :meth:`new_game`."""
        query = {"request": "guess_letter", "game_id": game.game_id, "letter": letter}
        answer = self._request("guess_letter", query)
        try:
            status, tries = str(answer["status"]), int(answer["tries_remains"])
            # A server may omit the word when the game is over.
            pattern = _read_word(answer["word"]) if "word" in answer else game.pattern
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._not_understood(answer) from error
        if status not in ("ongoing", "success", "failed") or len(pattern) != len(game.pattern):
            raise self._not_understood(answer)
        game.guesses += letter
        game.status, game.tries, game.pattern = status, tries, pattern

    def _request(self, path: str, query: dict[str, str], key: str | None = None) -> dict[str, Any]:
        """Send a request, with retries; return the JSON object."""
        try:
            response = self._pool.request(
                "GET",
                f"{self.url}/{path}",
                fields={**query, "access_token": self._token},
                headers={} if key is None else {"Idempotency-Key": key},
                retries=self._retries,
            )
        except HTTPError as error:
            # The full text has the URL, with the token.
            cause = error.reason if isinstance(error, MaxRetryError) else error
            what = str(cause).rpartition(": ")[2]
            raise InputError(f"--server: {self.url} does not answer ({what})") from None
        self._retries = self._retries.new(connect=None)
        text = response.data.decode(errors="replace")
        answer = _parse(text)
        refusal = str(answer.get("error") or "")
        if response.status in _RETRY_STATUS:
            reason = refusal or f"status {response.status}"
            raise InputError(f"--server: {self.url} does not answer ({reason})")
        if refusal:
            raise InputError(f"--server: {self.url} refuses: {refusal}")
        if response.status != 200 or not answer:
            raise self._not_understood(text)
        return answer

    def _not_understood(self, answer: Any) -> InputError:
        """Return the error for an answer that breaks the protocol."""
        shown = " ".join(str(answer).split())[:80]
        return InputError(f"--server: {self.url} is not a game server; it answers {shown!r}")


def _read_word(text: str) -> str:
    """Return a masked word without spaces; ValueError if it is invalid."""
    word = "".join(text.split()).lower()
    if not re.fullmatch("[a-z_]+", word):
        raise ValueError(text)
    return word


def _parse(text: str) -> dict[str, Any]:
    """Return the JSON object in a text, a list as ``values``, or an empty dict."""
    try:
        answer = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {"values": answer}
