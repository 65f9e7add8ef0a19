"""A client of game servers, which retries requests."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import secrets
import time
from dataclasses import dataclass
from typing import Any, Self

import aiohttp
from yarl import URL

from hangman_lab.envs.errors import InputError

DEFAULT_PATH = "/trexsim/hangman"
# Status codes of a server that is starting, stopping or busy.
_RETRY_STATUS = (429, 502, 503, 504)
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0
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
    """An asynchronous context manager that sends requests to a server until they are answered.

    The header ``Idempotency-Key`` lets the server repeat its answer to a retried request. The
    default path of ``url`` is that of the challenge's protocol; an unanswered request fails after
    ``patience`` seconds. InputError if the URL is invalid.
    """

    def __init__(self, url: str, token: str, patience: float = 120.0) -> None:
        try:
            base = URL(url)
            usable = base.scheme in ("http", "https") and base.host
        except ValueError:
            usable = False
        if not usable:
            raise InputError(f"--server: {url!r} is not a URL like http://127.0.0.1:8000")
        if base.path in ("", "/"):
            base = base.with_path(DEFAULT_PATH)
        self.url = str(base).rstrip("/")
        self.patience = patience
        self._token = token
        self._is_answered = False
        self._numbers = itertools.count()
        self._key = secrets.token_hex(12)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=_REQUEST_SECONDS)
        self._session = aiohttp.ClientSession(timeout=timeout)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()

    async def new_game(self, recorded: bool) -> RemoteGame:
        """Start a recorded game or a practice game.

        Raises InputError if the server refuses, does not answer, or breaks the contract.
        """
        index = next(self._numbers)
        query = {"practice": str(not recorded)}
        answer = await self._request("new_game", query, f"{self._key}.{index}")
        try:
            pattern, tries = _read_word(answer["word"]), int(answer["tries_remains"])
            game_id = str(answer["game_id"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._not_understood(answer) from error
        return RemoteGame(game_id, index, pattern, tries, tries)

    async def guess(self, game: RemoteGame, letter: str) -> None:
        """Guess a letter and update the game; raises InputError like :meth:`new_game`."""
        answer = await self._request(
            "guess_letter",
            {"request": "guess_letter", "game_id": game.game_id, "letter": letter},
            f"{self._key}.{game.index}.{len(game.guesses)}",
        )
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

    async def _request(self, path: str, query: dict[str, str], key: str) -> dict[str, Any]:
        """Send a request until it is answered; return the JSON object."""
        query = {**query, "access_token": self._token}
        give_up = time.monotonic() + self.patience
        pause = _FIRST_PAUSE
        while True:
            try:
                async with self._session.get(
                    f"{self.url}/{path}", params=query, headers={"Idempotency-Key": key}
                ) as response:
                    text = await response.text(errors="replace")
            except (aiohttp.ClientError, TimeoutError) as error:
                reason = str(error) or type(error).__name__
                # A server that has answered may be starting again; without one, nobody waits.
                if isinstance(error, aiohttp.ClientConnectorError) and not self._is_answered:
                    give_up = 0.0
            else:
                self._is_answered = True
                answer = _parse(text)
                refusal = " ".join(str(answer.get("error") or "").split())
                if response.status not in _RETRY_STATUS:
                    if refusal:
                        raise InputError(f"--server: {self.url} refuses: {refusal}")
                    if response.status != 200 or not answer:
                        raise self._not_understood(text)
                    return answer
                reason = refusal or f"status {response.status}"
                asked_pause = response.headers.get("Retry-After", "")
                pause = max(pause, float(asked_pause) if asked_pause.isdigit() else 0.0)
            if time.monotonic() + pause > give_up:
                raise InputError(f"--server: {self.url} does not answer ({reason})")
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _not_understood(self, answer: Any) -> InputError:
        """Return the error for an answer that breaks the contract."""
        shown = " ".join(str(answer).split())[:80]
        return InputError(f"--server: {self.url} is not a game server; it answers {shown!r}")


def _read_word(text: str) -> str:
    """Return a masked word without spaces; ValueError if it is invalid."""
    word = "".join(text.split()).lower()
    if not re.fullmatch("[a-z_]+", word):
        raise ValueError(text)
    return word


def _parse(text: str) -> dict[str, Any]:
    """Return the JSON object in a text, or an empty dict."""
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return answer if isinstance(answer, dict) else {}
