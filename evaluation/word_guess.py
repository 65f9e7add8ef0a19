"""``evaluate.py`` for whole-word games."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rich.console import Console
from scipy.special import stdtrit

from hangman_lab.agents.word_guess import WORD_GUESS_AGENTS, WordGuessAgent
from hangman_lab.envs.counter_rng import keyed_bits
from hangman_lab.envs.errors import InputError, check_choice
from hangman_lab.envs.hangman.rules import RULE_NAMES
from hangman_lab.envs.word_guess.rules import MAX_GUESSES, VARIANT_OF_ID, WordGame, random_words
from hangman_lab.envs.words import WordList, hash_words, load_word_list
from hangman_lab.evaluation.arena import Advance
from hangman_lab.evaluation.files import write_files
from hangman_lab.evaluation.intervals import CONFIDENCE
from hangman_lab.evaluation.options import EvaluationOptions
from hangman_lab.evaluation.preparation import sample_words
from hangman_lab.evaluation.statistics import share_interval
from hangman_lab.terminal.arguments import Refuse, integer
from hangman_lab.terminal.console import make_progress, say, stage
from hangman_lab.terminal.tables import DataTable, print_table

DEFAULT_AGENTS = {
    "CatsAndDogs-v0": ("filter", "minimax", "entropy", "random-consistent"),
    "GuessTheWord-v0": ("minimax", "entropy", "random-consistent"),
}
# Without a word list, it is played on lists of random letters.
RANDOM_LISTS_ID = "GuessTheWord-v0"
DEFAULT_LISTS = 1000
LIST_SIZE = 100
# All lists are in memory.
_MAX_LISTS = 10_000
_NUM_HARDEST = 25
# Options of these games, of Hangman, and of word lists.
_OPTIONS = ("allowed", "max_guesses", "lists")
_HANGMAN_OPTIONS = (
    *("run", "split", *RULE_NAMES, "known", "common"),
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
        type=partial(integer, low=1, high=_MAX_LISTS),
        metavar="N",
        help=f"GuessTheWord-v0 without --words: play N lists of {LIST_SIZE} words of random "
        f"letters (default: {DEFAULT_LISTS})",
    )


def check(parsed: argparse.Namespace, refuse: Refuse) -> None:
    """Raise InputError for options that do not apply to the chosen game."""
    if parsed.env not in VARIANT_OF_ID:
        refuse(_OPTIONS, f"is for {' and '.join(VARIANT_OF_ID)}, not {parsed.env}")
        return
    refuse(_HANGMAN_OPTIONS, f"is for Hangman-v0, not {parsed.env}")
    if _plays_random_lists(parsed):
        refuse(_LIST_OPTIONS, f"needs --words with {parsed.env}")
    else:
        refuse(("lists",), f"is for {RANDOM_LISTS_ID} without --words")


def evaluate(parsed: argparse.Namespace, options: EvaluationOptions, console: Console) -> None:
    """Play, print the table and write files; raise InputError if an option is invalid."""
    seconds = dict.fromkeys(options.agents or DEFAULT_AGENTS[parsed.env], 0.0)
    for name in seconds:
        check_choice("--agents", name, WORD_GUESS_AGENTS)
    source, count, games = _load_games(parsed, options, partial(say, console))
    game, secrets = games[0]
    for name in seconds:
        # Compiles outside of the measured time; InputError if the agent does not play this game.
        play(WORD_GUESS_AGENTS[name](game, options.seed), secrets[:1])
    tables, num_games = [], sum(len(secrets) for _, secrets in games)
    with make_progress(console) as progress:
        for name in seconds:
            with stage(progress, name, num_games) as advance:
                for number, (game, secrets) in enumerate(games):
                    agent = WORD_GUESS_AGENTS[name](game, options.seed)
                    start = time.perf_counter()
                    table = play(agent, secrets, advance)
                    seconds[name] += time.perf_counter() - start
                    tables.append(pd.DataFrame({"agent": name, "list": number, **table}))
    played = pd.concat(tables, ignore_index=True)
    by_agent = played.groupby("agent", sort=False)
    statistics = {name: summarize(part, seconds[name]) for name, part in by_agent}
    size = {"lists": len(games)} if len(games) > 1 else {"allowed": len(game.allowed)}
    evaluation = {
        "env": parsed.env,
        "words": {"source": source, "count": count, **size},
        "seed": options.seed,
        "max_guesses": game.max_guesses,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "agents": statistics,
    }
    print_table(console, _agents_table(evaluation))
    for name, summary in statistics.items():
        hardest = [f"{word['word']} {word['mean_guesses']:g}" for word in summary["hardest"][:5]]
        console.print(f"{name}: hardest {', '.join(hardest)}", highlight=False)
    write_files(parsed, evaluation, played, console)


def _plays_random_lists(parsed: argparse.Namespace) -> bool:
    return parsed.env == RANDOM_LISTS_ID and parsed.words is None


def _load_games(
    parsed: argparse.Namespace, options: EvaluationOptions, describe: Callable[[str], None]
) -> tuple[str, int, list[tuple[WordGame, tuple[str, ...]]]]:
    """Return the source of the secrets, their number, and each game with those that are played."""
    rules = {"variant": VARIANT_OF_ID[parsed.env], "max_guesses": parsed.max_guesses}
    if _plays_random_lists(parsed):
        lists = range(parsed.lists or DEFAULT_LISTS)
        drawn = (random_words(LIST_SIZE, seed=(options.seed, number)) for number in lists)
        games = [(WordGame(words, **rules), words) for words in drawn]
        return "random letters", LIST_SIZE, games

    def load(path: Any) -> WordList:
        words = load_word_list(path)
        describe(words.describe())
        return words

    word_list = load(options.words)
    allowed = None if parsed.allowed is None else load(parsed.allowed).words
    game = WordGame(word_list.words, allowed=allowed, **rules)
    source, secrets = word_list.source, tuple(game.allowed[secret] for secret in game.secrets)
    if options.secrets is not None:
        listed = load(options.secrets)
        source, secrets = listed.source, listed.words
        try:
            game.encode(secrets)
        except InputError as error:
            raise InputError(f"{source}: {error}") from error
    played = sample_words(secrets, options)
    return source, len(secrets), [(game, played)]


def play(
    agent: WordGuessAgent, secrets: Sequence[str], advance: Advance = lambda ended: None
) -> pd.DataFrame:
    """Play secrets of the agent's game.

    Returns the table of :func:`evaluation.arena.play`; ``letters`` has the guessed words, separated
    by spaces.
    """
    game, hidden = agent.game, agent.game.encode(secrets)
    keys = keyed_bits(hash_words(secrets), 0)
    chosen = np.zeros(len(secrets), dtype=np.int64)
    turns: list[npt.NDArray[np.int64]] = []
    # A group has games with the same guesses and answers, hence with the same candidates.
    groups = [(np.arange(len(game.secrets)), np.arange(len(secrets)))]
    while groups and len(turns) < game.max_guesses:
        bits = keyed_bits(agent.seed, keys, len(turns))
        turns.append(np.full(len(secrets), -1, dtype=np.int64))
        for candidates, rows in groups:
            chosen[rows] = turns[-1][rows] = agent.choose(candidates, bits[rows])
        # A number for each pair of guess and answer, by which the groups are divided.
        codes = chosen * len(game.answers) + game.answer(chosen, hidden)
        rows = np.concatenate([rows for _, rows in groups])
        group = np.repeat(np.arange(len(groups)), [len(rows) for _, rows in groups])
        order = np.lexsort((codes[rows], group))
        rows, group = rows[order], group[order]
        starts = np.flatnonzero((np.diff(group) != 0) | (np.diff(codes[rows]) != 0)) + 1
        candidates_of = [candidates for candidates, _ in groups]
        groups = []
        for part, before in zip(np.split(rows, starts), group[[0, *starts]], strict=True):
            guess, answer = divmod(int(codes[part[0]]), len(game.answers))
            if answer != game.solved:
                groups.append((agent.filter(candidates_of[before], guess, answer), part))
            if answer == game.solved or len(turns) == game.max_guesses:
                advance(len(part))
    guesses = np.stack(turns, axis=1)
    counts, won = (guesses >= 0).sum(axis=1), chosen == hidden
    texts = np.array([*game.allowed, ""])[guesses]
    return pd.DataFrame(
        {
            "word": secrets,
            "length": game.word_length,
            "won": won,
            "wrong_guesses": counts - won,
            "guesses": counts,
            "letters": [" ".join(words).rstrip() for words in texts],
        }
    )


def summarize(games: pd.DataFrame, seconds: float) -> dict[str, Any]:
    """Return the statistics of an agent's games, which took ``seconds``.

    The guesses of unsolved games count in ``mean_guesses`` and ``max_guesses``. With several lists,
    intervals are clustered by list. ``hardest`` are the words with the highest mean number of
    guesses.
    """
    guesses, solved = games["guesses"], games["won"]
    clusters = games["list"] if games["list"].nunique() > 1 else games.index
    solved_rate, solved_interval = share_interval(solved.to_numpy(), clusters.to_numpy())
    # Student's: lists have equal sizes, so that the mean of all games is that of their means.
    # The interval is cut off at one guess.
    mean, means = float(guesses.mean()), guesses.groupby(clusters).mean()
    half = float(stdtrit(len(means) - 1, (1 + CONFIDENCE) / 2) * means.sem())
    by_word = games.groupby("word", as_index=False).agg(mean_guesses=("guesses", "mean"))
    hardest = by_word.sort_values("mean_guesses", ascending=False, kind="stable")
    return {
        "games": len(games),
        "solved": int(solved.sum()),
        "solved_rate": solved_rate,
        "ci95": solved_interval,
        "mean_guesses": mean,
        "mean_guesses_ci95": (max(mean - half, 1.0), mean + half) if len(means) > 1 else None,
        "max_guesses": int(guesses.max()),
        "solved_within_10": float((solved & (guesses <= 10)).mean()),
        "histogram": guesses[solved].value_counts().sort_index().to_dict(),
        "hardest": hardest.head(_NUM_HARDEST).to_dict("records"),
        "games_per_second": len(games) / seconds,
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
            f"{statistics['solved_within_10']:.2%}",
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
