"""Running a sweep as a ``tune.Tuner``."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from filelock import FileLock, Timeout
from ray import tune
from ray.exceptions import RayActorError
from ray.tune.search import BasicVariantGenerator
from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import load_words
from hangman_lab.sweeps.results import METRIC, final_rates
from hangman_lab.sweeps.sweep_file import LISTS, SWEEP_FILE, Sweep, read_sweep
from hangman_lab.training.posterior import fit_posterior
from hangman_lab.training.run import resume, train, use_threads

SEED = "seed"
# Retries of a failed trial, each from its last checkpoint.
_MAX_FAILURES = 3
# Processes of a killed driver, or on a machine that Ray has lost, end within a minute or two.
_LOCK_SECONDS = 300


class _DistinctTrials(BasicVariantGenerator):
    """Yields no point and seed twice, although draws can be equal."""

    yielded: tuple[Any, ...] = ()

    def next_trial(self) -> Any:
        """Return the next trial, or None."""
        while trial := super().next_trial():
            if trial.config not in self.yielded:
                self.yielded += (trial.config,)
                break
        return trial


def shared_posteriors(config: Config, folder: Path) -> Path | None:
    """Return the folder of a trial's cached posteriors, after fitting missing ones, or None."""
    if config.learner.kind != "posterior":
        return None
    # The cache key: all that posteriors depend on, except the words, which are those of the sweep.
    options = (config.split, config.env.min_length, config.env.max_length)
    key = repr((*options, config.seed, config.threads))
    run = RunDirectory(folder / "posteriors" / hashlib.sha256(key.encode()).hexdigest()[:16])
    if not run.held_back_posterior.exists():  # the file that is written last
        run.path.mkdir(parents=True, exist_ok=True)
        use_threads(config)
        fit_posterior(load_words(config).part("train"), config.seed).save(run)
    return run.path


def run_trial(config: dict[str, Any], folder: Path, command: Sequence[str]) -> None:
    """Train a run, resume it from its checkpoint, or read it if it has ended, and report to Tune.

    ``config`` has the options of a point and the seed, chosen by Tune. ``folder`` is that of the
    sweep; ``command`` is its command line, for ``command.txt`` of the run.
    """
    sys.argv = list(command)
    sweep = read_sweep(folder / SWEEP_FILE)
    recipe, console = sweep.trial_config(config, config[SEED]), Console(quiet=True)
    point = json.dumps({key: config[key] for key in sweep.config.space})
    key = repr((point, recipe.seed))
    run = RunDirectory(folder / "runs" / hashlib.sha256(key.encode()).hexdigest()[:16])

    def report(step: int, win_rate: float, run: RunDirectory, **metrics: Any) -> None:
        trial = {"point": point, SEED: recipe.seed, "run": run.path.name}
        tune.report(trial | {"step": step, METRIC: win_rate} | metrics)

    try:  # outside the run's folder, which is still to be made
        lock = FileLock(f"{run.path}.lock", timeout=_LOCK_SECONDS).acquire()
    except Timeout:
        raise InputError(f"{run.path}: another process still trains it") from None
    with lock:
        if run.evaluation.is_file():
            evaluation = json.loads(run.evaluation.read_text())
        elif run.checkpoint.is_file():
            _, evaluation = resume(run.path, console, on_validation=report)
        else:
            if run.path.exists():  # killed before its first checkpoint
                shutil.rmtree(run.path)
            fitted = shared_posteriors(recipe, folder)
            _, evaluation = train(
                recipe, console, run.path, posteriors=fitted, on_validation=report
            )
    name = recipe.learner.agents[0]
    rates, policy = final_rates(evaluation, name), evaluation["agents"][name]
    report(recipe.learner.total_steps, policy["win_rate"], run, games=policy["games"], **rates)


def _fit(sweep: Sweep, folder: Path) -> tune.ResultGrid:
    """Run all trials, without the state of earlier calls: a trial resumes from its own files."""
    shutil.rmtree(folder / "tune", ignore_errors=True)
    space = {
        key: getattr(tune, kind)(*([values] if kind in LISTS else values))
        for key, (kind, values) in sweep.config.axes.items()
    }
    return tune.Tuner(
        tune.with_resources(
            tune.with_parameters(run_trial, folder=folder, command=sys.argv),
            lambda config: tune.PlacementGroupFactory([{"CPU": sweep.recipe(config).threads}]),
        ),
        param_space=space | {SEED: tune.grid_search([*range(sweep.config.seeds)])},
        tune_config=tune.TuneConfig(
            metric=METRIC,
            mode="max",
            # All seeds of a point have the same values.
            search_alg=_DistinctTrials(constant_grid_search=True, random_state=sweep.base.seed),
            num_samples=sweep.config.samples,
            reuse_actors=True,
        ),
        run_config=tune.RunConfig(
            name="tune",
            storage_path=str(folder),
            failure_config=tune.FailureConfig(max_failures=_MAX_FAILURES),
        ),
    ).fit()


def run_sweep(sweep: Sweep, folder: Path) -> tuple[pd.DataFrame, int]:
    """Run the unfinished trials; raise KeyboardInterrupt after Ctrl-C, when Tune has stopped.

    Returns the last report of each trial that has reported, and the number of failed trials.
    """
    results = _fit(sweep, folder)
    # Tune does not retry a trial if the loss of its node is reported twice.
    if any(isinstance(error, RayActorError) for error in results.errors):
        results = _fit(sweep, folder)
    trials = results.get_dataframe()
    # A finished trial has reported its games.
    num_finished = trials.reindex(columns=["games"]).games.notna().sum()
    if num_finished + results.num_errors < len(results):
        raise KeyboardInterrupt
    return trials, results.num_errors
