"""``evaluate.py`` for whole-word games."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console

from hangman_lab.agents.word_guess import WordGuessAgent, make_word_guess_agent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.word_guess.rules import WordGuessGames
from hangman_lab.envs.word_guess.words import MAX_GUESSES, VARIANT_OF_ID, WordGame, random_words
from hangman_lab.envs.words import load_word_list, read_word_list
from hangman_lab.evaluation.arena import Advance, games_table, play_games
from hangman_lab.evaluation.files import write_files
from hangman_lab.evaluation.preparation import Request, sample_words
from hangman_lab.evaluation.statistics import mean_interval, share_interval
from hangman_lab.terminal.arguments import Refuse, integer, positive
from hangman_lab.terminal.console import make_progress, stage
from hangman_lab.terminal.tables import DataTable, print_table

DEFAULT_AGENTS = {
    "CatsAndDogs-v0": ("filter", "minimax", "entropy", "random-consistent"),
    "GuessTheWord-v0": ("minimax", "entropy", "random-consistent"),
}
# Without a word list, it is played on lists of random letters.
RANDOM_LISTS_ID = "GuessTheWord-v0"
DEFAULT_LISTS = 1000
LIST_SIZE = 100
# The highest number of guesses in ``solved_within``.
_MOST_GUESSES = 20
_NUM_TOUGHEST, _TOUGHEST_SHOWN = 25, 5
# Options of these games, of Hangman, and of word lists.
_OPTIONS = ("allowed", "max_guesses", "lists")
_HANGMAN_OPTIONS = (
    *("run", "split", "max_wrong", "host", "known"),
    *("drop_known", "allow_known", "plots", "report", "repeat", "details"),
)
_LIST_OPTIONS = ("secrets", "games", "allowed")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of these games."""
    group = parser.add_argument_group("CatsAndDogs-v0 and GuessTheWord-v0")
    group.add_argument(
        "--allowed", metavar="FILE", help="the words that may be guessed (default: the list)"
    )
    limit = partial(integer, low=1, high=MAX_GUESSES)
    group.add_argument("--max-guesses", type=limit, metavar="N", help="guesses per game")
    group.add_argument(
        "--lists",
        type=positive,
        metavar="N",
        help=f"GuessTheWord-v0 without --words: play N lists of {LIST_SIZE} words of random "
        f"letters (default: {DEFAULT_LISTS})",
    )


def check(options: argparse.Namespace, refuse: Refuse) -> None:
    """Raise InputError for options that do not apply to the chosen game."""
    if options.env not in VARIANT_OF_ID:
        refuse(_OPTIONS, f"is for {' and '.join(VARIANT_OF_ID)}, not {options.env}")
        return
    refuse(_HANGMAN_OPTIONS, f"is for Hangman-v0, not {options.env}")
    if _plays_random_lists(options):
        refuse(_LIST_OPTIONS, f"needs --words with {options.env}")
    else:
        refuse(("lists",), f"is for {RANDOM_LISTS_ID} without --words")


def evaluate(options: argparse.Namespace, request: Request, console: Console) -> None:
    """Play, print the table and write files; raise InputError if an option is invalid."""
    names = request.agents or DEFAULT_AGENTS[options.env]
    agents = {name: make_word_guess_agent(name, request.seed) for name in names}
    make_game = partial(
        WordGame, variant=VARIANT_OF_ID[options.env], max_guesses=options.max_guesses
    )
    if _plays_random_lists(options):
        source, num_lists = "random letters", options.lists or DEFAULT_LISTS
        drawn = (random_words(LIST_SIZE, seed=(request.seed, n)) for n in range(num_lists))
        lists = [(make_game(words), words) for words in drawn]
    else:
        source, lists = _listed_words(request, make_game, options.allowed)
    for agent in agents.values():
        # Raises InputError if it does not play this game.
        agent.fit(lists[0][0])
    statistics, tables, num_games = {}, [], sum(len(secrets) for _, secrets in lists)
    with make_progress(console) as progress:
        for name, agent in agents.items():
            with stage(progress, name, num_games) as advance:
                games, seconds = _play_lists(agent, lists, advance)
            statistics[name] = summarize(games, seconds)
            games.insert(0, "agent", name)
            tables.append(games)
    game = lists[0][0]
    size = {"lists": len(lists)} if len(lists) > 1 else {"allowed": len(game)}
    evaluation = {
        "env": options.env,
        "words": {"source": source, "count": len(game.secrets), **size},
        "seed": request.seed,
        "max_guesses": game.max_guesses,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "agents": statistics,
    }
    print_table(console, _agents_table(evaluation))
    for name, figures in statistics.items():
        toughest = figures["toughest"][:_TOUGHEST_SHOWN]
        shown = ", ".join(f"{word['word']} {word['mean_guesses']:g}" for word in toughest)
        console.print(f"{name}: toughest {shown}", highlight=False)
    write_files(options, evaluation, pd.concat(tables, ignore_index=True), console)


def _plays_random_lists(options: argparse.Namespace) -> bool:
    return options.env == RANDOM_LISTS_ID and options.words is None


