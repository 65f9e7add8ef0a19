"""Drawing a game: as text, and as a picture with the gallows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from envs.encoding import ALPHABET, BLANK, FIRST_LETTER, PADDING, decode
from envs.hangman.observation import Observation
from envs.pictures import BAD, FAINT, GOOD, INK, PAPER, font

PICTURE_SIZE = (640, 400)

# The parts are hung one after the other; what stands here is the full drawing.
_GALLOWS = (
    "  +---+   ",
    "  |   |   ",
    "  |   {head}   ",
    "  |  {left_arm}{body}{right_arm}  ",
    "  |  {left_leg} {right_leg}  ",
    "  |       ",
    "=========+",
)
_PARTS = {
    "head": "O",
    "body": "|",
    "left_arm": "/",
    "right_arm": "\\",
    "left_leg": "/",
    "right_leg": "\\",
}


def parts_hung(wrong: int, max_wrong: int) -> int:
    """Return how many of the six parts of the figure are drawn after ``wrong`` wrong guesses.

    All six hang when the game is lost, whatever ``max_wrong`` is, and one at least after the
    first wrong guess.
    """
    return -(-wrong * len(_PARTS) // max_wrong)


def wrong_letters(observation: Observation) -> str:
    """Return the guessed letters that are not in the word of one game, in the alphabet's order."""
    shown = set((observation["word"][observation["word"] >= FIRST_LETTER] - FIRST_LETTER).tolist())
    guessed = np.flatnonzero(observation["guessed"]).tolist()
    return "".join(ALPHABET[letter] for letter in guessed if letter not in shown)


def masked_word(observation: Observation) -> str:
    """Return the word of one game as text, blanks as ``_``, with a space between places."""
    return " ".join(decode(observation["word"]))


def draw_gallows(wrong: int, max_wrong: int) -> list[str]:
    """Return the gallows as lines of text of the same width."""
    hung = parts_hung(wrong, max_wrong)
    parts = {
        name: (character if number < hung else " ")
        for number, (name, character) in enumerate(_PARTS.items())
    }
    return [line.format(**parts) for line in _GALLOWS]


def draw_beside_gallows(rows: Sequence[str], lives: int, max_wrong: int) -> list[str]:
    """Return the lines of the gallows with up to six rows beside it, the first one line down."""
    gallows = draw_gallows(max_wrong - lives, max_wrong)
    beside = ["", *rows, *[""] * (len(gallows) - len(rows) - 1)]
    return [f"{left}  {right}".rstrip() for left, right in zip(gallows, beside, strict=True)]


def verdict(observation: Observation, secret: str | None) -> str:
    """Return one line on how one game ended; empty while it goes on (``secret`` is None)."""
    if secret is None:
        return ""
    return f"lost; the word was {secret}" if BLANK in observation["word"] else "won"


def render_text(observation: Observation, max_wrong: int, secret: str | None = None) -> str:
    """Draw one game as text.

    Parameters
    ----------
    observation : Observation
        Of one game.
    max_wrong : int
        The number of wrong guesses that loses.
    secret : str, optional
        The word, once the game is over.
    """
    lives = int(observation["lives"])
    rows = (
        f"word   {masked_word(observation)}",
        f"wrong  {' '.join(wrong_letters(observation)) or '-'}",
        f"lives  {lives} of {max_wrong}",
        verdict(observation, secret),
    )
    return "\n".join(draw_beside_gallows(rows, lives, max_wrong))


def render_rgb_array(
    observation: Observation, max_wrong: int, secret: str | None = None
) -> npt.NDArray[np.uint8]:
    """Draw one game as a picture, shape (400, 640, 3); the arguments are :func:`render_text`'s."""
    picture = Image.new("RGB", PICTURE_SIZE, PAPER)
    draw = ImageDraw.Draw(picture)
    lives = int(observation["lives"])
    _draw_gallows(draw, parts_hung(max_wrong - lives, max_wrong))

    draw.text((300, 52), f"lives {lives} of {max_wrong}", font=font(22), fill=INK)
    shown = set((observation["word"] - FIRST_LETTER)[observation["word"] >= FIRST_LETTER].tolist())
    for letter, name in enumerate(ALPHABET):
        color = FAINT
        if observation["guessed"][letter]:
            color = GOOD if letter in shown else BAD
        x, y = 300 + letter % 9 * 35, 100 + letter // 9 * 36
        draw.text((x, y), name, font=font(22), fill=color)
        if color == BAD:
            draw.line((x - 3, y + 16, x + 15, y + 16), fill=color, width=2)
    draw.text((300, 222), verdict(observation, secret), font=font(20), fill=INK)

    codes = observation["word"][observation["word"] != PADDING]
    pitch = min(44, (PICTURE_SIZE[0] - 40) // len(codes))
    start = (PICTURE_SIZE[0] - pitch * len(codes)) // 2
    for place, code in enumerate(codes):
        left = start + place * pitch
        draw.line((left + 3, 360, left + pitch - 3, 360), fill=INK, width=3)
        if code >= FIRST_LETTER:
            center = (left + pitch // 2, 352)
            name = ALPHABET[code - FIRST_LETTER]
            draw.text(center, name, font=font(min(36, pitch + 6)), fill=INK, anchor="ms")
    return np.asarray(picture, dtype=np.uint8)


def _draw_gallows(draw: ImageDraw.ImageDraw, hung: int) -> None:
    draw.line((40, 300, 220, 300), fill=INK, width=6)
    draw.line((80, 300, 80, 40, 180, 40, 180, 70), fill=INK, width=6, joint="curve")
    limbs = (
        lambda: draw.ellipse((160, 70, 200, 110), outline=BAD, width=4),
        lambda: draw.line((180, 110, 180, 190), fill=BAD, width=4),
        lambda: draw.line((180, 130, 145, 160), fill=BAD, width=4),
        lambda: draw.line((180, 130, 215, 160), fill=BAD, width=4),
        lambda: draw.line((180, 190, 150, 240), fill=BAD, width=4),
        lambda: draw.line((180, 190, 210, 240), fill=BAD, width=4),
    )
    for limb in limbs[:hung]:
        limb()
