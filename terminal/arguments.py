"""Command-line parsing with one-line errors."""

from __future__ import annotations

import argparse
import errno
import functools
import math
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast, get_args

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import Rules

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

WORDS_HELP = "a word list, one word of letters a to z per line; common: the common words of web2"
# ``CommandParser.refuse`` with its options bound.
Refuse = Callable[[Sequence[str], str], None]


def program(name: str) -> str:
    """Return the name of a command: ``train.py``, or ``hangman-train`` where it is installed."""
    is_installed = Path(sys.argv[0]).name.startswith("hangman-")
    return f"hangman-{name}" if is_installed else f"{name}.py"


def invocation(name: str) -> str:
    """Return how a command is started: ``python train.py``, or ``hangman-train``."""
    return program(name) if program(name).startswith("hangman-") else f"{interpreter()} {name}.py"


def interpreter() -> str:
    """Return how a shell starts this Python: by its path, relative if it is below this folder."""
    executable = Path(sys.executable)
    is_near = executable.is_relative_to(Path.cwd())
    return shlex.quote(str(executable.relative_to(Path.cwd()) if is_near else executable))


def installation(extra: str) -> str:
    """Return how the packages of an extra are installed."""
    return f"pip install '.[{extra}]' (in the checkout)"


def option_name(name: str) -> str:
    """Return the option of a field: ``--drop-known`` for ``drop_known``."""
    return f"--{name.replace('_', '-')}"


def require(for_what: str, extra: str, *packages: str) -> None:
    """Raise InputError if a package of an extra is not installed."""
    if missing := [name for name in packages if find_spec(name) is None]:
        names = " and ".join(missing)
        raise InputError(f"{for_what} needs {names}; install with: {installation(extra)}")


def command_main(name: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Decorate the ``main`` of a command, which returns its exit status.

    The status is 2, with an error of one line, after an InputError, and without memory or space on
    the disk; 130 after Ctrl-C; 1, without a message, for a closed output pipe. A closed input is
    read as empty.
    """

    def decorate(main: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(main)
        def run(arguments: Sequence[str] | None = None) -> int:
            if sys.stdin is None:
                sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - until the end
            if sys.stdout is None:
                sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
            for stream in (sys.stdin, sys.stdout):
                # No exception for invalid bytes, and for text that cannot be encoded.
                if isinstance(stream, TextIOWrapper):
                    stream.reconfigure(errors="replace")
            try:
                try:
                    return main(arguments)
                finally:
                    sys.stdout.flush()
            except InputError as error:
                message = str(error)
            except MemoryError as error:
                message = f"not enough memory ({error})"
            except KeyboardInterrupt:
                print(f"{program(name)}: stopped", file=sys.stderr)
                return 130
            except OSError as error:
                if error.errno not in (errno.EPIPE, errno.ENOSPC):
                    raise
                # Python flushes the output again at exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                if error.errno == errno.EPIPE:
                    return 1  # as Rich ends it
                message = str(error.strerror)
            print(f"{program(name)}: error: {message}", file=sys.stderr)
            return 2

        return run

    return decorate


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one line, with exit status 2."""

    _given: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Print the error without the usage."""
        if re.match("argument [a-z]+: invalid choice", message):
            # It may be the value of an unknown option.
            given = [text.partition("=")[0] for text in self._given if text.startswith("-")]
            options = "\n".join(["", *self._option_string_actions])
            if unknown := [name for name in given if f"\n{name}" not in options]:
                message = f"unrecognized arguments: {' '.join(unknown)}"
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the options; an empty text is an error."""
        self._given = sys.argv[1:] if args is None else args
        options = super().parse_args(args, namespace)
        for name, value in vars(options).items():
            if value == "":
                self.error(f"argument {name.replace('_', '-')}: it is empty")
        return options

    def add_words(self, note: str = "") -> None:
        """Add the option ``--words``; ``note`` ends its help."""
        self.add_argument("--words", metavar="FILE", help=WORDS_HELP + note)

    def add_rules(self, *left_out: str) -> None:
        """Add an option for each rule of a game, except those that are left out."""
        for rule in fields(Rules):
            helps = f"{rule.metadata['help']} (default: the run's, or {rule.default})"
            more: dict[str, Any] = {"choices": get_args(rule.type)}
            if "ge" in rule.metadata:
                low, high = rule.metadata["ge"], rule.metadata["le"]
                more = {"type": functools.partial(integer, low=low, high=high), "metavar": "N"}
            if rule.name not in left_out:
                self.add_argument(option_name(rule.name), help=helps, **more)

    def add_fields(self, model_fields: Mapping[str, FieldInfo]) -> None:
        """Add an option for each field of a model of pydantic, which checks the values.

        The description of a field is its help; what ``add_argument`` takes besides is in its
        ``json_schema_extra``.
        """
        for name, field in model_fields.items():
            more: dict[str, Any] = {"metavar": "N", **cast(Any, field.json_schema_extra or {})}
            kinds = [each for kind in get_args(field.annotation) for each in get_args(kind)]
            if field.annotation is bool:
                more = {"action": "store_true"}
            elif choices := [each for each in kinds if isinstance(each, str)]:
                more["metavar"] = "|".join(choices)
            self.add_argument(
                option_name(name), help=field.description, default=field.default, **more
            )

    def add_overrides(self, what: str) -> None:
        """Add the option ``--set``."""
        self.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="key.sub=value",
            help=f"override {what}; can be repeated",
        )

    def refuse(self, options: argparse.Namespace, names: Sequence[str], why: str) -> None:
        """Raise InputError if one of the named options differs from its default."""
        for name in names:
            if getattr(options, name) != self.get_default(name):
                raise InputError(f"{option_name(name)}: {why}")


def real(text: str, low: float, high: float, kind: Callable[[str], Any] = float) -> Any:
    """Parse a float or an int in ``low..high``; raise ArgumentTypeError if it is invalid."""
    try:
        number = kind(text)
    except ValueError:
        number = math.nan
    if not low <= number <= high:
        what = "whole number" if kind is int else "number"
        raise argparse.ArgumentTypeError(f"{text!r} is not a {what} in {low:.10g}..{high:.10g}")
    return number


integer = functools.partial(real, kind=int)
positive = functools.partial(integer, low=1, high=2**31 - 1)
nonnegative = functools.partial(integer, low=0, high=2**31 - 1)
