"""Questions, which read whole lines, so that input can be piped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.terminal.console import say

T = TypeVar("T")


def ask(console: Console, prompt: str, read: Callable[[str], T]) -> T:
    """Ask until ``read`` of the stripped line raises no InputError; return its result."""
    while True:
        line = console.input(prompt, markup=False)
        if not sys.stdin.isatty():
            # A terminal echoes typed letters; piped letters are echoed here.
            shown = "".join(letter if letter.isprintable() else "?" for letter in line)
            say(console, shown[: console.width - len(prompt)])
        try:
            return read(line.strip())
        except InputError as error:
            console.print(str(error), style="red")
