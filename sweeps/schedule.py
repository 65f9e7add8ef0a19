"""The order of trials: the points in turn, the seeds of each, without those that have ended."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from envs.errors import InputError
from sweeps.space import Point
from sweeps.sweep_file import Sweep, Trial


class PointSearch(Protocol):
    """Chooses points by the values of earlier ones."""

    def ask(self, number: int) -> Point:
        """Return the point of that number."""

    def tell(self, number: int, value: float | None) -> None:
        """Take in the value of a point; None where its trials failed."""


class Schedule:
    """The trials of a sweep, one after the other.

    A point of a search is chosen when the results of all points but the last ``points_at_once``
    are known, and by these alone, told in the order of the points. So the points do not depend on
    which trial ends first, and a sweep that goes on chooses what it had chosen.

    Parameters
    ----------
    sweep : Sweep
    search : PointSearch, optional
        Where the sweep's points are not known beforehand.
    outcome : callable
        Returns the value of a trial that has ended, None if it has not; NaN if it failed.
    """

    def __init__(
        self,
        sweep: Sweep,
        search: PointSearch | None,
        outcome: Callable[[Trial], float | None],
    ) -> None:
        self.trials: list[Trial] = []
        self._sweep = sweep
        self._search = search
        self._outcome = outcome
        self._told = 0
        self._place = 0

    def next(self) -> Trial | None:
        """Return the next trial to run; None if results have to be waited for.

        Raises
        ------
        StopIteration
            If there is none left.
        """
        while True:
            while self._place < len(self.trials):
                trial = self.trials[self._place]
                self._place += 1
                value = self._outcome(trial)
                if value is None or math.isnan(value):
                    return trial
            number = len(self.trials) // self._sweep.config.seeds
            if number == self._sweep.num_points:
                raise StopIteration
            options = self._choose(number)
            if options is None:
                return None
            self.trials += self._sweep.trials_of(number, options)

    def _choose(self, number: int) -> Point | None:
        if self._search is None:
            return self._sweep.points[number]
        seeds = self._sweep.config.seeds
        while self._told <= number - self._sweep.config.points_at_once:
            values = [
                self._outcome(trial)
                for trial in self.trials[self._told * seeds : (self._told + 1) * seeds]
            ]
            if any(value is None for value in values):
                return None
            mean = math.fsum(values) / len(values)
            self._search.tell(self._told, None if math.isnan(mean) else mean)
            self._told += 1
        options = self._search.ask(number)
        try:
            self._sweep.recipe(options)
        except InputError as error:
            raise InputError(f"{error}; narrow the space so that all of it fits together") from None
        return options
