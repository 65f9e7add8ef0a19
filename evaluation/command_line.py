"""The command ``evaluate.py``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from rich.console import Console

from hangman_lab.envs.word_guess.rules import VARIANT_OF_ID
from hangman_lab.evaluation import games_file, remote, word_guess
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.files import check_files, write_files
from hangman_lab.evaluation.options import CommandOptions, EvaluationOptions
from hangman_lab.evaluation.preparation import ENV_ID, prepare
from hangman_lab.evaluation.tables import print_comparison
from hangman_lab.terminal.arguments import CommandParser, command_main, option_name, program
from hangman_lab.terminal.console import make_progress, say


def parser() -> CommandParser:
    """Return the parser of the command line."""
    description = "Compare the win rates of agents on the same words."
    parser = CommandParser(prog=program("evaluate"), description=description)
    parser.add_argument(
        "--env",
        choices=[ENV_ID, *VARIANT_OF_ID],
        default=ENV_ID,
        metavar="ID",
        help=f"the game: {ENV_ID} (default), {' or '.join(VARIANT_OF_ID)}",
    )
    parser.add_fields(CommandOptions.model_fields)
    parser.add_argument(
        "--details", action="store_true", help="also print tables by length, words and guesses"
    )
    parser.add_argument("--json", metavar="FILE", help="write the results as JSON")
    parser.add_argument("--csv", metavar="FILE", help="write one row per game")
    parser.add_argument("--plots", metavar="DIR", help="write plots as PNG and SVG")
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write tables and plots as one HTML page, with calibration",
    )
    games_file.add_options(parser)
    remote.add_options(parser)
    word_guess.add_options(parser)
    return parser


@command_main("evaluate")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    command = parser()
    parsed = command.parse_args(arguments)
    console = Console()
    refuse = partial(command.refuse, parsed)
    remote.check(parsed, refuse)
    word_guess.check(parsed, refuse)
    games_file.check(parsed, refuse)
    check_files(parsed)
    given = {option_name(name): getattr(parsed, name) for name in CommandOptions.model_fields}
    options = CommandOptions.of(**given)
    if parsed.games_file is not None:
        games_file.evaluate(parsed, options, console)
    elif parsed.server is not None:
        remote.evaluate(parsed, options, console)
    elif parsed.env == ENV_ID:
        _evaluate(parsed, options, console)
    else:
        word_guess.evaluate(parsed, options, console)
    return 0


def _evaluate(parsed: argparse.Namespace, options: EvaluationOptions, console: Console) -> None:
    """Play Hangman, print tables and write files."""
    with console.status("loading agents"):
        setup = prepare(options, partial(say, console))
    with make_progress(console) as progress:
        comparison = Comparison(setup, progress)
        if parsed.details:
            comparison.review(progress)
    print_comparison(console, comparison.to_dict(), parsed.details)
    if parsed.report is not None:
        with make_progress(console) as progress:
            comparison.calibrate(progress)
    write_files(parsed, comparison.to_dict(), comparison.games, console)
