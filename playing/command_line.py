"""The command ``play.py``: its options, which of them go together, and its exit status.

What takes long to import is imported after the options are read, so that help and mistakes are
answered at once and Ctrl-C is heeded from the start.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from typing import Any

from envs.encoding import MAX_LENGTH, NUM_LETTERS
from envs.errors import InputError
from evaluation.arguments import CommandParser, integer, nonnegative, probability
from playing.difficulty import DIFFICULTIES
from playing.terminal import Terminal

DEFAULT_SPEED = 1.0
INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog="play.py",
        description="Guess a word in the terminal, see an agent play, or get help in a game.",
        epilog="Ctrl-D or Ctrl-C ends it.",
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--hint", action="store_true", help="show an agent's five most likely letters each turn"
    )
    modes.add_argument("--watch", metavar="AGENT", help="see an agent play")
    modes.add_argument("--versus", metavar="AGENT", help="guess the same word as an agent")
    modes.add_argument(
        "--assist", action="store_true", help="get the letters to try in a game played elsewhere"
    )
    for name, settings in _options().items():
        parser.add_argument(f"--{name}", **settings)
    parser.add_argument("--no-color", action="store_true", help="no colors; NO_COLOR=1 does it too")
    return parser


def _options() -> dict[str, dict[str, Any]]:
    agent = "who helps with --hint and --assist (default: ppo, or dictionary with your own words)"
    run = "a training run: its agents and words (default: the pretrained policy)"
    part = "a third of the words, by the wrong guesses of somebody who goes by letter frequency"
    known = (
        "the prior probability, for ppo and posterior, that the secret is one of the words that "
        "they were fitted on (default: 0.5); no effect on other agents"
    )
    speed = f"letters per second with --watch (default: {DEFAULT_SPEED:g}); 0 waits for Enter"
    return {
        "agent": {"metavar": "NAME", "help": agent},
        "run": {"metavar": "RUN_DIR", "help": run},
        "words": {"metavar": "FILE", "help": "a word list, one word per line"},
        "length": {
            "type": _lengths,
            "metavar": "N or MIN-MAX",
            "help": "letters of the words to guess",
        },
        "difficulty": {"choices": DIFFICULTIES, "help": part},
        "max-wrong": {
            "type": _max_wrong,
            "metavar": "N",
            "help": "wrong guesses allowed (default: 6)",
        },
        "known": {"type": probability, "metavar": "P", "help": known},
        "speed": {"type": _speed, "metavar": "LETTERS", "help": speed},
        "seed": {"type": nonnegative, "metavar": "N", "help": "play the same words again"},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status.

    It is 0 at the end of the input or of the games, 2 after a mistake in the options, and 130
    after Ctrl-C.
    """
    terminal = Terminal()
    try:
        options = parser().parse_args(arguments)
        _check_combination(options)
        terminal = Terminal(color=not options.no_color)
        from playing.session import play

        play(options, terminal)
        status = 0
    except InputError as error:
        print(f"play.py: error: {error}", file=sys.stderr)
        return 2
    except EOFError:
        status = 0
    except KeyboardInterrupt:
        status = INTERRUPTED
    terminal.say_goodbye()
    return status


def _check_combination(options: argparse.Namespace) -> None:
    if options.agent is not None and not (options.hint or options.assist):
        raise InputError("--agent: goes with --hint or --assist; --watch and --versus name theirs")
    takes_part = options.hint or options.assist or options.watch or options.versus
    if options.known is not None and not takes_part:
        raise InputError("--known: goes with --hint, --watch, --versus or --assist")
    if options.speed is not None and options.watch is None:
        raise InputError("--speed: goes with --watch")
    if options.speed is None:
        options.speed = DEFAULT_SPEED
    if options.assist:
        for name in ("length", "difficulty", "seed"):
            if getattr(options, name) is not None:
                raise InputError(f"--{name}: --assist has no word to choose")


def _lengths(text: str) -> tuple[int, int]:
    shortest, dash, longest = text.partition("-")
    try:
        bounds = int(shortest), int(longest if dash else shortest)
    except ValueError:
        bounds = (0, 0)
    if not 1 <= bounds[0] <= bounds[1] <= MAX_LENGTH:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number nor MIN-MAX, within 1 to {MAX_LENGTH}"
        )
    return bounds


def _max_wrong(text: str) -> int:
    return integer(text, 1, NUM_LETTERS)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not (0 <= speed < math.inf):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of letters per second from 0")
    return speed
