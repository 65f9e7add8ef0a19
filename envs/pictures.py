"""Colours and type of the pictures of games."""

from __future__ import annotations

from functools import lru_cache

from PIL import ImageFont

PAPER = (250, 249, 246)
INK = (34, 40, 49)
FAINT = (170, 170, 165)
GOOD = (31, 119, 90)
BAD = (192, 57, 43)


@lru_cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the typeface of all pictures at a size in pixels."""
    return ImageFont.load_default(size)
