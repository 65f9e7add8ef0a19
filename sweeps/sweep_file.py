"""Sweep files: a base recipe, a space, seeds, a budget; read and checked before anything starts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field

from envs.errors import InputError
from envs.words import DEFAULT_SOURCE, WordList, load_word_list
from runs.config import (
    Config,
    Section,
    apply_override,
    dump_config,
    find_config,
    load_config,
    read_options,
    validate,
)
from runs.words import split_words
from sweeps.space import Domain, Point, corners, grid_points, random_points, read_space
from training.ppo import reward_of

# In the folder of a sweep.
SWEEP_NAME, BASE_NAME, WORDS_NAME = "sweep.yaml", "base.yaml", "words.txt"
# What a sweep sets in every trial: it judges by valid words, and the test words stay unseen.
_OWN_KEYS = ("seed", "words", "final_split", "name")
# Where `--set` means the sweep, not the recipe.
_PREFIX = "sweep."


class AshaConfig(Section):
    """Asynchronous successive halving; see ``ray.tune.schedulers.ASHAScheduler``.

    ``grace_steps`` are the steps of PPO that no trial is stopped before; of the trials that get
    to a rung, one in ``reduction_factor`` goes on.
    """

    grace_steps: int = Field(ge=1)
    reduction_factor: int = Field(3, ge=2)


class SweepConfig(Section):
    """A sweep file.

    ``set`` are options of all trials, over those of ``base``; ``space`` those that differ.
    ``trials`` is the number of runs, points times ``seeds``; a grid alone needs none.
    ``points_at_once`` is for ``tpe``: a point is chosen by the results of all points but so many
    before it, whichever ends first.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    base: str = "ppo.yaml"
    set: dict[str, Any] = Field(default_factory=dict)
    space: dict[str, Any] = Field(default_factory=dict)
    seeds: int = Field(1, ge=1)
    trials: int | None = Field(None, ge=1)
    searcher: Literal["random", "tpe"] = "random"
    search_seed: int = Field(0, ge=0, lt=2**31)
    points_at_once: int = Field(2, ge=1)
    scheduler: Literal["none", "asha"] = "none"
    asha: AshaConfig | None = None
    storage: str = "runs/sweeps"


@dataclass(frozen=True)
class Trial:
    """One run of a sweep; ``name`` is that of its folder, ``options`` are those of the space."""

    name: str
    point: int
    seed: int
    options: Point
    config: Config


@dataclass(frozen=True)
class Sweep:
    """A sweep that has been checked.

    ``base`` is what all trials share; ``points`` is None where a searcher chooses them by the
    results.
    """

    config: SweepConfig
    base: Config
    domains: tuple[Domain, ...]
    num_points: int
    points: list[Point] | None
    word_list: WordList

    @property
    def num_trials(self) -> int:
        """Points times seeds."""
        return self.num_points * self.config.seeds

    def recipe(self, options: Point) -> Config:
        """Return the base recipe with the options of a point.

        Raises
        ------
        InputError
            If it is no recipe.
        """
        values = self.base.model_dump()
        for key, value in options.items():
            apply_override(values, f"{key}={json.dumps(value)}")
        return validate(Config, values, "space " + describe_point(options))

    def trials_of(self, number: int, options: Point) -> list[Trial]:
        """Return the trials of a point, one per seed."""
        recipe = self.recipe(options)
        return [
            Trial(
                f"point_{number:03d}_seed_{seed}",
                number,
                seed,
                options,
                recipe.model_copy(
                    update={"name": self.config.name, "seed": seed, "final_split": "valid"}
                ),
            )
            for seed in range(self.base.seed, self.base.seed + self.config.seeds)
        ]

    def most_threads(self) -> int:
        """Return the most threads that a trial asks for."""
        points = self.points or corners(self.domains)
        return max(self.recipe(options).threads for options in points)

    def write(self, folder: Path) -> None:
        """Write what :func:`load_sweep` needs to go on, whatever becomes of the files it was from.

        Raises
        ------
        OSError
            If the folder cannot be written.
        """
        described = self.config.model_dump(exclude_none=True) | {"base": BASE_NAME, "set": {}}
        (folder / BASE_NAME).write_text(dump_config(self.base), encoding="utf-8")
        if self.base.words != DEFAULT_SOURCE:
            (folder / WORDS_NAME).write_bytes(Path(self.base.words).read_bytes())
        # Last: where it is, the others are.
        text = yaml.safe_dump(described, sort_keys=False)
        (folder / SWEEP_NAME).write_text(text, encoding="utf-8")


