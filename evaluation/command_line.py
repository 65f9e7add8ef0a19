"""The command ``evaluate.py``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from rich.console import Console

from hangman_lab.agents import AGENTS
from hangman_lab.agents.word_guess import WORD_GUESS_AGENTS
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG
from hangman_lab.envs.word_guess.rules import VARIANT_OF_ID
from hangman_lab.envs.words import PARTS
from hangman_lab.evaluation import remote, word_guess
from hangman_lab.evaluation.comparison import Comparison
from hangman_lab.evaluation.files import check_files, write_files
from hangman_lab.evaluation.preparation import ENV_ID, EvaluationOptions, prepare
from hangman_lab.evaluation.tables import print_comparison
from hangman_lab.run_files.agents import LEARNED_AGENTS
from hangman_lab.terminal.arguments import CommandParser, command_main, program
from hangman_lab.terminal.console import make_progress, say


def parser() -> CommandParser:
    """Return the parser of the command line."""
    names = ", ".join([*LEARNED_AGENTS, *AGENTS])
    names += f"; for whole-word games {', '.join(WORD_GUESS_AGENTS)}"
    description = "Compare the win rates of agents on the same words."
    parser = CommandParser(prog=program("evaluate"), description=description)
    parser.add_argument(
        "--env",
        choices=[ENV_ID, *VARIANT_OF_ID],
        default=ENV_ID,
        metavar="ID",
        help=f"the game: {ENV_ID} (default), {' or '.join(VARIANT_OF_ID)}",
    )
    parser.add_argument(
        "--agents", nargs="+", metavar="NAME", help=f"any of {names} (default: those available)"
    )
    parser.add_argument(
        "--run",
        metavar="RUN_DIR",
        help="a training run: its policy, word list and split (default: the pretrained policy)",
    )
    parser.add_words()
    parser.add_argument(
        "--split", metavar="PART", help=f"part of the list: {', '.join(PARTS)} (default: test)"
    )
    parser.add_argument("--secrets", metavar="FILE", help="play exactly the words of this file")
    parser.add_argument("--games", metavar="N", help="play a random sample of N words")
    parser.add_argument("--repeat", metavar="N", help="games per word, for the worst words")
    text = f"wrong guesses that lose a game (default: the run's, or {DEFAULT_MAX_WRONG})"
    parser.add_argument("--max-wrong", metavar="N", help=text)
    text = "evil: the host fixes only the length of the word (default: the run's)"
    parser.add_argument("--host", choices=("random", "evil"), help=text)
    parser.add_argument(
        "--known",
        metavar="P",
        help="prior probability that the secret is a known word, which the run was fitted on, for "
        f"{', '.join(LEARNED_AGENTS)}; 0 if the rules exclude known words (default: %(default)s)",
    )
    parser.add_argument("--drop-known", action="store_true", help="exclude known words")
    parser.add_argument(
        "--allow-known", action="store_true", help="play known words with --known 0"
    )
    parser.add_argument("--seed", metavar="N", help="seed of random draws")
    parser.add_argument(
        "--details", action="store_true", help="also print tables by length and words"
    )
    parser.add_argument("--json", metavar="FILE", help="write the results as JSON")
    parser.add_argument("--csv", metavar="FILE", help="write one row per game")
    parser.add_argument("--plots", metavar="DIR", help="write plots as PNG and SVG")
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write tables and plots as one HTML page, with calibration",
    )
    remote.add_options(parser)
    word_guess.add_options(parser)
    parser.set_defaults(**EvaluationOptions().model_dump())
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
    check_files(parsed)
    fields = EvaluationOptions.model_fields
    options = EvaluationOptions.of(
        **{str(fields[name].alias): getattr(parsed, name) for name in fields}
    )
    if parsed.server is not None:
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
    print_comparison(console, comparison.to_dict(), parsed.details)
    if parsed.report is not None:
        with make_progress(console) as progress:
            comparison.calibrate(progress)
    write_files(parsed, comparison.to_dict(), comparison.games, console)
