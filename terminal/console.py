"""Console output: plain lines and progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def say(console: Console, text: str) -> None:
    """Print text without markup, colors or wrapping, so that it can be copied."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def make_progress(console: Console | None = None) -> Progress:
    """Return transient progress bars, which are disabled without a terminal.

    Without a console, nothing is printed.
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
    """Show the progress of a stage; without a terminal, print a line when it is done.

    Yields a function to call with the number of units done since the last call.
    """
    task = progress.add_task(name, total=total)
    yield partial(progress.advance, task)
    progress.update(task, total=total or 1, completed=total or 1)
    if not progress.console.is_terminal:
        done = "done" if total is None else f"{total:,} {unit} done"
        say(progress.console, f"{name}: {done}")
