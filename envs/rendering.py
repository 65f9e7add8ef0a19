"""Helpers to draw games as images: colors, font, canvas, and text as an image."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Drawing = str | npt.NDArray[np.uint8]
PAPER = (250, 249, 246)
INK = (34, 40, 49)
FAINT = (170, 170, 165)
GOOD = (31, 119, 90)
BAD = (192, 57, 43)


@lru_cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the font of all images at a size in pixels."""
    return ImageFont.load_default(size)


def new_picture(size: tuple[int, int]) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """Return an empty image of ``size`` (width, height), and what draws on it."""
    picture = Image.new("RGB", size, PAPER)
    return picture, ImageDraw.Draw(picture)


def text_picture(text: str) -> npt.NDArray[np.uint8]:
    """Return an image of up to 20 lines of up to 53 characters, shape (480, 640, 3)."""
    picture, draw = new_picture((640, 480))
    # The font is proportional; columns of fixed width align tables.
    for row, line in enumerate(text.splitlines()):
        for column, character in enumerate(line):
            place = (26 + column * 11.5, 32 + row * 22)
            draw.text(place, character, font=font(18), fill=INK, anchor="ms")
    return np.asarray(picture)
