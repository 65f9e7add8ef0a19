"""``evaluate.py --server``: agents play the games of a server over HTTP."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console

from hangman_lab.agents.base import Agent
from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observations, parse_observation
from hangman_lab.envs.hangman.rules import RULE_NAMES, Rules
from hangman_lab.evaluation.arena import Advance
from hangman_lab.evaluation.files import write_files
from hangman_lab.evaluation.game_client import NUM_CONNECTIONS, GameClient, RemoteGame
from hangman_lab.evaluation.options import EvaluationOptions
from hangman_lab.evaluation.preparation import ENV_ID, prepare
from hangman_lab.evaluation.reviews import review_agents
from hangman_lab.evaluation.statistics import basic_statistics
from hangman_lab.evaluation.tables import print_comparison
from hangman_lab.terminal.arguments import Refuse
from hangman_lab.terminal.console import make_progress, say, stage

DEFAULT_GAMES = 100
# The server chooses the words and the rules.
_REFUSED = (
    *("secrets", "split", *RULE_NAMES, "drop_known", "allow_known"),
    *("plots", "report", "repeat"),
)
_OPTIONS = ("token", "recorded")
# Other users of the machine can see options, but not the environment.
TOKEN_VARIABLE = "HANGMAN_TOKEN"


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


def check(parsed: argparse.Namespace, refuse: Refuse) -> None:
    """Raise InputError for options that need a server, or that cannot be combined with one."""
    if parsed.server is None:
        refuse(_OPTIONS, "needs --server")
        return
    if parsed.env != ENV_ID:
        raise InputError(f"--env: games of a server are {ENV_ID}, not {parsed.env}")
    refuse(_REFUSED, "cannot be combined with --server")


def evaluate(parsed: argparse.Namespace, options: EvaluationOptions, console: Console) -> None:
    """Play, print tables and write files; raise InputError if an option or the server fails."""
    token = (parsed.token or os.environ.get(TOKEN_VARIABLE, "")).strip()
    if not token:
        raise InputError(f"--token, {TOKEN_VARIABLE}: --server needs an access token")
    games = options.games or DEFAULT_GAMES
    client = GameClient(parsed.server, token)
    client.check()
    # ``games`` counts games of the server, not local words.
    setup = prepare(
        options.model_copy(update={"games": None, "allow_known": True}),
        lambda line: say(console, f"agents are fitted on the train split of {line}"),
    )
    statistics: dict[str, dict[str, Any]] = {}
    parts: list[pd.DataFrame] = []
    refusal: InputError | None = None
    with make_progress(console) as progress, ThreadPoolExecutor(NUM_CONNECTIONS) as threads:
        for name, agent in setup.agents.items():
            with stage(progress, name, games) as advance:
                start = time.perf_counter()
                ended, refusal = _play_games(
                    agent, client, games, parsed.recorded, threads, advance
                )
            if len(ended) == 0:
                break
            statistics[name] = basic_statistics(ended, time.perf_counter() - start)
            statistics[name]["fitted"] = None  # the secrets are not known here
            ended.insert(0, "agent", name)
            parts.append(ended)
            if refusal is not None:
                break
    if refusal is not None and not parts:
        raise refusal
    played = pd.concat(parts, ignore_index=True)
    if parsed.details:
        rules = Rules(int(played.max_wrong.max()))
        with make_progress(console) as progress:
            _, reviews = review_agents(*setup.load_reviewer(), played, rules, progress)
        for name, review in reviews.items():
            statistics[name]["review"] = review
    evaluation = {
        "env": ENV_ID,
        "words": {"source": client.url, "count": None},
        "split": "recorded" if parsed.recorded else "practice",
        "seed": options.seed,
        "max_wrong": int(played.max_wrong.max()),
        "known": options.known,
        "common": options.common,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "agents": statistics,
    }
    print_comparison(console, evaluation)
    write_files(parsed, evaluation, played, console)
    if refusal is not None:
        raise InputError(f"{refusal} (after {len(played):,} games, which are over)")


def _play_games(
    agent: Agent,
    client: GameClient,
    games: int,
    recorded: bool,
    threads: Executor,
    advance: Advance,
) -> tuple[pd.DataFrame, InputError | None]:
    """Play with an agent, in batches of up to 32 games; finished games are replaced.

    Returns the games, and the error if the server refuses a new one: those that were begun are
    played to their ends. Unrevealed letters of lost words are ``_``.
    """
    played: list[RemoteGame] = []
    playing: list[RemoteGame] = []
    refusal: InputError | None = None

    def begin(_: int) -> RemoteGame | InputError:
        try:
            return client.new_game(recorded)
        except InputError as error:
            return error

    while len(played) < games:
        number = min(NUM_CONNECTIONS, games - len(played)) - len(playing)
        for begun in threads.map(begin, range(number)):
            if isinstance(begun, RemoteGame):
                playing.append(begun)
            else:
                refusal = begun
        if refusal is not None:
            games = len(played) + len(playing)
        if not playing:
            break
        keys = np.array([game.index for game in playing], dtype=np.uint64)
        letters = [ALPHABET[letter] for letter in agent.act_batch(_observe(playing), keys)]
        list(threads.map(client.guess, playing, letters))
        ended = [game for game in playing if game.status != "ongoing"]
        playing = [game for game in playing if game.status == "ongoing"]
        played += ended
        advance(len(ended))
    played.sort(key=lambda game: game.index)
    table = pd.DataFrame(
        {
            "word": [game.pattern for game in played],
            "length": [len(game.pattern) for game in played],
            "is_known": pd.array([pd.NA] * len(played), dtype="boolean"),
            "won": [game.status == "success" for game in played],
            "wrong_guesses": [game.rules.max_wrong - game.tries for game in played],
            "guesses": [len(game.guesses) for game in played],
            "letters": [game.guesses for game in played],
            "max_wrong": [game.rules.max_wrong for game in played],
        }
    )
    return table, refusal


def _observe(games: Sequence[RemoteGame]) -> Observations:
    """Return the observations of games; raise InputError if a server breaks the rules."""
    parsed = [parse_observation(game.pattern, game.wrong, game.rules.max_wrong) for game in games]
    for game, each in zip(games, parsed, strict=True):
        if each["lives"][0] != game.tries:
            raise InputError(
                f"--server: after {game.guesses!r} in {game.pattern!r} it has {game.tries} of "
                f"{game.rules.max_wrong} tries left, which breaks the rules"
            )
    width = max(len(game.pattern) for game in games)
    # The code of padding is 0.
    words = [np.pad(each["word"][0], (0, width - each["word"].size)) for each in parsed]
    return Observations(
        word=np.stack(words),
        guessed=np.concatenate([each["guessed"] for each in parsed]),
        lives=np.concatenate([each["lives"] for each in parsed]),
    )
