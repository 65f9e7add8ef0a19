"""The command ``play.py``: options, invalid combinations of options, exit status."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from rich.console import Console

from hangman_lab.envs.words import COMMON_ELSEWHERE, COMMON_IN_PLAY, DEFAULT_KNOWN, KNOWN_IN_PLAY
from hangman_lab.terminal.arguments import (
    CommandParser,
    command_main,
    nonnegative,
    program,
    real,
)

# Letters per second.
_MAX_SPEED = 1_000


def parser() -> CommandParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog=program("play"),
        description="Play Hangman in the terminal, watch an agent, or get advice for another game.",
        epilog="Ctrl-D or Ctrl-C quits. NO_COLOR=1 disables colors.",
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--hint", action="store_true", help="show an agent's five most likely letters each turn"
    )
    modes.add_argument("--watch", metavar="AGENT", help="watch an agent play")
    modes.add_argument("--versus", metavar="AGENT", help="play against an agent, on the same word")
    modes.add_argument(
        "--assist", action="store_true", help="show letters to try in a game played elsewhere"
    )
    add = parser.add_argument
    helps = "agent for --hint, --assist and --review (default: ppo; dictionary with --words FILE)"
    add("--agent", metavar="NAME", help=helps)
    runs = "a training run: its agents and words (default: the pretrained policy)"
    add("--run", metavar="RUN_DIR", help=runs)
    parser.add_words(" (default, except with --run or --assist)")
    helps = "show after each game what each guess was worth; not with --watch or --assist"
    add("--review", action="store_true", help=helps)
    parser.add_rules("repeated_guess")  # a person is asked again
    known = (
        "prior probability that the secret is a word that ppo, look-ahead and posterior were "
        f"fitted on (default: {KNOWN_IN_PLAY}; {DEFAULT_KNOWN} with --common 0)"
    )
    common = (
        "probability that such a word was chosen as people choose words, for dictionary, too "
        f"(default: {COMMON_IN_PLAY} with common words, 0 with web2 and for dictionary, else "
        f"{COMMON_ELSEWHERE})"
    )
    probability = partial(real, low=0, high=1)
    add("--known", type=probability, metavar="P", help=known)
    add("--common", type=probability, metavar="P", help=common)
    speed = f"letters per second with --watch (default: 1, up to {_MAX_SPEED:,}); 0 waits for Enter"
    rate = partial(real, low=0, high=_MAX_SPEED)
    add("--speed", type=rate, default=1.0, metavar="LETTERS", help=speed)
    add("--seed", type=nonnegative, metavar="N", help="seed of the order of the words")
    return parser


@command_main("play")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    console = Console(markup=False, highlight=False, emoji=False)
    try:
        options = _read(arguments)
        note = "; the first start compiles for half a minute or more"
        note = note if _uses_agent(options) else ""
        # This takes seconds to import, so options are checked first.
        with console.status(f"loading{note}"):
            from hangman_lab.playing.session import play

        play(options, console)
        status = 0
    except EOFError:
        status = 0
    except KeyboardInterrupt:
        status = 130
    console.print("\nGoodbye.")
    return status


def _uses_agent(options: argparse.Namespace) -> bool:
    modes = ("hint", "watch", "versus", "assist", "review")
    return any(getattr(options, mode) for mode in modes)


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    command = parser()
    options = command.parse_args(arguments)
    if options.watch or options.assist:
        command.refuse(options, ["review"], "cannot be combined with --watch or --assist")
    if options.versus or not (options.hint or options.assist or options.review):
        why = "requires --hint, --assist or --review; --watch and --versus name the agent"
        command.refuse(options, ["agent"], why)
    if not _uses_agent(options):
        why = "requires --hint, --watch, --versus, --assist or --review"
        command.refuse(options, ["known", "common"], why)
    if options.watch is None:
        command.refuse(options, ["speed"], "requires --watch")
    if options.assist:
        command.refuse(options, ["seed"], "cannot be combined with --assist")
    if options.host == "evil":
        why = "cannot be combined with --host evil, which fixes no word"
        command.refuse(options, ["versus", "assist"], why)
    return options
