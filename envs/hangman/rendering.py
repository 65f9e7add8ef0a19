"""Rendering of a game as text, and as an image with the gallows."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np
from PIL import ImageDraw

from hangman_lab.envs.encoding import ALPHABET, decode
from hangman_lab.envs.hangman.observation import Observation
from hangman_lab.envs.rendering import BAD, FAINT, GOOD, INK, Drawing, font, new_picture

_PICTURE_SIZE = (640, 400)

# Head, body, arms and legs, in the order in which they are drawn, and their places.
_PARTS = "O|/\\/\\"
_GALLOWS = (
    "  +---+   ",
    "  |   |   ",
    "  |   {0}   ",
    "  |  {2}{1}{3}  ",
    "  |  {4} {5}  ",
    "  |       ",
    "=========+",
)


def draw_game(observation: Observation, secret: str | None, max_wrong: int, mode: str) -> Drawing:
    """Draw one game: an image of shape (400, 640, 3) for ``rgb_array``, else text.

    ``secret`` is None before the end of the game.
    """
    shown, lives = decode(observation["word"]), int(observation["lives"])
    guessed = (ALPHABET[letter] for letter in np.flatnonzero(observation["guessed"]))
    wrong = "".join(letter for letter in guessed if letter not in shown)
    verdict = ""
    if secret is not None:
        verdict = f"lost; the word was {secret}" if "_" in shown else "won"
    if mode != "rgb_array":
        return draw_text(shown, wrong, lives, max_wrong, verdict)
    picture, draw = new_picture(_PICTURE_SIZE)
    _draw_gallows(draw, parts_hung(max_wrong - lives, max_wrong))
    draw.text((300, 52), f"lives {lives} of {max_wrong}", font=font(22), fill=INK)
    for number, letter in enumerate(ALPHABET):
        color = BAD if letter in wrong else GOOD if letter in shown else FAINT
        x, y = 300 + number % 9 * 35, 100 + number // 9 * 36
        draw.text((x, y), letter, font=font(22), fill=color)
        if color == BAD:
            draw.line((x - 3, y + 16, x + 15, y + 16), fill=color, width=2)
    draw.text((300, 222), verdict, font=font(20), fill=INK)

    pitch = min(44, (_PICTURE_SIZE[0] - 40) // len(shown))
    start = (_PICTURE_SIZE[0] - pitch * len(shown)) // 2
    for place, letter in enumerate(shown):
        left = start + place * pitch
        draw.line((left + 3, 360, left + pitch - 3, 360), fill=INK, width=3)
        if letter != "_":
            center, size = (left + pitch // 2, 352), min(36, pitch + 6)
            draw.text(center, letter, INK, font(size), anchor="ms")
    return np.asarray(picture)


def draw_text(word: str, wrong: str, lives: int, max_wrong: int, verdict: str = "") -> str:
    """Return the gallows, and beside it the masked word, the wrong letters and the lives."""
    parts = _PARTS[: parts_hung(max_wrong - lives, max_wrong)].ljust(len(_PARTS))
    beside = (
        "",
        f"word   {' '.join(word)}",
        f"wrong  {' '.join(wrong) or '-'}",
        f"lives  {lives} of {max_wrong}",
        verdict,
    )
    rows = zip_longest(_GALLOWS, beside, fillvalue="")
    return "\n".join(f"{line.format(*parts)}  {text}".rstrip() for line, text in rows)


def parts_hung(wrong: int, max_wrong: int) -> int:
    """Return the number of parts of the figure, 0 to 6, drawn after ``wrong`` wrong guesses.

    For any ``max_wrong``, all six are drawn when the game is lost, and at least one after the
    first wrong guess.
    """
    return -(-wrong * len(_PARTS) // max_wrong)


def _draw_gallows(draw: ImageDraw.ImageDraw, hung: int) -> None:
    """Draw the gallows with the first ``hung`` parts of the figure."""
    draw.line((40, 300, 220, 300), fill=INK, width=6)
    draw.line((80, 300, 80, 40, 180, 40, 180, 70), fill=INK, width=6, joint="curve")
    if hung:
        draw.ellipse((160, 70, 200, 110), outline=BAD, width=4)
    body, left_arm, right_arm = (180, 110, 180, 190), (180, 130, 145, 160), (180, 130, 215, 160)
    left_leg, right_leg = (180, 190, 150, 240), (180, 190, 210, 240)
    for limb in (body, left_arm, right_arm, left_leg, right_leg)[: max(hung - 1, 0)]:
        draw.line(limb, fill=BAD, width=4)
