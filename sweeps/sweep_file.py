"""Sweep files: a base recipe, a search space and seeds, with validation."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import WordList, load_word_list
from hangman_lab.run_files.config import Config, PathText, find_config, load_config
from hangman_lab.run_files.directory import checksum
from hangman_lab.run_files.options import Section, apply_override, read_options, set_value, validate
from hangman_lab.run_files.words import split_words
from hangman_lab.training.learners.base import reward_of

SWEEP_FILE = "sweep.yaml"  # in the folder of a sweep
# Search-space functions of Ray Tune.
LISTS = ("grid_search", "choice")
_Kind = Literal["grid_search", "choice", "uniform", "loguniform", "randint", "lograndint"]
_Values = Annotated[list[Any], Field(min_length=1)]
# A sweep sets these options itself; trials are compared on valid words.
_RESERVED_KEYS = ("seed", "words", "final_split", "name")
_MAX_TRIALS = 10_000
# `--set` options with this prefix change the sweep file instead of the base recipe.
_PREFIX = "sweep."


class SweepConfig(Section):
    """A sweep file.

    ``set`` overrides options of ``base`` in all trials; ``space`` has the options that vary.
    ``samples`` is the number of samples from the space per combination of its grids; the seed of
    ``base`` is also that of the samples.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$")
    base: str = "ppo.yaml"
    set: dict[str, Any] = Field(default_factory=dict)
    space: dict[str, Annotated[dict[_Kind, _Values], Field(min_length=1, max_length=1)]] = Field(
        default_factory=dict
    )
    seeds: int = Field(default=1, ge=1)
    samples: int = Field(default=1, ge=1)
    storage: PathText = "runs/sweeps"

    @property
    def axes(self) -> dict[str, tuple[str, list[Any]]]:
        """The kind and the values of each option of the space."""
        return {key: next(iter(described.items())) for key, described in self.space.items()}

    @property
    def num_trials(self) -> int:
        """The number of trials: samples times grid combinations times seeds."""
        grids = (len(values) for kind, values in self.axes.values() if kind == "grid_search")
        return math.prod(grids) * self.samples * self.seeds


class Sweep(Section):
    """A validated sweep, the content of ``sweep.yaml`` in its folder."""

    config: SweepConfig
    base: Config  #: The common recipe of all trials.
    words_checksum: int

    def recipe(self, options: dict[str, Any]) -> Config:
        """Return the recipe of a point of the space; raise InputError if it is invalid."""
        values, point = self.base.model_dump(), {key: options[key] for key in self.config.space}
        for key, value in point.items():
            set_value(values, key, value)
        described = " ".join(f"{key}={value}" for key, value in point.items())
        return validate(Config, values, f"space {described}")

    def trial_config(self, options: dict[str, Any], seed: int) -> Config:
        """Return the config of a trial: the recipe of a point with a seed, on valid words."""
        update = {"name": self.config.name, "seed": self.base.seed + seed, "final_split": "valid"}
        return self.recipe(options).model_copy(update=update)

    def variants(self) -> Iterator[Config]:
        """Yield recipes with each listed value and interval bound, one option changed at a time."""
        values = {key: _extremes(key, *axis) for key, axis in self.config.axes.items()}
        first = {key: extremes[0] for key, extremes in values.items()}
        yield self.recipe(first)
        for key, extremes in values.items():
            for value in extremes[1:]:
                yield self.recipe(first | {key: value})


def _extremes(key: str, kind: str, values: list[Any]) -> list[Any]:
    """Return all values of a list, or the bounds of an interval; InputError if it has none."""
    if kind in LISTS:
        return values
    is_integer = kind.endswith("randint")
    types = (int,) if is_integer else (int, float)
    numbers = [value for value in values if type(value) in types and abs(value) < 2**63]
    if len(values) != 2 or len(numbers) != 2 or not numbers[0] < numbers[1]:
        what = "two whole numbers" if is_integer else "two numbers"
        raise InputError(f"space.{key}: {kind} {values!r} is not [low, high], {what}, low first")
    low, high = numbers
    if kind.startswith("log") and low <= 0:
        raise InputError(f"space.{key}: {kind} {values!r} is not above 0")
    # As in Tune, integer intervals exclude their upper bound.
    return [low, high - 1] if is_integer else [float(low), float(high)]


def load_sweep(
    path: Path, overrides: Sequence[str] = (), words: str | None = None, name: str | None = None
) -> Sweep:
    """Load a sweep file; raise InputError if a key or a value is invalid.

    An override is ``key.sub=value`` for the recipe, or ``sweep.key=value`` for the sweep file.
    ``words`` and ``name`` replace the word list of the recipe and the name of the sweep.
    """
    values, given = read_options(path), {}
    recipe = [override for override in overrides if not override.startswith(_PREFIX)]
    for override in overrides:
        if override not in recipe:
            given[apply_override(values, override.removeprefix(_PREFIX))] = f"--set {override}"
    if name is not None:
        values["name"], given["name"] = name, f"--name {name}"
    config = validate(SweepConfig, values, path, given)
    try:
        _check_keys(config)
        common = [f"{key}={json.dumps(value)}" for key, value in config.set.items()]
        given = {key: f"set.{key}" for key in config.set}
        given |= {text.partition("=")[0]: f"--set {text}" for text in recipe}
        base = load_config(find_config(config.base), [*common, *recipe], given)
        base = base if words is None else base.with_words(words)
        validate(Config, base.model_dump() | {"seed": base.seed + config.seeds - 1}, "seeds")
        word_list = load_word_list(base.words)
        sweep = Sweep(config=config, base=base, words_checksum=checksum(word_list.words))
        _check_variants(sweep, word_list)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return sweep


def read_sweep(path: Path) -> Sweep:
    """Read a written sweep; raise InputError if it is invalid or its word list has changed."""
    sweep = validate(Sweep, read_options(path), path)
    if checksum(load_word_list(sweep.base.words).words) != sweep.words_checksum:
        raise InputError(f"{sweep.base.words}: the word list has changed since the sweep started")
    return sweep


def _check_keys(config: SweepConfig) -> None:
    for key in (*config.set, *config.space):
        if key in _RESERVED_KEYS and not (key in ("words", "seed") and key in config.set):
            raise InputError(f"{key}: set by the sweep in every trial")
    if "://" in config.storage:
        raise InputError(f"storage: {config.storage!r} is not allowed (a folder, no URI)")
    if (trials := config.num_trials) > _MAX_TRIALS:
        raise InputError(f"seeds, samples, space: {trials:,} trials are more than {_MAX_TRIALS:,}")
    if config.samples > 1 and all(kind == "grid_search" for kind, _ in config.axes.values()):
        raise InputError(f"samples: {config.samples} is not allowed (a grid has nothing to draw)")


def _check_variants(sweep: Sweep, word_list: WordList) -> None:
    """Validate the options like ``train.py``, and the words of each split."""
    splits = {}
    for config in sweep.variants():
        reward_of(config)
        splits[repr((config.split, config.env))] = config
    for config in splits.values():
        words = split_words(config, word_list)
        for part in ("train", "valid"):
            words.part(part)
