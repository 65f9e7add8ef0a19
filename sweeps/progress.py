"""The progress of a sweep: a table that moves, or a line per finished trial."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table

from evaluation.live import ShownOnTerminal
from sweeps.results import FINISHED, STOPPED, first_line_of_error, status_of, trial_value
from sweeps.sweep_file import Trial, describe_point

_ROWS = 12


class SweepTable(ShownOnTerminal):
    """The trials that run and the last ones that ended.

    It is a context manager. Where the console is no terminal, a line is printed per trial that
    has ended.

    Parameters
    ----------
    console : Console
    num_trials : int
    num_ended : int
        Of an earlier part of the sweep.
    """

    def __init__(self, console: Console, num_trials: int, num_ended: int = 0) -> None:
        super().__init__(console)
        self._num_trials = num_trials
        self._num_ended = num_ended
        self._best: tuple[float, str] | None = None
        self._started: dict[str, float] = {}
        self._rows: dict[str, tuple[str, ...]] = {}
        self._running: set[str] = set()

    def started(self, trial: Trial) -> None:
        """Show a trial that runs, for the first time or again."""
        self._started.setdefault(trial.name, time.monotonic())
        self._running.add(trial.name)
        self._show(trial, "0", "", "runs")

    def reported(self, trial: Trial, step: int, win_rate: float) -> None:
        """Show how far a trial is."""
        self._show(trial, f"{step:,}", f"{win_rate:.1%}", "runs")

    def lost(self, trial: Trial) -> None:
        """Show a trial that lost its process or machine, and begins again elsewhere."""
        self._running.discard(trial.name)
        self._show(trial, "", "", "lost; goes on")
        if not self.console.is_terminal:
            self.console.print(
                f"{trial.name} lost its process; it goes on from its last checkpoint",
                highlight=False,
            )

    def ended(self, trial: Trial, folder: Path) -> None:
        """Show a trial that has ended, by what is in its folder."""
        self._num_ended += 1
        self._running.discard(trial.name)
        status, value = status_of(folder), trial_value(folder)
        rate = f"{value:.1%}" if status in (FINISHED, STOPPED) else ""
        if status == FINISHED and (self._best is None or value > self._best[0]):
            self._best = (value, trial.name)
        self._show(trial, "", rate, status)
        if not self.console.is_terminal:
            seconds = time.monotonic() - self._started.pop(trial.name, time.monotonic())
            detail = rate or first_line_of_error(folder)
            self.console.print(
                f"{self._num_ended} of {self._num_trials}: {trial.name} {status}, "
                f"{f'win rate {rate}' if rate else detail}, {seconds:.0f} s"
                f"   {describe_point(trial.options)}",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )

    def _show(self, trial: Trial, step: str, rate: str, status: str) -> None:
        self._rows.pop(trial.name, None)
        self._rows[trial.name] = (trial.name, describe_point(trial.options), step, rate, status)
        ended = [name for name in self._rows if name not in self._running]
        for name in ended[: max(len(self._rows) - _ROWS, 0)]:
            del self._rows[name]

    def __rich__(self) -> Group:
        """Return the table as it stands."""
        table = Table(box=None, pad_edge=False)
        table.add_column("trial", no_wrap=True)
        table.add_column("options")
        for heading in ("steps", "valid win rate"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("")
        for row in list(self._rows.values()):
            table.add_row(*map(escape, row))
        best = f", best {self._best[0]:.1%} ({self._best[1]})" if self._best else ""
        running = len(self._running)
        return Group(
            table, f"{self._num_ended} of {self._num_trials} trials, {running} running{best}"
        )
