"""The terminal: lines, colors, width.

It reads whole lines and never changes the terminal's settings, so that there is nothing to restore
however the program ends, and a pipe serves as well as a keyboard.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text


class Terminal:
    """Standard input and output.

    Parameters
    ----------
    color : bool
        Styles are used if this is true, ``NO_COLOR`` is not set, and the output is a terminal
        that knows them. Without them, no escape code is written.
    """

    def __init__(self, color: bool = True) -> None:
        for stream in (sys.stdin, sys.stdout):
            # Bytes that are no text, and text that has no bytes, must not end the game.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        plain = not color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self._console = Console(
            color_system=None if plain else "auto", markup=False, highlight=False, emoji=False
        )
        self._is_keyboard = sys.stdin.isatty()

    @property
    def width(self) -> int:
        """The number of columns; 80 where it is not known."""
        return self._console.width

    @property
    def ascii_only(self) -> bool:
        """Whether the output's encoding has no block characters."""
        return self._console.options.ascii_only

    def print(self, text: str | Text = "", style: str = "") -> None:
        """Write text, wrapped at the width."""
        self._console.print(text, style=style or None)

    def print_lines(self, lines: Iterable[str], style: str = "") -> None:
        """Write lines."""
        for line in lines:
            self.print(line, style)

    def complain(self, problem: str) -> None:
        """Say what is wrong with what was typed."""
        self.print(problem, "red")

    def ask(self, prompt: str) -> str:
        """Return the next line of the input without white space around it.

        Raises
        ------
        EOFError
            At the end of the input.
        """
        self._console.print(prompt, end="")
        line = input()
        if not self._is_keyboard:
            # A keyboard's letters are echoed by the terminal; those of a pipe would be missing.
            shown = "".join(character if character.isprintable() else "?" for character in line)
            self._console.print(shown[: max(0, self.width - len(prompt))])
        return line.strip()

    def ask_yes(self, question: str) -> bool:
        """Return whether the answer is yes, which Enter alone says too."""
        while True:
            answer = self.ask(f"{question} [Y/n] ").lower()
            if answer in ("", "y", "yes"):
                return True
            if answer in ("n", "no", "q", "quit"):
                return False
            self.complain("y or n is expected")

    def say_goodbye(self) -> None:
        """Leave the line of the prompt and end with one line."""
        self.print()
        self.print("Goodbye.")
