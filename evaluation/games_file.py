"""``evaluate.py --games-file``: a review of games that were played elsewhere."""

from __future__ import annotations

import argparse
import csv
import platform
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console

from hangman_lab.envs.encoding import lower_case
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.files import write_files
from hangman_lab.evaluation.options import EvaluationOptions
from hangman_lab.evaluation.preparation import ENV_ID
from hangman_lab.evaluation.reviews import check_game, load_reviewer, review_agents, review_table
from hangman_lab.evaluation.statistics import basic_statistics
from hangman_lab.evaluation.tables import print_comparison
from hangman_lab.run_files.agents import find_run
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.words import load_words
from hangman_lab.terminal.arguments import Refuse
from hangman_lab.terminal.console import make_progress
from hangman_lab.terminal.tables import print_table

# The file has the games.
_REFUSED = (
    *("env", "agents", "split", "secrets", "games", "repeat", "host", "drop_known", "allow_known"),
    *("seed", "plots", "report", "server"),
)
_DEFAULT_AGENT = "player"
# The number of games whose guesses ``--details`` prints; --csv has all.
_NUM_SHOWN = 10


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--games-file",
        metavar="FILE",
        help="review games instead of playing: a CSV file with the columns word, letters (guesses "
        "in order) and, optionally, agent; --csv then writes one row per reviewed guess, and "
        f"--details prints those of {_NUM_SHOWN} games",
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
    rows = []
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            header = list(reader.fieldnames or ())
            if not {"word", "letters"} <= {*header} or len({*header}) < len(header):
                columns = "word, letters and, optionally, agent, once each, separated by commas"
                raise InputError(f"{path}: the columns are {header}, not {columns}")
            for row in reader:
                try:
                    rows.append(_read_game(row, rules))
                except InputError as error:
                    raise InputError(f"{path}: line {reader.line_num}: {error}") from None
    except UnicodeError as error:
        raise InputError(f"{path}: not a text file in UTF-8") from error
    except (OSError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot read the games ({reason})") from error
    if not rows:
        raise InputError(f"{path}: it has no games")
    return pd.DataFrame(rows)


def _read_game(row: dict[Any, Any], rules: Rules) -> dict[str, Any]:
    if None in row:
        raise InputError("it has more cells than there are columns")
    word, letters = ("".join(lower_case(row[name] or "").split()) for name in ("word", "letters"))
    game, agent = check_game(word, letters, rules), row.get("agent") or _DEFAULT_AGENT
    if not (agent and agent.isprintable() and agent.strip()):
        raise InputError(f"agent: {agent!r} is not a name that can be printed")
    counts = {"wrong_guesses": rules.max_wrong - game.lives, "guesses": len(letters)}
    texts = {"agent": agent, "word": word, "letters": letters}
    return {**texts, "length": len(word), "won": game.won, **counts}


def evaluate(parsed: argparse.Namespace, options: EvaluationOptions, console: Console) -> None:
    """Review the games, print tables and write files; raise InputError if a file is invalid."""
    run = find_run(options.run, ())
    config = Config() if run is None else run.load_config()
    rules = config.env.rules.with_options(options)
    games = read_games(parsed.games_file, rules)
    with console.status("loading the policy"):
        words = load_words(config, options.words).word_list.words
        reviewer = load_reviewer(run, options.known, options.common)
    with make_progress(console) as progress:
        table, reviews = review_agents(reviewer, words, games, rules, progress)
    agents = {
        str(name): basic_statistics(played, 0.0) | {"fitted": None, "review": reviews[str(name)]}
        for name, played in games.groupby("agent", sort=False)
    }
    evaluation = {
        "env": ENV_ID,
        "words": {"source": parsed.games_file, "count": None},
        "split": "secrets",
        **asdict(rules),
        "known": options.known,
        "common": options.common,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "agents": agents,
    }
    if parsed.details:
        reviewed = table.groupby(["agent", "game", "word"], sort=False)
        for (agent, _, word), guesses in list(reviewed)[:_NUM_SHOWN]:
            print_table(console, review_table(guesses, f"{agent}: {word}", "policy"))
    print_comparison(console, evaluation)
    write_files(parsed, evaluation, table, console)
