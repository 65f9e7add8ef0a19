"""Printing for people: texts as they are."""

from __future__ import annotations

from rich.console import Console


def say(console: Console, text: str) -> None:
    """Print a text without markup, colours or wrapped lines, so that it can be copied."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)
