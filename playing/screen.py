"""Questions, which read whole lines, so that input can be piped, and drawings of games."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import zip_longest
from typing import TypeVar

from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.rendering import draw_gallows

T = TypeVar("T")


def ask(console: Console, prompt: str, read: Callable[[str], T]) -> T:
    """Ask until ``read`` of the stripped line raises no InputError; return its result."""
    while True:
        line = console.input(prompt, markup=False)
        if not sys.stdin.isatty():
            # A terminal echoes typed letters; piped letters are echoed here.
            console.print(line[: console.width - len(prompt)])
        try:
            return read(line.strip())
        except InputError as error:
            console.print(str(error), style="red")


def draw_board(game: Game) -> str:
    """Return the gallows, and beside it the word, the wrong letters and the lives."""
    beside = (
        "",
        f"word   {' '.join(game.word)}",
        f"wrong  {' '.join(sorted(game.wrong_letters)) or '-'}",
        f"lives  {game.lives} of {game.max_wrong}",
    )
    rows = zip_longest(draw_gallows(game.max_wrong - game.lives, game.max_wrong), beside)
    return "\n".join(f"{gallows}  {text or ''}".rstrip() for gallows, text in rows)
