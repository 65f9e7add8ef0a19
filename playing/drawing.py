"""A game, and probabilities of letters, as lines of text that fit a width."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import zip_longest

from envs.encoding import ALPHABET
from envs.hangman.game import Game
from envs.hangman.rendering import draw_beside_gallows, draw_gallows, wrong_letters

_GAP = 2
_MAX_BAR = 40


def draw_board(game: Game, width: int, note: str = "", hide_letters: bool = False) -> list[str]:
    """Draw a game: the gallows, and beside it, or beneath where it is too long, the word.

    Parameters
    ----------
    game : Game
    width : int
        No line is longer.
    note : str
        One line more.
    hide_letters : bool
        Tell how far the game has come, but none of its letters.
    """
    misses = wrong_letters(game.observation)
    word, wrong = " ".join(game.word), " ".join(misses) or "-"
    if hide_letters:
        word = f"{len(game.word) - game.word.count('_')} of {len(game.word)} letters"
        wrong = str(len(misses))
    rows = [f"word   {word}", f"wrong  {wrong}", f"lives  {game.lives} of {game.max_wrong}", note]
    if len(rows[0]) > width and not hide_letters:
        rows[0] = f"word   {game.word}"
    room = width - len(draw_gallows(0, game.max_wrong)[0]) - _GAP
    if max(map(len, rows)) <= room:
        beside, beneath = rows, []
    elif max(map(len, rows[1:])) <= room:
        beside, beneath = ["", *rows[1:]], rows[:1]
    else:
        beside, beneath = [], rows
    lines = draw_beside_gallows(beside, game.lives, game.max_wrong)
    return lines + [line for row in beneath for line in textwrap.wrap(row, width)]


def draw_side_by_side(left: Sequence[str], right: Sequence[str], width: int) -> list[str]:
    """Join two drawings; the second stands beneath the first where they do not fit."""
    column = (width - _GAP) // 2
    if max(map(len, [*left, *right])) > column:
        return [*left, "", *right]
    return [
        f"{first:<{column + _GAP}}{second}".rstrip()
        for first, second in zip_longest(left, right, fillvalue="")
    ]


def draw_bars(
    letters: Sequence[tuple[int, float]], chosen: int, width: int, ascii_only: bool = False
) -> list[str]:
    """Draw probabilities of letters as bars, one a line, the chosen letter marked with ``>``.

    Parameters
    ----------
    letters : sequence of (int, float)
        Letters 0 to 25 and their probabilities.
    chosen : int
        The letter to mark.
    width : int
        No line is longer.
    ascii_only : bool
        Draw with ``#`` instead of blocks.
    """
    block = "#" if ascii_only else "█"
    lines = []
    for letter, probability in letters:
        label = f"{'>' if letter == chosen else ' '} {ALPHABET[letter]}  {probability:4.0%}  "
        longest = max(0, min(_MAX_BAR, width - len(label)))
        lines.append((label + block * round(longest * probability)).rstrip())
    return lines