def _listed_words(
    request: Request, make_game: Callable[..., WordGame], allowed_file: str | None
) -> tuple[str, list[tuple[WordGame, tuple[str, ...]]]]:
    """Return the source of the words, and a single list with the secrets that are played."""
    word_list = load_word_list(request.words)
    allowed = None if allowed_file is None else read_word_list(allowed_file).words
    source = word_list.source
    try:
        game = make_game(word_list.words, allowed=allowed)
        secrets = game.secrets
        if request.secrets is not None:
            given = load_word_list(request.secrets)
            source = given.source
            secrets = game.encode(given.words)
    except InputError as error:
        raise InputError(f"{source}: {error}") from error
    played = tuple(game.allowed[index] for index in secrets)
    if request.games is not None:
        played = sample_words(played, request.games, request.seed)
    return word_list.source, [(game, played)]


def play(
    agent: WordGuessAgent, game: WordGame, secrets: Sequence[str], advance: Advance | None = None
) -> pd.DataFrame:
    """Play distinct secrets with an agent that was fitted on ``game``.

    Returns the table of :func:`evaluation.arena.play`; ``letters`` has the guessed words, separated
    by spaces.
    """
    games = WordGuessGames(len(secrets), game)
    games.start(slice(None), game.encode(secrets))
    guesses = play_games(agent, games, secrets, advance)
    wrong_guesses = (guesses >= 0).sum(axis=1) - games.won
    names = [f"{word} " for word in game.allowed]
    return games_table(secrets, games.won, wrong_guesses, guesses, names)


def _play_lists(
    agent: WordGuessAgent, lists: Sequence[tuple[WordGame, Sequence[str]]], advance: Advance
) -> tuple[pd.DataFrame, float]:
    """Play every list with an agent, fitted on it; return the games and their seconds.

    The column ``list``, an index, is added to the tables of :func:`play`.
    """
    seconds = 0.0
    tables: list[pd.DataFrame] = []
    for game, secrets in lists:
        agent.fit(game)
        if not tables:
            # Compile outside of the measured time.
            play(agent, game, secrets[:1])
        start = time.perf_counter()
        games = play(agent, game, secrets, advance)
        seconds += time.perf_counter() - start
        games.insert(0, "list", len(tables))
        tables.append(games)
    return pd.concat(tables, ignore_index=True), seconds


def summarize(games: pd.DataFrame, seconds: float) -> dict[str, Any]:
    """Return the statistics of an agent's games, which took ``seconds``.

    The guesses of unsolved games count in ``mean_guesses`` and ``max_guesses``. With several lists,
    intervals are clustered by list. ``toughest`` are the words with the highest mean number of
    guesses.
    """
    lists, guesses, solved = games.list, games.guesses, games.won
    clusters = (lists if lists.nunique() > 1 else games.index).to_numpy()
    solved_rate, solved_interval = share_interval(solved.to_numpy(), clusters)
    mean_guesses, guesses_interval = mean_interval(guesses.to_numpy(), clusters)
    histogram = guesses[solved].value_counts().sort_index()
    by_word = games.groupby("word").guesses.mean()
    toughest = by_word.sort_values(ascending=False, kind="stable").head(_NUM_TOUGHEST)
    return {
        "games": len(games),
        "solved": int(solved.sum()),
        "solved_rate": solved_rate,
        "ci95": list(solved_interval),
        "mean_guesses": mean_guesses,
        "mean_guesses_ci95": None if guesses_interval is None else list(guesses_interval),
        "max_guesses": int(guesses.max()),
        "solved_within": {
            str(limit): float((solved & (guesses <= limit)).mean())
            for limit in range(1, _MOST_GUESSES + 1)
        },
        "histogram": {str(number): count for number, count in histogram.to_dict().items()},
        "toughest": [{"word": word, "mean_guesses": mean} for word, mean in toughest.items()],
        "games_per_second": len(games) / seconds if seconds else 0.0,
    }


def _agents_table(evaluation: dict[str, Any]) -> DataTable:
    """Return the table of agents."""
    words = evaluation["words"]
    lists = f"{words['lists']:,} lists of " if "lists" in words else ""
    rows = [
        (
            name,
            f"{statistics['games']:,}",
            f"{statistics['solved_rate']:.2%}",
            f"{statistics['mean_guesses']:.3f}",
            "-".join(f"{bound:.2f}" for bound in statistics["mean_guesses_ci95"] or ()),
            f"{statistics['max_guesses']}",
            f"{statistics['solved_within']['10']:.2%}",
            f"{statistics['games_per_second']:,.0f}",
        )
        for name, statistics in evaluation["agents"].items()
    ]
    return DataTable(
        f"{evaluation['env']}, {lists}{words['count']:,} words of {words['source']}, "
        f"{evaluation['max_guesses']} guesses at most",
        ("agent", "games", "solved", "mean", "95% CI", "worst", "in 10", "games/s"),
        rows,
        note="mean, worst: of guesses; in 10: solved within ten; 95% CI: Student's, of the mean",
    )
