"""``evaluate.py --games-file``: a review of games that were played elsewhere."""

from __future__ import annotations

import argparse
import platform
from dataclasses import asdict

import numpy as np
import pandas as pd
from rich.console import Console

from hangman_lab.envs.encoding import lower_case
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.files import write_files
from hangman_lab.evaluation.options import EvaluationOptions
from hangman_lab.evaluation.preparation import ENV_ID
from hangman_lab.evaluation.reviews import check_game, load_reviewer, review_agents
from hangman_lab.evaluation.statistics import summarize
from hangman_lab.evaluation.tables import print_comparison
from hangman_lab.run_files.agents import find_run
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.words import load_words
from hangman_lab.terminal.arguments import Refuse
from hangman_lab.terminal.console import make_progress

# The file has the games.
_REFUSED = (
    *("env", "agents", "split", "secrets", "games", "repeat", "host", "drop_known", "allow_known"),
    *("seed", "plots", "report", "server"),
)
_DEFAULT_AGENT = "player"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--games-file",
        metavar="FILE",
        help="review games instead of playing: a CSV file with the columns word, letters (guesses "
        "in order) and, optionally, agent; --csv then writes one row per guess",
    )


def check(parsed: argparse.Namespace, refuse: Refuse) -> None:
    """Raise InputError for options that cannot be combined with a file of games."""
    if parsed.games_file is not None:
        refuse(_REFUSED, "cannot be combined with --games-file")


def read_games(path: str, rules: Rules) -> pd.DataFrame:
    """Read games as :func:`evaluation.arena.play` returns them, with the column ``agent``.

    An unfinished game counts as not won. InputError if the file cannot be read, lacks a column, or
    a row is not a game.
    """
    try:
        games = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:  # pandas' own errors are ValueErrors
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot read the games ({reason})") from error
    if missing := [name for name in ("word", "letters") if name not in games]:
        raise InputError(f"{path}: it has no column {missing[0]!r}")
    if games.empty:
        raise InputError(f"{path}: it has no games")
    if "agent" not in games:
        games["agent"] = _DEFAULT_AGENT
    rows = []
    for number, row in enumerate(games[["agent", "word", "letters"]].itertuples(index=False), 1):
        agent, *texts = row
        word, letters = ("".join(lower_case(text).split()) for text in texts)
        try:
            game = check_game(word, letters, rules)
        except InputError as error:
            raise InputError(f"{path}: row {number}: {error}") from None
        if not (agent.isprintable() and agent.strip()):
            raise InputError(f"{path}: row {number}: agent: {agent!r} cannot be printed")
        wrong = rules.max_wrong - game.lives
        rows.append((agent, word, len(word), game.won, wrong, len(letters), letters))
    columns = ["agent", "word", "length", "won", "wrong_guesses", "guesses", "letters"]
    return pd.DataFrame(rows, columns=columns)


def evaluate(parsed: argparse.Namespace, options: EvaluationOptions, console: Console) -> None:
    """Review the games, print tables and write files; raise InputError if a file is invalid."""
    run = find_run(options.run, ())
    config = Config() if run is None else run.load_config()
    rules = config.env.rules.with_options(options)
    games = read_games(parsed.games_file, rules)
    with make_progress(console) as progress:
        words = load_words(config, options.words).word_list.words
        reviewer = load_reviewer(run, options.known)
        table, reviews = review_agents(reviewer, words, games, rules, progress)
    agents = {
        name: summarize(games[games["agent"] == name], 0.0) | {"fitted": None, "review": review}
        for name, review in reviews.items()
    }
    evaluation = {
        "env": ENV_ID,
        "words": {"source": parsed.games_file, "count": None},
        "split": "secrets",
        **asdict(rules),
        "known": options.known,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "agents": agents,
    }
    print_comparison(console, evaluation, parsed.details)
    write_files(parsed, evaluation, table, console)
