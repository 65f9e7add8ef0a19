"""A client of a game server, by the challenge's protocol."""

from __future__ import annotations

import itertools
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from urllib3 import PoolManager, Retry
from urllib3.exceptions import HTTPError, LocationParseError, MaxRetryError
from urllib3.util import parse_url

from hangman_lab.envs.encoding import lower_case
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules

DEFAULT_PATH = "/trexsim/hangman"
# Concurrent games, and requests.
NUM_CONNECTIONS = 32
# Status codes of a server that is starting, stopping or busy.
_RETRY_STATUS = (429, 502, 503, 504)
# About two minutes.
_RETRIES = 60

T = TypeVar("T")


@dataclass
class RemoteGame:
    """A game of a server."""

    game_id: str
    index: int  #: The index among the games of the client.
    pattern: str  #: The masked word, with ``_`` for each hidden letter.
    tries: int  #: The number of wrong guesses left, as the server says.
    rules: Rules
    guesses: str = ""  #: The guessed letters in order.
    status: str = "ongoing"  #: "ongoing", "success" or "failed".

    @property
    def wrong(self) -> str:
        """The wrong guesses in order."""
        return "".join(letter for letter in self.guesses if letter not in self.pattern)


class GameClient:
    """A thread-safe client of a game server.

    The default path of ``url`` is that of the challenge's protocol. A request that is not answered
    is retried up to ``retries`` times. All methods raise InputError if the server refuses, does not
    answer, or breaks the protocol.
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
        self._pool = PoolManager(maxsize=NUM_CONNECTIONS, timeout=30.0)
        self._retries = Retry(
            retries,
            status_forcelist=_RETRY_STATUS,
            backoff_factor=0.1,
            backoff_max=2.0,
            raise_on_status=False,
        )

    def check(self) -> None:
        """Ask for the player's counts of games, without retries of a connection."""
        self._request("my_status", {}, str, retries=self._retries.new(connect=0))

    def new_game(self, recorded: bool) -> RemoteGame:
        """Start a recorded game or a practice game."""
        index = next(self._numbers)

        def read(answer: Any) -> RemoteGame:
            pattern, tries = _read_word(answer["word"]), int(answer["tries_remains"])
            return RemoteGame(str(answer["game_id"]), index, pattern, tries, Rules(tries))

        query = {"practice": str(not recorded)}
        return self._request("new_game", query, read, key=f"{self._key}.{index}")

    def guess(self, game: RemoteGame, letter: str) -> None:
        """Guess a letter and update the game."""

        def read(answer: Any) -> tuple[str, str, int]:
            status, pattern = answer["status"], game.pattern
            # A server may omit the word when the game is over.
            if status == "ongoing" or answer.get("word"):
                pattern = _read_word(answer["word"])
            if status == "success":
                pattern = pattern.replace("_", letter)
            tries = int(answer["tries_remains"])
            is_possible = len(pattern) == len(game.pattern) and 0 <= tries <= game.tries
            if status not in ("ongoing", "success", "failed") or not is_possible:
                raise ValueError(answer)
            return status, pattern, tries

        query = {"request": "guess_letter", "game_id": game.game_id, "letter": letter}
        game.status, game.pattern, game.tries = self._request("guess_letter", query, read)
        game.guesses += letter

    def _request(
        self,
        path: str,
        query: dict[str, str],
        read: Callable[[Any], T],
        retries: Retry | None = None,
        key: str | None = None,
    ) -> T:
        """Send a request; return what ``read`` makes of the JSON value that answers it."""
        try:
            response = self._pool.request(
                "GET",
                f"{self.url}/{path}",
                fields={**query, "access_token": self._token},
                headers={} if key is None else {"Idempotency-Key": key},
                retries=retries or self._retries,
            )
        except HTTPError as error:
            # The full text has the URL, with the token.
            cause = error.reason if isinstance(error, MaxRetryError) else error
            what = str(cause).rpartition(": ")[2]
            raise InputError(f"--server: {self.url} does not answer ({what})") from None
        text = response.data.decode(errors="replace")
        try:
            answer = json.loads(text)
            refusal = answer.get("error") if isinstance(answer, dict) else None
            if response.status == 200 and not refusal:
                return read(answer)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            refusal = None
        if response.status in _RETRY_STATUS:
            reason = refusal or f"status {response.status}"
            raise InputError(f"--server: {self.url} does not answer ({reason})")
        if refusal:
            raise InputError(f"--server: {self.url} refuses: {refusal}")
        shown = " ".join(text.split())[:80]
        raise InputError(f"--server: {self.url} is not a game server; it answers {shown!r}")


def _read_word(text: str) -> str:
    """Return a masked word without spaces; ValueError if it is invalid."""
    word = lower_case("".join(text.split()))
    if not re.fullmatch("[a-z_]+", word):
        raise ValueError(text)
    return word
