"""``evaluate.py --server``: agents play the games of a server over HTTP."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import re
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from rich.console import Console
from urllib3 import PoolManager, Retry
from urllib3.exceptions import HTTPError, LocationParseError, MaxRetryError
from urllib3.util import parse_url

from hangman_lab.agents.base import Agent
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observations, parse_observation
from hangman_lab.evaluation.arena import Advance
from hangman_lab.evaluation.files import write_files
from hangman_lab.evaluation.preparation import ENV_ID, Request, prepare
from hangman_lab.evaluation.statistics import basic_statistics
from hangman_lab.evaluation.tables import agents_table
from hangman_lab.terminal.arguments import Refuse
from hangman_lab.terminal.console import make_progress, say, stage
from hangman_lab.terminal.tables import print_table

DEFAULT_GAMES = 100
# The server chooses the words and the rules.
_REFUSED = (
    *("secrets", "split", "max_wrong", "host", "drop_known", "allow_known"),
    *("plots", "report", "repeat", "details"),
)
_OPTIONS = ("token", "recorded")
# Other users of the machine can see options, but not the environment.
TOKEN_VARIABLE = "HANGMAN_TOKEN"
DEFAULT_PATH = "/trexsim/hangman"
# Concurrent games, and requests.
NUM_CONNECTIONS = 32
# Status codes of a server that is starting, stopping or busy.
_RETRY_STATUS = (429, 502, 503, 504)
# About two minutes.
_RETRIES = 60

T = TypeVar("T")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for games of a server."""
    group = parser.add_argument_group("games of a server, over HTTP")
    group.add_argument("--server", metavar="URL", help="http://127.0.0.1:8000, for example")
    group.add_argument(
        "--token", metavar="T", help=f"the access token there (default: ${TOKEN_VARIABLE})"
    )
    group.add_argument(
        "--recorded", action="store_true", help="play recorded games instead of practice games"
    )


def check(options: argparse.Namespace, refuse: Refuse) -> None:
    """Raise InputError for options that need a server, or that cannot be combined with one."""
    if options.server is None:
        refuse(_OPTIONS, "needs --server")
        return
    if options.env != ENV_ID:
        raise InputError(f"--env: games of a server are {ENV_ID}, not {options.env}")
    refuse(_REFUSED, "cannot be combined with --server")


def evaluate(options: argparse.Namespace, request: Request, console: Console) -> None:
    """Play, print tables and write files; raise InputError if an option or the server fails."""
    token = options.token or os.environ.get(TOKEN_VARIABLE)
    if not token:
        raise InputError(f"--token, {TOKEN_VARIABLE}: --server needs an access token")
    games = request.games or DEFAULT_GAMES
    client = GameClient(options.server, token)
    client.check()
    # ``games`` counts games of the server, not local words.
    agents = prepare(
        request.model_copy(update={"games": None, "allow_known": True}),
        lambda line: say(console, f"agents are fitted on the train split of {line}"),
    ).agents
    statistics: dict[str, dict[str, Any]] = {}
    parts = []
    with make_progress(console) as progress, ThreadPoolExecutor(NUM_CONNECTIONS) as threads:
        for name, agent in agents.items():
            with stage(progress, name, games) as advance:
                start = time.perf_counter()
                ended = _play_games(agent, client, games, options.recorded, threads, advance)
            statistics[name] = basic_statistics(ended, time.perf_counter() - start)
            statistics[name]["fitted"] = None  # the secrets are not known here
            ended.insert(0, "agent", name)
            parts.append(ended)
    played = pd.concat(parts, ignore_index=True)
    evaluation = {
        "env": ENV_ID,
        "words": {"source": client.url, "count": None},
        "split": "recorded" if options.recorded else "practice",
        "seed": request.seed,
        "max_wrong": int(played.max_wrong.max()),
        "known": request.known,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "agents": statistics,
    }
    print_table(console, agents_table(evaluation))
    write_files(options, evaluation, played, console)


@dataclass
class RemoteGame:
    """A game of a server."""

    game_id: str
    index: int  #: The index among the games of the client.
    pattern: str  #: The masked word, with ``_`` for each hidden letter.
    tries: int  #: The number of wrong guesses left, as the server says.
    max_wrong: int  #: The number of wrong guesses that loses.
    guesses: str = ""  #: The guessed letters in order.
    status: str = "ongoing"  #: "ongoing", "success" or "failed".

    @property
    def wrong(self) -> str:
        """The wrong guesses in order."""
        return "".join(letter for letter in self.guesses if letter not in self.pattern)


def _play_games(
    agent: Agent,
    client: GameClient,
    games: int,
    recorded: bool,
    threads: Executor,
    advance: Advance,
) -> pd.DataFrame:
    """Play with an agent, in batches of up to 32 games; finished games are replaced.

    Unrevealed letters of lost words are ``_``.
    """
    played: list[RemoteGame] = []
    playing: list[RemoteGame] = []
    while len(played) < games:
        begun = min(NUM_CONNECTIONS, games - len(played)) - len(playing)
        playing += threads.map(client.new_game, [recorded] * begun)
        keys = np.array([game.index for game in playing], dtype=np.uint64)
        letters = [ALPHABET[letter] for letter in agent.act_batch(_observe(playing), keys)]
        list(threads.map(client.guess, playing, letters))
        ended = [game for game in playing if game.status != "ongoing"]
        playing = [game for game in playing if game.status == "ongoing"]
        played += ended
        advance(len(ended))
    played.sort(key=lambda game: game.index)
    return pd.DataFrame(
        {
            "word": [game.pattern for game in played],
            "length": [len(game.pattern) for game in played],
            "known": pd.array([pd.NA] * len(played), dtype="boolean"),
            "won": [game.status == "success" for game in played],
            "wrong_guesses": [len(game.wrong) for game in played],
            "guesses": [len(game.guesses) for game in played],
            "letters": [game.guesses for game in played],
            "max_wrong": [game.max_wrong for game in played],
        }
    )


def _observe(games: Sequence[RemoteGame]) -> Observations:
    """Return the observations of games; raise InputError if a server breaks the rules."""
    parsed = [parse_observation(game.pattern, game.wrong, game.max_wrong) for game in games]
    for game, each in zip(games, parsed, strict=True):
        if each["lives"][0] != game.tries:
            raise InputError(
                f"--server: after {game.guesses!r} in {game.pattern!r} it has {game.tries} of "
                f"{game.max_wrong} tries left, which breaks the rules"
            )
    width = max(len(game.pattern) for game in games)
    # The code of padding is 0.
    words = [np.pad(each["word"][0], (0, width - each["word"].size)) for each in parsed]
    return Observations(
        word=np.stack(words),
        guessed=np.concatenate([each["guessed"] for each in parsed]),
        lives=np.concatenate([each["lives"] for each in parsed]),
    )


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
            return RemoteGame(str(answer["game_id"]), index, pattern, tries, tries)

        query = {"practice": str(not recorded)}
        return self._request("new_game", query, read, key=f"{self._key}.{index}")

    def guess(self, game: RemoteGame, letter: str) -> None:
        """Guess a letter and update the game."""

        def read(answer: Any) -> tuple[str, str, int]:
            # A server may omit the word when the game is over.
            pattern = _read_word(answer.get("word", game.pattern))
            status = answer["status"]
            if status not in ("ongoing", "success", "failed") or len(pattern) != len(game.pattern):
                raise ValueError(answer)
            return status, pattern, int(answer["tries_remains"])

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
    word = "".join(text.split()).lower()
    if not re.fullmatch("[a-z_]+", word):
        raise ValueError(text)
    return word
