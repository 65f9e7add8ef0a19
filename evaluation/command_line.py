"""The command ``evaluate.py``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from rich.console import Console

from agents import AGENTS
from envs.errors import InputError
from envs.words import PARTS
from evaluation.comparison import print_comparison
from evaluation.live import LiveTable
from evaluation.plots import save_plots
from evaluation.preparation import LEARNED_AGENTS, Request, prepare
from evaluation.report_page import report_page
from evaluation.results import Comparison, play_prepared
from training.run_directory import write_text


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    known = ", ".join([*LEARNED_AGENTS, *AGENTS])
    parser = argparse.ArgumentParser(
        prog="evaluate.py", description="Let agents play words and compare how often they win."
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
    parser.add_argument("--games", type=_positive, metavar="N", help="play N words, drawn by seed")
    parser.add_argument("--repeats", type=_positive, default=1, metavar="N", help="games a word")
    parser.add_argument(
        "--max-wrong", type=_positive, metavar="N", help="wrong guesses that lose (default: 6)"
    )
    seen = parser.add_mutually_exclusive_group()
    seen.add_argument(
        "--drop-seen", action="store_true", help="leave out words that the run was fitted on"
    )
    seen.add_argument(
        "--allow-seen", action="store_true", help="play them, and mark the figures as seen"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of random draws")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--csv", metavar="FILE", help="write one row a game")
    parser.add_argument("--plots", metavar="DIR", help="draw the figures, as PNG and SVG")
    parser.add_argument("--report", metavar="FILE", help="write all of it as one HTML page")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = parser().parse_args(arguments)
    console = Console()
    try:
        _evaluate(options, console)
    except InputError as error:
        print(f"evaluate.py: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("evaluate.py: stopped", file=sys.stderr)
        return 130
    return 0


def _evaluate(options: argparse.Namespace, console: Console) -> None:
    prepared = prepare(
        Request(**{field.name: getattr(options, field.name) for field in fields(Request)}),
        lambda line: console.print(line, highlight=False),
    )
    with LiveTable(console, list(prepared.agents), prepared.num_games) as live:
        comparison = play_prepared(prepared, live.advance)
        if options.plots is not None or options.report is not None:
            comparison.analyze(live.note)
    print_comparison(console, comparison.evaluation)
    _write(options, comparison, console)


def _write(options: argparse.Namespace, comparison: Comparison, console: Console) -> None:
    """Write the files that were asked for."""
    if options.json is not None:
        write_text(Path(options.json), json.dumps(comparison.to_dict(), indent=2) + "\n")
        console.print(f"figures written to {options.json}", highlight=False)
    if options.csv is not None:
        comparison.to_csv(options.csv)
        console.print(f"games written to {options.csv}", highlight=False)
    if options.plots is not None:
        files = save_plots(comparison.draw(), options.plots)
        console.print(f"{len(files)} plots written to {options.plots}", highlight=False)
    if options.report is not None:
        write_text(Path(options.report), report_page(comparison.to_dict(), comparison.draw()))
        console.print(f"report written to {options.report}", highlight=False)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number
