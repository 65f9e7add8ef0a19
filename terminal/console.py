"""Console output: plain lines and progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def say(console: Console, text: str) -> None:
    """Print text without markup, colors or wrapping, so that it can be copied."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def make_progress(console: Console | None = None) -> Progress:
    """Return transient progress bars, which are disabled without a terminal.

    They end with the time elapsed and the time left. Without a console, nothing is printed.
    """
    console = console or Console(quiet=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(14),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("<"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def stage(
    progress: Progress, name: str, total: int, unit: str = "games"
) -> Iterator[Callable[..., None]]:
    """Show the progress of a stage; without a terminal, print a line with the units done.

    Yields a function to call with the number of units done since the last call and, optionally, a
    description of what is done next, which is a line without a terminal.
    """
    task = progress.add_task(name, total=total)

    def advance(number: float, text: str = "") -> None:
        progress.update(task, advance=number, description=text or None)
        if text and not progress.console.is_terminal:
            say(progress.console, text)

    yield advance
    done = next(each.completed for each in progress.tasks if each.id == task)
    progress.remove_task(task)
    if unit and not progress.console.is_terminal:
        say(progress.console, f"{name}: {done:,.0f} {unit} done")
