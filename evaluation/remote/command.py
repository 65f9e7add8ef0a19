"""``evaluate.py --server``: agents play the games of a server over HTTP."""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import json
import os
import platform
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.base import Agent
from envs.errors import InputError
from evaluation.arguments import Refuse, positive
from evaluation.comparison import ENV_ID
from evaluation.console import say
from evaluation.preparation import Request, prepare
from evaluation.progress import GamesProgress
from evaluation.remote.arena import RemoteGames, play_on_server
from evaluation.remote.client import GameClient
from evaluation.results import CSV_COLUMNS
from evaluation.tables import agents_table, lengths_tables, print_table
from runs.directory import write_text

DEFAULT_GAMES = 100
DEFAULT_AT_ONCE = 32
# The server has the words and the rules: what these options choose is not ours to choose.
_REFUSED = (
    "secrets",
    "split",
    "repeats",
    "max_wrong",
    "drop_seen",
    "allow_seen",
    "plots",
    "report",
    "workers",
)
_OPTIONS = ("token", "recorded", "at_once")
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
    group.add_argument(
        "--at-once",
        type=positive,
        metavar="N",
        help=f"games that go on at the same time (default: {DEFAULT_AT_ONCE})",
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
    games = options.games or DEFAULT_GAMES
    at_once = min(options.at_once or DEFAULT_AT_ONCE, games)
    client = GameClient(options.server, token, at_once)
    tell = partial(say, console)
    agents = prepare(
        Request(
            options.agents,
            options.run,
            options.words,
            seed=options.seed,
            known=options.known,
            allow_seen=True,
        ),
        lambda line: tell(f"agents are fitted on the train split of {line}"),
    ).agents
    with GamesProgress(console, list(agents), games) as progress:
        played = asyncio.run(
            _play(agents, client, games, options.recorded, at_once, progress.count)
        )
    evaluation = _evaluation(options, client, played)
    print_table(console, agents_table(evaluation))
    for name, figures in evaluation["agents"].items():
        # The agents had other words each, so that their lengths are not beside each other.
        for table in lengths_tables({**evaluation, "agents": {name: figures}}):
            print_table(console, table)
    if options.json is not None:
        write_text(Path(options.json), json.dumps(evaluation, indent=2) + "\n")
        tell(f"figures written to {options.json}")
    if options.csv is not None:
        write_text(Path(options.csv), _csv(played))
        tell(f"games written to {options.csv}")


async def _play(
    agents: dict[str, Agent],
    client: GameClient,
    games: int,
    recorded: bool,
    at_once: int,
    advance: Callable[[str, int, int], None],
) -> dict[str, RemoteGames]:
    played = {}
    async with client:
        for index, (name, agent) in enumerate(agents.items()):
            played[name] = await play_on_server(
                agent, client, games, recorded, at_once, index * games, partial(advance, name)
            )
    return played


def _evaluation(
    options: argparse.Namespace, client: GameClient, played: dict[str, RemoteGames]
) -> dict[str, Any]:
    """Return the figures in the form of ``evaluate.py --json``, as far as they are known."""
    return {
        "env": ENV_ID,
        "words": {"source": client.url, "count": None},
        "split": "recorded" if options.recorded else "practice",
        "seed": options.seed,
        "max_wrong": max(game.max_wrong for games in played.values() for game in games.games),
        "known": options.known,
        "versions": {"python": platform.python_version(), "torch": version("torch")},
        "agents": {name: games.summarize() for name, games in played.items()},
    }


def _csv(played: dict[str, RemoteGames]) -> str:
    """Return one row per game; of words that were not uncovered, what was."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for name, remote in played.items():
        writer.writerows(
            # Which words are known only the server could tell.
            (game.pattern, name, int(game.status == "success"), game.guesses, "")
            for game in remote.games
        )
    return text.getvalue()
