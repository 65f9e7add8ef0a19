"""The space of a sweep: which values each option may take, and how points are drawn from it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel

from envs.errors import InputError
from runs.config import Config

KINDS = ("grid", "choice", "uniform", "loguniform")
Point = dict[str, Any]


@dataclass(frozen=True)
class Domain:
    """The values of one option.

    Attributes
    ----------
    key : str
        As in ``--set``: ``ppo.learning_rate``.
    kind : str
        One of ``KINDS``.
    values : tuple
        All values of ``grid`` and ``choice``; the two ends of the others.
    is_integer : bool
        Whether an interval is one of whole numbers, both ends included.
    """

    key: str
    kind: str
    values: tuple[Any, ...]
    is_integer: bool = False

    @property
    def is_interval(self) -> bool:
        """Whether values are drawn from between two ends."""
        return self.kind in ("uniform", "loguniform")

    def draw(self, random: np.random.Generator) -> Any:
        """Draw a value; of a grid, each is as likely."""
        if not self.is_interval:
            return self.values[random.integers(len(self.values))]
        low, high = self.values
        if self.is_integer:
            # Each whole number has the numbers that are rounded to it.
            low, high = low - 0.5, high + 0.5
        if self.kind == "loguniform":
            value = math.exp(random.uniform(math.log(low), math.log(high)))
        else:
            value = random.uniform(low, high)
        return min(max(round(value), self.values[0]), self.values[1]) if self.is_integer else value


def read_space(space: dict[str, Any]) -> tuple[Domain, ...]:
    """Return the domains of the section ``space`` of a sweep file.

    Raises
    ------
    InputError
        If one is none; it names the key, the value and what is allowed.
    """
    return tuple(_read_domain(key, values) for key, values in space.items())


def _read_domain(key: str, described: Any) -> Domain:
    if (
        not isinstance(described, dict)
        or len(described) != 1
        or next(iter(described)) not in KINDS
        or not isinstance(next(iter(described.values())), list)
    ):
        raise InputError(
            f"space.{key}: {described!r} is not allowed (one of {', '.join(KINDS)} with a list of "
            "values, for example {grid: [1, 2]})"
        )
    ((kind, values),) = described.items()
    if kind in ("grid", "choice"):
        if not values:
            raise InputError(f"space.{key}: {kind} has no value")
        if any(value in values[:place] for place, value in enumerate(values)):
            raise InputError(f"space.{key}: {kind} has the same value twice: {values!r}")
        return Domain(key, kind, tuple(values))
    numbers = [value for value in values if type(value) in (int, float) and math.isfinite(value)]
    if len(values) != 2 or len(numbers) != 2 or not numbers[0] < numbers[1]:
        raise InputError(f"space.{key}: {kind} {values!r} is not [low, high] with low below high")
    if kind == "loguniform" and numbers[0] <= 0:
        raise InputError(f"space.{key}: loguniform {values!r} has to begin above 0")
    is_integer = _is_integer(key)
    if is_integer and any(type(value) is not int for value in values):
        raise InputError(f"space.{key}: {values!r} are not whole numbers")
    return Domain(key, kind, tuple(values), is_integer)


def _is_integer(key: str) -> bool:
    """Return whether an option takes whole numbers alone; unknown keys are found elsewhere."""
    model: Any = Config
    for part in key.split("."):
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            return False
        field = model.model_fields.get(part)
        model = None if field is None else field.annotation
    return model is int


def grid_points(domains: tuple[Domain, ...]) -> list[Point]:
    """Return every combination of the values of the grids; one empty point without a grid."""
    grids = [domain for domain in domains if domain.kind == "grid"]
    return [
        dict(zip((domain.key for domain in grids), values, strict=True))
        for values in itertools.product(*(domain.values for domain in grids))
    ]


def random_points(domains: tuple[Domain, ...], count: int, seed: int) -> list[Point]:
    """Return points: the grid's combinations in turn, the other options drawn for each point."""
    grid = grid_points(domains)
    random = np.random.default_rng(seed)
    return [
        {
            domain.key: grid[number % len(grid)][domain.key]
            if domain.kind == "grid"
            else domain.draw(random)
            for domain in domains
        }
        for number in range(count)
    ]


def corners(domains: tuple[Domain, ...], most: int = 4096) -> list[Point]:
    """Return the combinations of all listed values and ends, up to ``most`` of them.

    Where there are more, every value is in at least one.
    """
    keys = [domain.key for domain in domains]
    if math.prod(len(domain.values) for domain in domains) <= most:
        combinations = itertools.product(*(domain.values for domain in domains))
    else:
        longest = max(len(domain.values) for domain in domains)
        combinations = (
            tuple(domain.values[number % len(domain.values)] for domain in domains)
            for number in range(longest)
        )
    return [dict(zip(keys, values, strict=True)) for values in combinations]
