"""Printing for people: texts as they are, and how far something is that takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def say(console: Console, text: str) -> None:
    """Print a text without markup, colours or wrapped lines, so that it can be copied."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def make_progress(console: Console | None = None) -> Progress:
    """Return bars that vanish when they end; none where the console is not a terminal.

    Without a console, nothing is shown at all.
    """
    console = console or Console(quiet=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(14),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def stage(
    progress: Progress, name: str, total: int | None = None, unit: str = "games"
) -> Iterator[Callable[[float], None]]:
    """Show a stage while the ``with`` block lasts; without a terminal, a line when it has ended.

    Yields
    ------
    callable
        Call it with how many of ``total`` are done since the last call.
    """
    task = progress.add_task(name, total=total)
    yield partial(progress.advance, task)
    progress.update(task, total=total or 1, completed=total or 1)
    if not progress.console.is_terminal:
        say(
            progress.console, f"{name}: done" if total is None else f"{name}: {total:,} {unit} done"
        )
