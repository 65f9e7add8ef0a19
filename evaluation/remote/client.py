"""A game server as its clients see it: the wire contract, with retries that cost nothing."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import aiohttp
from yarl import URL

from envs.errors import InputError

DEFAULT_PATH = "/trexsim/hangman"
# Answers of a server that is stopped, started or busy; the same request is sent again.
_TRY_AGAIN = (429, 502, 503, 504)
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0
_REQUEST_SECONDS = 30.0
_NUM_KEY_BYTES = 12


@dataclass
class RemoteGame:
    """A game that a server plays.

    Attributes
    ----------
    game_id : str
    index : int
        Which of the games it is that were asked for, from 0.
    pattern : str
        The masked word: letters, and ``_`` for each hidden one.
    tries : int
        Wrong guesses that are left.
    max_wrong : int
        Those that there were at the beginning.
    guesses : str
        The letters that were guessed, in order.
    status : {"ongoing", "success", "failed"}
    """

    game_id: str
    index: int
    pattern: str
    tries: int
    max_wrong: int
    guesses: str = ""
    status: str = "ongoing"

    @property
    def wrong(self) -> str:
        """The guessed letters that are not in the word, in order."""
        return "".join(letter for letter in self.guesses if letter not in self.pattern)


class GameClient:
    """Sends requests to a server, again where no answer came; an asynchronous context manager.

    Each request that changes a game carries a key in the header ``Idempotency-Key``: a server that
    knows keys, such as ``serve.py``, answers a request that it had answered before as before.

    Parameters
    ----------
    url : str
        Of the server, ``http://127.0.0.1:8000`` for example; without a path, that of the wire
        contract is taken.
    token : str
    connections : int
        Requests at once.
    patience : float
        Seconds without an answer after which it gives up.

    Raises
    ------
    InputError
        If the URL is none.
    """

    def __init__(
        self, url: str, token: str, connections: int = 32, patience: float = 120.0
    ) -> None:
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
        # One run's keys differ from those of another.
        self._key = secrets.token_hex(_NUM_KEY_BYTES)
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._connections),
            timeout=aiohttp.ClientTimeout(total=_REQUEST_SECONDS),
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self._session.close()

    async def new_game(self, index: int, recorded: bool) -> RemoteGame:
        """Begin a game.

        Parameters
        ----------
        index : int
            Tells the games of this object apart.
        recorded : bool
            Whether it counts, or is practice.

        Raises
        ------
        InputError
            If the server refuses it, does not answer, or answers something else.
        """
        answer = await self._request(
            "new_game", {"practice": str(not recorded)}, f"{self._key}.{index}"
        )
        try:
            pattern, tries = _read_word(answer["word"]), int(answer["tries_remains"])
            game_id = str(answer["game_id"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._not_understood(answer) from error
        return RemoteGame(game_id, index, pattern, tries, tries)

    async def guess(self, game: RemoteGame, letter: str) -> None:
        """Guess a letter and bring the game up to date.

        Raises
        ------
        InputError
            As for :meth:`new_game`.
        """
        answer = await self._request(
            "guess_letter",
            {"request": "guess_letter", "game_id": game.game_id, "letter": letter},
            f"{self._key}.{game.index}.{len(game.guesses)}",
        )
        try:
            status, tries = str(answer["status"]), int(answer["tries_remains"])
            # A server may leave the word out when the game is over.
            pattern = _read_word(answer["word"]) if "word" in answer else game.pattern
        except (KeyError, TypeError, ValueError) as error:
            raise self._not_understood(answer) from error
        if status not in ("ongoing", "success", "failed") or len(pattern) != len(game.pattern):
            raise self._not_understood(answer)
        game.guesses += letter
        game.status, game.tries, game.pattern = status, tries, pattern

    async def _request(self, path: str, query: dict[str, str], key: str) -> dict[str, Any]:
        query = {**query, "access_token": self._token}
        give_up = time.monotonic() + self.patience
        pause = _FIRST_PAUSE
        while True:
            try:
                async with self._session.get(
                    f"{self.url}/{path}", params=query, headers={"Idempotency-Key": key}
                ) as response:
                    status, text = response.status, await response.text(errors="replace")
                    asked_pause = _seconds(response.headers.get("Retry-After"))
            except (aiohttp.ClientError, TimeoutError) as error:
                reason = str(error) or type(error).__name__
            else:
                if status not in _TRY_AGAIN:
                    return self._read(status, text)
                reason = _error_of(_parse(text)) or f"status {status}"
                pause = max(pause, asked_pause)
            if time.monotonic() + pause > give_up:
                raise InputError(f"--server: {self.url} does not answer ({reason})")
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _read(self, status: int, text: str) -> dict[str, Any]:
        answer = _parse(text)
        error = _error_of(answer)
        if error is not None:
            raise InputError(f"--server: {self.url} refuses: {error}")
        if status != 200 or not isinstance(answer, dict):
            raise self._not_understood(text)
        return answer

    def _not_understood(self, answer: Any) -> InputError:
        shown = " ".join(str(answer).split())[:80]
        return InputError(f"--server: {self.url} is no game server; it answers {shown!r}")


def _read_word(text: str) -> str:
    word = "".join(text.split()).lower()
    if not word or not all(place == "_" or (place.isascii() and place.isalpha()) for place in word):
        raise ValueError(text)
    return word


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def _error_of(answer: Any) -> str | None:
    error = answer.get("error") if isinstance(answer, dict) else None
    return " ".join(str(error).split()) if error else None


def _seconds(text: str | None) -> float:
    return float(text) if text is not None and text.isdigit() else 0.0
