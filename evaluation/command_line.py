"""The command ``evaluate.py``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents import AGENTS
from agents.base import Agent
from agents.loading import LEARNED_AGENTS, check_agent_names, load_agent
from agents.word_guess import WORD_GUESS_AGENTS
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.keyed_random import keyed_bits
from envs.word_guess.options import VARIANTS
from envs.words import PARTS, Split, WordList, hash_words, load_word_list, read_word_list
from evaluation import word_guess_command
from evaluation.arguments import CommandParser, nonnegative, positive
from evaluation.comparison import ENV_ID, compare_agents, print_comparison
from training.config import Config
from training.run_directory import RunDirectory, write_text

DEFAULT_AGENTS = ("dictionary", "random")


@dataclass(frozen=True)
class Task:
    """What is to be played.

    Attributes
    ----------
    word_list : WordList
    train_words : tuple of str
        What agents are fitted on.
    words : tuple of str
        The secret words.
    split : str
        The name of the part that they are from, or the file.
    max_wrong : int
    """

    word_list: WordList
    train_words: tuple[str, ...]
    words: tuple[str, ...]
    split: str
    max_wrong: int


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    known = ", ".join([*LEARNED_AGENTS, *AGENTS])
    known += f"; where whole words are guessed {', '.join(WORD_GUESS_AGENTS)}"
    parser = CommandParser(
        prog="evaluate.py", description="Let agents play words and compare how often they win."
    )
    parser.add_argument(
        "--env",
        choices=[ENV_ID, *VARIANTS],
        default=ENV_ID,
        metavar="ID",
        help=f"the game: {ENV_ID} (default), {' or '.join(VARIANTS)}",
    )
    parser.add_argument(
        "--agents", nargs="+", metavar="NAME", help=f"any of {known}; without it, those at hand"
    )
    parser.add_argument(
        "--run", metavar="RUN_DIR", help="a training run: its policy, its word list and its split"
    )
    parser.add_argument("--words", metavar="FILE", help="a word list, one word a line")
    parser.add_argument("--split", choices=PARTS, help="the part of the list (default: test)")
    parser.add_argument("--secrets", metavar="FILE", help="play exactly the words of this file")
    parser.add_argument("--games", type=positive, metavar="N", help="play N words, drawn by seed")
    parser.add_argument("--repeats", type=positive, default=1, metavar="N", help="games a word")
    parser.add_argument(
        "--max-wrong", type=positive, metavar="N", help="wrong guesses that lose (default: 6)"
    )
    seen = parser.add_mutually_exclusive_group()
    seen.add_argument(
        "--drop-seen", action="store_true", help="leave out words that the run was fitted on"
    )
    seen.add_argument(
        "--allow-seen", action="store_true", help="play them, and mark the figures as seen"
    )
    parser.add_argument(
        "--seed", type=nonnegative, default=0, metavar="N", help="seed of random draws"
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
    word_guess_command.add_options(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = parser().parse_args(arguments)
    console = Console()
    try:
        if options.env == ENV_ID:
            word_guess_command.check_unused(options)
            _evaluate(options, console)
        else:
            word_guess_command.evaluate(options, console)
    except InputError as error:
        print(f"evaluate.py: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("evaluate.py: stopped", file=sys.stderr)
        return 130
    return 0


def _evaluate(options: argparse.Namespace, console: Console) -> None:
    run = None if options.run is None else RunDirectory.open(options.run)
    config = Config() if run is None else run.load_config()
    names = options.agents or ([*LEARNED_AGENTS] if run else []) + list(DEFAULT_AGENTS)
    check_agent_names(names, run is not None, "--agents")
    task = _make_task(options, config)
    console.print(task.word_list.describe(), highlight=False, markup=False, soft_wrap=True)
    fitted: dict[str, npt.NDArray[np.uint64]] = {}
    learned = [name for name in names if name in LEARNED_AGENTS]
    words = task.words
    if run is not None and learned:
        hashes = run.load_fitted_words()
        fitted = dict.fromkeys(learned, hashes)
        words = _handle_seen(words, hashes, options, console)
    if options.games is not None:
        words = _sample(words, options.games, options.seed)
    agents = {name: _load_agent(name, run, task, options.seed) for name in names}

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=console,
        transient=True,
    ) as progress:
        bars = {
            name: progress.add_task(name, total=len(words) * options.repeats, note="")
            for name in agents
        }
        wins = dict.fromkeys(agents, 0)

        def advance(name: str, games: int, won: int) -> None:
            wins[name] += won
            progress.advance(bars[name], games)
            played = progress.tasks[list(bars).index(name)].completed
            progress.update(bars[name], note=f"win rate {wins[name] / played:.1%}")

        evaluation, _ = compare_agents(
            agents,
            words,
            source=task.word_list.source,
            num_listed=len(task.word_list),
            split=task.split,
            seed=options.seed,
            max_wrong=task.max_wrong,
            repeats=options.repeats,
            fitted_words=fitted,
            progress=advance,
        )
    print_comparison(console, evaluation)
    if options.json is not None:
        write_text(Path(options.json), json.dumps(evaluation, indent=2) + "\n")
        console.print(
            f"figures written to {options.json}", highlight=False, markup=False, soft_wrap=True
        )


def _make_task(options: argparse.Namespace, config: Config) -> Task:
    word_list = load_word_list(options.words if options.words is not None else config.words)
    parts = Split(config.split.seed, tuple(config.split.fractions)).divide(word_list)
    if options.secrets is not None:
        if options.split is not None:
            raise InputError("--split: cannot be given with --secrets, which names the words")
        words, split = read_word_list(options.secrets).words, str(options.secrets)
    else:
        split = options.split or "test"
        shortest, longest = config.env.min_length, config.env.max_length
        words = tuple(word for word in parts[split] if shortest <= len(word) <= longest)
        if not words:
            raise InputError(
                f"--split: {word_list.source} has no {split} word of {shortest} to {longest} "
                "letters"
            )
    max_wrong = options.max_wrong or config.env.max_wrong
    if max_wrong > 26:
        raise InputError(f"--max-wrong: {max_wrong} is not in 1..26 (default {DEFAULT_MAX_WRONG})")
    return Task(word_list, parts["train"], words, split, max_wrong)


def _handle_seen(
    words: tuple[str, ...],
    fitted: npt.NDArray[np.uint64],
    options: argparse.Namespace,
    console: Console,
) -> tuple[str, ...]:
    seen = np.isin(hash_words(words), fitted)
    count = int(seen.sum())
    if not count or options.allow_seen:
        return words
    if not options.drop_seen:
        raise InputError(
            f"{count:,} of the {len(words):,} words are words that {options.run} was fitted on; "
            "--drop-seen leaves them out, --allow-seen plays them and marks the figures"
        )
    console.print(f"left out: {count:,} words that the run was fitted on", highlight=False)
    if count == len(words):
        raise InputError("--drop-seen: no word is left to play")
    return tuple(word for word, is_seen in zip(words, seen, strict=True) if not is_seen)


def _sample(words: tuple[str, ...], games: int, seed: int) -> tuple[str, ...]:
    if games > len(words):
        raise InputError(f"--games: {games:,} is more than the {len(words):,} words there are")
    order = np.argsort(keyed_bits(seed, hash_words(words)))[:games]
    return tuple(words[index] for index in np.sort(order))


def _load_agent(name: str, run: RunDirectory | None, task: Task, seed: int) -> Agent:
    files = (None, None) if run is None else (run.posterior, run.policy)
    return load_agent(name, task.train_words, seed, *files)
