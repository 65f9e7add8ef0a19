"""The table that moves while agents play."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

_SECONDS_BETWEEN_LINES = 30.0


class ShownOnTerminal:
    """Something that shows itself while a ``with`` block lasts, where the console is a terminal.

    Parameters
    ----------
    console : Console
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._live = Live(self, console=console, transient=True)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.console.is_terminal:
            self._live.stop()


class LiveTable(ShownOnTerminal):
    """A table of agents that grows while they play: games, time left, win rate so far.

    It is a context manager. Where the console is no terminal, a line is printed for each agent
    that has played, and every 30 seconds.

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
        self.games = games
        self._played = dict.fromkeys(names, 0)
        self._won = dict.fromkeys(names, 0)
        self._notes = dict.fromkeys(names, "")
        self._started: dict[str, float] = {}
        self._last_end = time.monotonic()
        self._seconds = dict.fromkeys(names, 0.0)
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        self._last_end = time.monotonic()
        return super().__enter__()

    def advance(self, name: str, games: int, won: int) -> None:
        """Count games of an agent that have ended, and how many of them were won."""
        now = time.monotonic()
        # An agent begins when the one before it has ended.
        self._started.setdefault(name, self._last_end)
        self._seconds[name] = now - self._started[name]
        self._played[name] += games
        self._won[name] += won
        ended = self._played[name] == self.games
        if ended:
            self._last_end = now
        if self.console.is_terminal:
            return
        if ended or now - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._last_line = now
            self.console.print(
                f"{name}: {self._played[name]:,} of {self.games:,} games, "
                f"{self._time_left(name)} left, win rate so far {self._rate(name)}",
                highlight=False,
            )

    def note(self, name: str, text: str) -> None:
        """Show what is done with an agent that has played."""
        self._notes[name] = text

    def __rich__(self) -> Table:
        """Return the table as it stands."""
        table = Table(box=None, pad_edge=False)
        table.add_column("agent")
        table.add_column("")
        for heading in ("games", "left", "win rate so far"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("")
        for name, played in self._played.items():
            table.add_row(
                name,
                ProgressBar(total=self.games, completed=played, width=14),
                f"{played:,}/{self.games:,}",
                self._time_left(name),
                self._rate(name),
                self._notes[name],
            )
        return table

    def _rate(self, name: str) -> str:
        played = self._played[name]
        return f"{self._won[name] / played:.1%}" if played else ""

    def _time_left(self, name: str) -> str:
        played = self._played[name]
        if not played:
            return ""
        seconds = round(self._seconds[name] / played * (self.games - played))
        return f"{seconds // 60}:{seconds % 60:02d}"
