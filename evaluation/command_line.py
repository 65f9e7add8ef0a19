"""The command ``evaluate.py``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path

from rich.console import Console

from agents import AGENTS
from agents.word_guess import WORD_GUESS_AGENTS
from envs.encoding import NUM_LETTERS
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.word_guess.variants import VARIANTS
from envs.words import PARTS
from evaluation.arena import PlayedGames, play
from evaluation.arguments import CommandParser, integer, nonnegative, positive, probability
from evaluation.comparison import ENV_ID, compare_agents
from evaluation.console import say
from evaluation.plots import save_plots
from evaluation.preparation import Request, prepare
from evaluation.progress import GamesProgress
from evaluation.ray_cluster import ray_cluster
from evaluation.remote import command as remote
from evaluation.report_page import report_page
from evaluation.results import Comparison
from evaluation.tables import print_comparison
from evaluation.word_guess import command as word_guess
from evaluation.workers import Workers
from runs.agents import LEARNED_AGENTS
from runs.directory import write_text


def parser() -> CommandParser:
    """Return the parser of the command line."""
    names = ", ".join([*LEARNED_AGENTS, *AGENTS])
    names += f"; where whole words are guessed {', '.join(WORD_GUESS_AGENTS)}"
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
        "--agents", nargs="+", metavar="NAME", help=f"any of {names}; without it, those at hand"
    )
    parser.add_argument(
        "--run",
        metavar="RUN_DIR",
        help="a training run: its policy, word list and split (default: the pretrained policy)",
    )
    parser.add_argument("--words", metavar="FILE", help="a word list, one word per line")
    parser.add_argument("--split", choices=PARTS, help="the part of the list (default: test)")
    parser.add_argument("--secrets", metavar="FILE", help="play exactly the words of this file")
    parser.add_argument("--games", type=positive, metavar="N", help="play N words, drawn by seed")
    parser.add_argument("--repeats", type=positive, metavar="N", help="games per word")
    parser.add_argument(
        "--max-wrong",
        type=partial(integer, low=1, high=NUM_LETTERS),
        metavar="N",
        help=f"wrong guesses allowed (default: {DEFAULT_MAX_WRONG})",
    )
    parser.add_argument(
        "--known",
        type=probability,
        metavar="P",
        help="the prior probability that the secret is one of the known words, those that the run "
        f"was fitted on, for {' and '.join(LEARNED_AGENTS)}; no effect on other agents; 0: the "
        "rules exclude them (default: %(default)s)",
    )
    seen = parser.add_mutually_exclusive_group()
    seen.add_argument("--drop-seen", action="store_true", help="leave out known words")
    seen.add_argument("--allow-seen", action="store_true", help="with --known 0: play them anyway")
    parser.add_argument("--seed", type=nonnegative, metavar="N", help="seed of random draws")
    parser.add_argument(
        "--workers",
        metavar="ADDRESS",
        help="play on the cores of a Ray cluster (auto, or HOST:PORT), or with a process per core "
        "on this machine (local): the same games, for large lists",
    )
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--csv", metavar="FILE", help="write one row per game")
    parser.add_argument("--plots", metavar="DIR", help="draw the figures, as PNG and SVG")
    parser.add_argument("--report", metavar="FILE", help="write all of it as one HTML page")
    remote.add_options(parser)
    word_guess.add_options(parser)
    parser.set_defaults(**asdict(Request()))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    command = parser()
    options = command.parse_args(arguments)
    console = Console()
    try:
        refuse = partial(command.refuse, options)
        remote.check(options, refuse)
        word_guess.check(options, refuse)
        if options.server is not None:
            remote.evaluate(options, console)
        elif options.env == ENV_ID:
            _evaluate(options, console)
        else:
            word_guess.evaluate(options, console)
    except InputError as error:
        print(f"evaluate.py: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("evaluate.py: stopped", file=sys.stderr)
        return 130
    return 0


def _evaluate(options: argparse.Namespace, console: Console) -> None:
    tell = partial(say, console)
    request = Request(**{field.name: getattr(options, field.name) for field in fields(Request)})
    match = prepare(request, tell)
    with (
        _playing(options.workers) as play,
        GamesProgress(console, list(match.agents), match.num_games) as progress,
    ):
        comparison = Comparison(match, *compare_agents(match, progress.count, play), options.run)
        if options.plots is not None or options.report is not None:
            comparison.analyze(progress.note)
    print_comparison(console, comparison.evaluation)
    _write(options, comparison, tell)


@contextmanager
def _playing(workers: str | None) -> Iterator[Callable[..., PlayedGames]]:
    """Have what plays games while the ``with`` block lasts: this process, or workers."""
    if workers is None:
        yield play
        return
    with ray_cluster(workers, "--workers") as ray:
        yield Workers(ray).play


def _write(
    options: argparse.Namespace, comparison: Comparison, tell: Callable[[str], None]
) -> None:
    """Write the files that were asked for."""
    if options.json is not None:
        write_text(Path(options.json), json.dumps(comparison.to_dict(), indent=2) + "\n")
        tell(f"figures written to {options.json}")
    if options.csv is not None:
        comparison.to_csv(options.csv)
        tell(f"games written to {options.csv}")
    if options.plots is not None:
        files = save_plots(comparison.draw(), options.plots)
        tell(f"{len(files)} plots written to {options.plots}")
    if options.report is not None:
        write_text(Path(options.report), report_page(comparison.to_dict(), comparison.draw()))
        tell(f"report written to {options.report}")
