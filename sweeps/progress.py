"""Progress of a sweep: the trials that run, and those that have ended."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console

from evaluation.progress import Progress
from sweeps.results import FINISHED, STOPPED, first_line_of_error, status_of, trial_value
from sweeps.sweep_file import Trial, describe_point

_ALL = "trials"


class SweepProgress(Progress):
    """The trials of a sweep, and how many have ended; ``num_ended`` in an earlier part of it."""

    def __init__(self, console: Console, num_trials: int, num_ended: int = 0) -> None:
        super().__init__(console)
        self._num_trials = num_trials
        self._num_ended = num_ended
        self._best = (-1.0, "")
        self._started: dict[str, float] = {}
        self.add(_ALL, num_trials, _ALL, num_ended)

    def started(self, trial: Trial) -> None:
        """Show a trial that runs, for the first time or again."""
        self._started.setdefault(trial.name, time.monotonic())
        self.add(trial.name, trial.config.ppo.steps, "steps")

    def reported(self, trial: Trial, step: int, win_rate: float) -> None:
        """Show how far a trial is."""
        self.update(trial.name, step, f"{win_rate:.1%}   {describe_point(trial.options)}")

    def lost(self, trial: Trial) -> None:
        """Show a trial that lost its process or machine, and begins again elsewhere."""
        self.note(trial.name, "lost its process; it goes on from its last checkpoint")

    def ended(self, trial: Trial, folder: Path) -> None:
        """Show a trial that has ended, by what is in its folder."""
        status, value = status_of(folder), trial_value(folder)
        has_value = status in (FINISHED, STOPPED)
        detail = f"win rate {value:.1%}" if has_value else first_line_of_error(folder)
        if status == FINISHED and value > self._best[0]:
            self._best = (value, f"best {value:.1%} ({trial.name})")
        self._num_ended += 1
        self.update(_ALL, self._num_ended, self._best[1])
        seconds = time.monotonic() - self._started.pop(trial.name, time.monotonic())
        outcome = f"{status}, {detail}, {seconds:.0f} s   {describe_point(trial.options)}"
        self.end(
            trial.name,
            outcome,
            f"{self._num_ended} of {self._num_trials}: {trial.name} {outcome}",
        )
