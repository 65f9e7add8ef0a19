"""``evaluate.py --server``: agents play the games of a server over HTTP."""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import time
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import Progress

from agents.base import Agent
from envs.encoding import ALPHABET, PADDING
from envs.errors import InputError
from envs.hangman.observation import Observation, parse_observation
from evaluation.arena import Advance
from evaluation.arguments import Refuse
from evaluation.console import make_progress, say, stage
from evaluation.preparation import ENV_ID, Request, prepare
from evaluation.remote_client import GameClient, RemoteGame
from evaluation.report_page import write_files
from evaluation.statistics import basic_figures
from evaluation.tables import agents_table, lengths_tables, print_table

DEFAULT_GAMES = 100
_AT_ONCE = 32
# The server chooses the words and the rules.
_REFUSED = (
    *("secrets", "split", "max_wrong", "drop_seen", "allow_seen"),
    *("plots", "report", "workers"),
)
_OPTIONS = ("token", "recorded")
# Other users of a machine see the options of a command, but not its environment.
TOKEN_VARIABLE = "HANGMAN_TOKEN"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of playing on a server."""
    group = parser.add_argument_group("games of a server, over HTTP")
    group.add_argument("--server", metavar="URL", help="http://127.0.0.1:8000, for example")
    group.add_argument(
        "--token", metavar="T", help=f"the access token there (default: ${TOKEN_VARIABLE})"
    )
    group.add_argument(
        "--recorded", action="store_true", help="play recorded games instead of practice games"
    )


def check(options: argparse.Namespace, refuse: Refuse) -> None:
    """Refuse options that do not go with a server, or that need one; it raises InputError."""
    if options.server is None:
        refuse(_OPTIONS, "needs --server")
        return
    if options.env != ENV_ID:
        raise InputError(f"--env: games of a server are {ENV_ID}, not {options.env}")
    refuse(_REFUSED, "cannot be given with --server")


def evaluate(options: argparse.Namespace, console: Console) -> None:
    """Play, print the tables, and write what was asked for.

    Raises
    ------
    InputError
        If an option cannot be met, or the server does not play.
    """
    token = options.token or os.environ.get(TOKEN_VARIABLE)
    if not token:
        raise InputError(f"--token, {TOKEN_VARIABLE}: --server needs an access token")
    names = ("agents", "run", "words", "games", "known", "seed")
    request = Request.of(**{name: getattr(options, name) for name in names}, allow_seen=True)
    games = request.games or DEFAULT_GAMES
    client = GameClient(options.server, token)
    tell = partial(say, console)
    # How many games the server plays does not depend on the words that there are here.
    agents = prepare(
        request.model_copy(update={"games": None}),
        lambda line: tell(f"agents are fitted on the train split of {line}"),
    ).agents
    with make_progress(console) as progress:
        played, figures = asyncio.run(_play(agents, client, games, options.recorded, progress))
    evaluation = {
        "env": ENV_ID,
        "words": {"source": client.url, "count": None},
        "split": "recorded" if options.recorded else "practice",
        "seed": request.seed,
        "max_wrong": int(played["max_wrong"].max()),
        "known": request.known,
        "versions": {"python": platform.python_version(), "torch": version("torch")},
        "agents": figures,
    }
    print_table(console, agents_table(evaluation))
    for name, of_agent in figures.items():
        # A table per agent: each had other words.
        for table in lengths_tables({**evaluation, "agents": {name: of_agent}}):
            print_table(console, table)
    write_files(options, evaluation, played, dict, tell)


async def _play(
    agents: dict[str, Agent], client: GameClient, games: int, recorded: bool, progress: Progress
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Let each agent play; return all games and the figures by agent."""
    tables, figures = [], {}
    async with client:
        for name, agent in agents.items():
            with stage(progress, name, games) as advance:
                start = time.perf_counter()
                played = await _play_games(agent, client, games, recorded, advance)
                seconds = time.perf_counter() - start
            played.insert(0, "agent", name)
            tables.append(played)
            # Only the server could tell which words the agent was fitted on.
            figures[name] = {**basic_figures(played, seconds), "seen": None}
    return pd.concat(tables, ignore_index=True), figures


async def _play_games(
    agent: Agent, client: GameClient, games: int, recorded: bool, advance: Advance
) -> pd.DataFrame:
    """Let an agent play; it sees up to 32 games as a batch, and the next when one has ended."""
    played: list[RemoteGame] = []
    playing: list[RemoteGame] = []
    while len(played) < games:
        begun = min(_AT_ONCE, games - len(played)) - len(playing)
        playing += await asyncio.gather(*(client.new_game(recorded) for _ in range(begun)))
        keys = np.array([game.index for game in playing], dtype=np.uint64)
        guesses = zip(playing, agent.act(observe(playing), keys), strict=True)
        await asyncio.gather(*(client.guess(game, ALPHABET[letter]) for game, letter in guesses))
        ended = [game for game in playing if game.status != "ongoing"]
        playing = [game for game in playing if game.status == "ongoing"]
        played += ended
        advance(len(ended))
    return _table(sorted(played, key=lambda game: game.index))


def _table(games: Sequence[RemoteGame]) -> pd.DataFrame:
    """Return a row per game; letters of lost words that the server does not tell are ``_``."""
    return pd.DataFrame(
        {
            "word": [game.pattern for game in games],
            "length": [len(game.pattern) for game in games],
            "known": pd.array([pd.NA] * len(games), dtype="boolean"),
            "won": [game.status == "success" for game in games],
            "wrong_guesses": [len(game.wrong) for game in games],
            "guesses": [len(game.guesses) for game in games],
            "letters": [game.guesses for game in games],
            "max_wrong": [game.max_wrong for game in games],
        }
    )


def observe(games: Sequence[RemoteGame]) -> Observation:
    """Return what agents see of games, as a batch; InputError if a game is not Hangman's."""
    width = max(len(game.pattern) for game in games)
    words = np.full((len(games), width), PADDING, dtype=np.uint8)
    guessed = []
    for game, word in zip(games, words, strict=True):
        seen = parse_observation(game.pattern, game.wrong, game.max_wrong)
        if seen["lives"][0] != game.tries:
            raise InputError(
                f"--server: after {game.guesses!r} in {game.pattern!r} it has {game.tries} tries "
                f"left of {game.max_wrong}; that is not Hangman"
            )
        word[: len(game.pattern)] = seen["word"][0]
        guessed.append(seen["guessed"])
    lives = np.array([game.tries for game in games], dtype=np.int64)
    return Observation(word=words, guessed=np.concatenate(guessed), lives=lives)