def describe_point(options: Point) -> str:
    """Return ``ppo.epochs=4 ppo.clip_range=0.2``, for people."""
    return " ".join(
        f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in options.items()
    )


def load_sweep(
    path: Path,
    overrides: Sequence[str] = (),
    words: str | None = None,
    name: str | None = None,
    base: Path | None = None,
    words_copy: Path | None = None,
) -> Sweep:
    """Read a sweep file and check all of it.

    Parameters
    ----------
    path : Path
    overrides : sequence of str
        Each ``key.sub=value`` of the recipe, or ``sweep.key=value`` of the sweep file.
    words : str, optional
        A word list instead of the recipe's.
    name : str, optional
        Instead of the file's.
    base : Path, optional
        The base recipe instead of the file's.
    words_copy : Path, optional
        Where the words of the recipe's list are read instead of there.

    Raises
    ------
    InputError
        If a key is unknown, a value is not allowed, the space is none, or the budget does not do.
    """
    values = read_options(path)
    recipe = []
    for override in overrides:
        if override.startswith(_PREFIX):
            apply_override(values, override.removeprefix(_PREFIX))
        else:
            recipe.append(override)
    if name is not None:
        values["name"] = name
    config = validate(SweepConfig, values, path)
    try:
        domains = read_space(config.space)
        _check_keys(config)
        given = [f"{key}={json.dumps(value)}" for key, value in config.set.items()]
        shared = load_config(base or find_config(config.base), [*given, *recipe])
        shared = shared.with_words(shared.words if words is None else words)
        num_points = _count_points(config, domains)
        points = None
        if config.searcher == "random":
            points = random_points(domains, num_points, config.search_seed)
        word_list = replace(load_word_list(words_copy or shared.words), source=shared.words)
        sweep = Sweep(config, shared, domains, num_points, points, word_list)
        _check_points(sweep)
    except InputError as error:
        # Errors of a recipe name its file; all others are of this one.
        raise InputError(f"{path}: {error}") from error
    return sweep


def _check_keys(config: SweepConfig) -> None:
    for key in (*config.set, *config.space):
        if key in _OWN_KEYS and not (key in ("words", "seed") and key in config.set):
            raise InputError(f"{key}: a sweep sets this itself, in every trial")
    for key in config.space:
        clash = [other for other in config.space if other.startswith(f"{key}.")]
        if clash:
            raise InputError(f"space.{key}: is a section of which space has {clash[0]}")
    if (config.scheduler == "asha") != (config.asha is not None):
        raise InputError(
            "scheduler: asha needs the section asha, for example {grace_steps: 20000}"
            if config.asha is None
            else f"asha: is for scheduler asha, not {config.scheduler}"
        )


def _count_points(config: SweepConfig, domains: tuple[Domain, ...]) -> int:
    size = len(grid_points(domains))
    is_grid = all(domain.kind == "grid" for domain in domains)
    if config.searcher == "tpe":
        if not domains or any(domain.kind == "grid" for domain in domains):
            raise InputError("space: tpe chooses values itself; use choice instead of grid")
    elif is_grid:
        needed = size * config.seeds
        if config.trials not in (None, needed):
            raise InputError(
                f"trials: {config.trials} is not allowed (the grid has {size:,} points of "
                f"{config.seeds} seeds, {needed:,} trials)"
            )
        return size
    if config.trials is None:
        raise InputError("trials: a budget is needed where values are drawn")
    points, rest = divmod(config.trials, config.seeds)
    if rest or points % size:
        raise InputError(
            f"trials: {config.trials} is not a multiple of {size * config.seeds:,} "
            f"({config.seeds} seeds of {size:,} points of the grid)"
        )
    return points


def _check_points(sweep: Sweep) -> None:
    """Validate every point as far as it is known, as ``train.py`` would."""
    splits = set()
    for options in [*corners(sweep.domains), *(sweep.points or ())]:
        config = sweep.recipe(options)
        reward_of(config)
        split = (str(config.split), config.env.min_length, config.env.max_length)
        if split not in splits:
            splits.add(split)
            words = split_words(config, sweep.word_list)
            for part in ("train", "valid"):
                words.part(part)
        if sweep.config.asha is not None and config.ppo.steps < sweep.config.asha.grace_steps:
            raise InputError(
                f"asha.grace_steps: {sweep.config.asha.grace_steps} is above ppo.steps "
                f"({config.ppo.steps})"
            )
