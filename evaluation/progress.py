"""Progress of what takes long: a table that moves, or lines where the output is no terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table

from evaluation.console import say

_SECONDS_BETWEEN_LINES = 30.0
# The oldest tasks that have ended make room for others.
_MOST_ROWS = 13


@dataclass
class _Task:
    total: int | None
    unit: str
    completed: int
    first: int
    began: float
    moved: float
    note: str = ""
    has_ended: bool = False

    def count(self) -> str:
        return "" if self.total is None else f"{self.completed:,}/{self.total:,}"

    def time_left(self) -> str:
        """Return minutes and seconds; nothing while no rate is known."""
        if self.total is None or self.completed <= self.first:
            return ""
        rate = (self.moved - self.began) / (self.completed - self.first)
        seconds = round(rate * (self.total - self.completed))
        return f"{seconds // 60}:{seconds % 60:02d} left"


class Progress:
    """Tasks, each with how much of it is done, the time left and a note; a context manager.

    On a terminal a table that goes when the ``with`` block ends. Elsewhere a line when a task
    ends or says something, and every 30 seconds while it moves.

    Parameters
    ----------
    console : Console
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._tasks: dict[str, _Task] = {}
        self._last_line = time.monotonic()
        self._live = Live(self, console=console, transient=True)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.console.is_terminal:
            self._live.stop()

    def add(
        self, name: str, total: int | None = None, unit: str = "games", completed: int = 0
    ) -> None:
        """Show a task that begins, with part of it done; without a total, only its notes."""
        self._tasks.pop(name, None)
        now = time.monotonic()
        self._tasks[name] = _Task(total, unit, completed, completed, now, now)
        ended = [other for other, task in self._tasks.items() if task.has_ended]
        for other in ended[: max(len(self._tasks) - _MOST_ROWS, 0)]:
            del self._tasks[other]

    def update(self, name: str, completed: int, note: str | None = None) -> None:
        """Show how much of a task is done, at most all of it."""
        task = self._tasks[name]
        task.moved = time.monotonic()
        task.completed = min(completed, task.total)
        if note is not None:
            task.note = note
        is_due = task.moved - self._last_line >= _SECONDS_BETWEEN_LINES
        if is_due and task.completed != task.total:
            self._say(self._line(name, task))

    def advance(self, name: str, number: int) -> None:
        """Show that some more of a task is done."""
        self.update(name, self._tasks[name].completed + number)

    def note(self, name: str, text: str) -> None:
        """Show what is done in a task."""
        self._tasks[name].note = text
        self._say(f"{name}: {text}")

    def end(self, name: str, note: str | None = None, line: str | None = None) -> None:
        """Show that a task has ended, where there is no terminal by a line."""
        task = self._tasks[name]
        task.has_ended = True
        if note is not None:
            task.note = note
        if line is not None or task.total is not None:
            self._say(line or self._line(name, task))

    def _line(self, name: str, task: _Task) -> str:
        count = f"{task.completed:,} of {task.total:,} {task.unit}"
        return f"{name}: " + ", ".join(filter(None, (count, task.time_left(), task.note)))

    def _say(self, line: str) -> None:
        if not self.console.is_terminal:
            self._last_line = time.monotonic()
            say(self.console, line)

    def __rich__(self) -> Table:
        """Return the table as it stands."""
        table = Table.grid(padding=(0, 2, 0, 0))
        for justify in ("left", "left", "right", "right", "left"):
            table.add_column(justify=justify, no_wrap=justify == "right")
        for name, task in list(self._tasks.items()):
            bar = "" if task.total is None else ProgressBar(task.total, task.completed, width=14)
            left = "" if task.has_ended else task.time_left()
            table.add_row(escape(name), bar, task.count(), left, escape(task.note))
        return table


class GamesProgress(Progress):
    """Agents that play one after the other: games, time left, win rate so far.

    Parameters
    ----------
    console : Console
    names : sequence of str
        The agents.
    games : int
        Games per agent.
    """

    def __init__(self, console: Console, names: Sequence[str], games: int) -> None:
        super().__init__(console)
        self._won = dict.fromkeys(names, 0)
        self._last_end = time.monotonic()
        for name in names:
            self.add(name, games)

    def count(self, name: str, games: int, won: int) -> None:
        """Count games of an agent that have ended, and how many of them were won."""
        task = self._tasks[name]
        if task.completed == 0:
            task.began = self._last_end
        self._won[name] += won
        played = task.completed + games
        self.update(name, played, f"win rate so far {self._won[name] / played:.1%}")
        if played == task.total:
            self._last_end = task.moved
            self.end(name)
