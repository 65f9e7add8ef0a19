"""The console, which reads whole lines, so that input can be piped, and drawings of games."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO, TypeVar

from rich.console import Console
from rich.prompt import InvalidResponse, PromptBase
from rich.table import Table
from rich.text import Text

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rendering import draw_gallows

_GAP = 2
_LABEL = len("word   ")
_MAX_BAR = 40

T = TypeVar("T")


def make_console() -> Console:
    """Return a console, which writes no escape codes with NO_COLOR or on a dumb terminal."""
    # With NO_COLOR, Rich still writes bold text.
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return Console(
        color_system=None if plain else "auto", markup=False, highlight=False, emoji=False
    )


class _Question(PromptBase[T]):
    """A prompt that parses the answer with ``read``, and asks again after an InputError."""

    prompt_suffix = ""

    def __init__(self, console: Console, prompt: str, read: Callable[[str], T]) -> None:
        super().__init__(Text(prompt), console=console)
        self._read = read

    @classmethod
    def get_input(
        cls, console: Console, prompt: str | Text, password: bool, stream: TextIO | None = None
    ) -> str:
        line = super().get_input(console, prompt, password, stream)
        if not sys.stdin.isatty():
            # A terminal echoes typed letters; piped letters are echoed here.
            shown = "".join(character if character.isprintable() else "?" for character in line)
            console.print(shown[: max(0, console.width - len(prompt))])
        return line.strip()

    def process_response(self, value: str) -> T:
        try:
            return self._read(value)
        except InputError as error:
            raise InvalidResponse(Text(str(error), "red")) from None


def ask(console: Console, prompt: str, read: Callable[[str], T]) -> T:
    """Ask until ``read`` of the stripped line raises no InputError; return its result."""
    return _Question(console, prompt, read)()


def ask_yes(console: Console, question: str) -> bool:
    """Return whether the answer is yes, which is the default."""

    def read(text: str) -> bool:
        if text.lower() not in ("", "y", "yes", "n", "no", "q", "quit"):
            raise InputError("expected y or n")
        return text.lower() in ("", "y", "yes")

    return ask(console, f"{question} [Y/n] ", read)


def draw_board(game: Game, width: int, note: str = "", hide_letters: bool = False) -> Table:
    """Draw a game in ``width`` columns; with ``hide_letters``, show counts of letters alone."""
    gallows = draw_gallows(game.max_wrong - game.lives, game.max_wrong)
    misses = sorted(game.wrong_letters)
    word, wrong = " ".join(game.word), " ".join(misses) or "-"
    if hide_letters:
        word = f"{len(game.word) - game.word.count('_')} of {len(game.word)} letters"
        wrong = str(len(misses))
    elif len(gallows[0]) + _GAP + _LABEL + len(word) > width:
        word = game.word
    lives = f"{game.lives} of {game.max_wrong}"
    rows = ["", f"word   {word}", f"wrong  {wrong}", f"lives  {lives}", note]
    board = Table.grid(padding=(0, _GAP), pad_edge=False)
    board.add_column(no_wrap=True)
    board.add_column(overflow="fold")
    board.add_row(Text("\n".join(gallows)), Text("\n".join(rows)))
    return board


def draw_bars(
    letters: Sequence[tuple[int, float]], chosen: int, width: int, ascii_only: bool = False
) -> list[str]:
    """Return a line of at most ``width`` per letter, with its probability as a bar."""
    block = "#" if ascii_only else "█"
    lines = []
    for letter, probability in letters:
        label = f"{'>' if letter == chosen else ' '} {ALPHABET[letter]}  {probability:4.0%}  "
        longest = max(0, min(_MAX_BAR, width - len(label)))
        lines.append((label + block * round(longest * probability)).rstrip())
    return lines
