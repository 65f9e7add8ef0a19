"""A game, and probabilities of letters, as lines of text that fit a width."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from envs.encoding import ALPHABET, FIRST_LETTER, PADDING
from envs.hangman.observation import Observation
from envs.hangman.rendering import draw_gallows, masked_word, wrong_letters

_GAP = 2
_MAX_BAR = 40


def draw_board(
    observation: Observation,
    max_wrong: int,
    width: int,
    note: str = "",
    hide_letters: bool = False,
) -> list[str]:
    """Draw a game: the gallows, and beside it, or beneath where it is too long, the word.

    Parameters
    ----------
    observation : Observation
        Of one game.
    max_wrong : int
        The number of wrong guesses that loses.
    width : int
        No line is longer.
    note : str
        One line more.
    hide_letters : bool
        Tell how far the game has come, but none of its letters.
    """
    lives = int(observation["lives"])
    misses = wrong_letters(observation)
    word, wrong = masked_word(observation), " ".join(misses) or "-"
    if hide_letters:
        shown = (observation["word"] >= FIRST_LETTER).sum()
        word = f"{shown} of {(observation['word'] != PADDING).sum()} letters"
        wrong = str(len(misses))
    rows = [f"word   {word}", f"wrong  {wrong}", f"lives  {lives} of {max_wrong}", note]
    gallows = draw_gallows(max_wrong - lives, max_wrong)
    if len(rows[0]) > width and not hide_letters:
        rows[0] = f"word   {word.replace(' ', '')}"
    room = width - len(gallows[0]) - _GAP
    if max(map(len, rows)) <= room:
        beside, beneath = rows, []
    elif max(map(len, rows[1:])) <= room:
        beside, beneath = ["", *rows[1:]], rows[:1]
    else:
        beside, beneath = [], rows
    beside = ["", *beside, *[""] * (len(gallows) - len(beside) - 1)]
    lines = [f"{left}{'':{_GAP}}{right}" for left, right in zip(gallows, beside, strict=True)]
    wrapped = [line for row in beneath for line in textwrap.wrap(row, width)]
    return [line.rstrip() for line in lines] + wrapped


def draw_side_by_side(left: Sequence[str], right: Sequence[str], width: int) -> list[str]:
    """Join two drawings; the second stands beneath the first where they do not fit."""
    column = (width - _GAP) // 2
    if max(map(len, [*left, *right])) > column:
        return [*left, "", *right]
    height = max(len(left), len(right))
    rows = zip(
        [*left, *[""] * (height - len(left))], [*right, *[""] * (height - len(right))], strict=True
    )
    return [f"{first:<{column + _GAP}}{second}".rstrip() for first, second in rows]


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
