"""Running a sweep as a ``tune.Tuner``."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
from ray import tune
from ray.exceptions import RayActorError
from ray.tune.search import BasicVariantGenerator
from rich.console import Console

from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import load_words
from hangman_lab.sweeps.results import METRIC, final_rates
from hangman_lab.sweeps.sweep_file import LISTS, Sweep
from hangman_lab.training.posterior import fit_posterior
from hangman_lab.training.run import resume, train, use_threads

SEED = "seed"
# Retries of a failed trial, each from its last checkpoint.
_MAX_FAILURES = 3


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


def run_trial(config: dict[str, Any], sweep: Sweep, folder: Path, command: Sequence[str]) -> None:
    """Train a run, or resume it from a checkpoint, and report to Tune.

    A checkpoint is the whole run directory. ``config`` has the options of a point and the seed,
    chosen by Tune; ``command`` is the command line of the sweep, for ``command.txt`` of the run.
    """
    sys.argv = list(command)
    recipe = sweep.trial_config(config, config[SEED])
    point = json.dumps({key: config[key] for key in sweep.config.space})

    def report(step: int, win_rate: float, run: RunDirectory, **metrics: Any) -> None:
        metrics |= {"point": point, SEED: recipe.seed, "step": step, METRIC: win_rate}
        checkpoint = tune.Checkpoint.from_directory(str(run.path))
        checkpoint.set_metadata({"files": _files_in(run.path)})
        tune.report(metrics, checkpoint=checkpoint)

    with tempfile.TemporaryDirectory() as temporary:
        path, console = Path(temporary) / "run", Console(quiet=True)
        if _restore(tune.get_checkpoint(), path):
            run, evaluation = resume(path, console, on_validation=report)
        else:
            fitted = shared_posteriors(recipe, folder)
            run, evaluation = train(recipe, console, path, posteriors=fitted, on_validation=report)
        name = recipe.learner.agents[0]
        rates, policy = final_rates(evaluation, name), evaluation["agents"][name]
        report(recipe.learner.total_steps, policy["win_rate"], run, games=policy["games"], **rates)


def _restore(checkpoint: tune.Checkpoint | None, path: Path) -> bool:
    """Copy a checkpoint to a folder; return whether there is one, with all its files.

    Tune's state, written every ten seconds, can name one that Tune had begun to delete when it was
    killed.
    """
    if checkpoint is not None:
        with suppress(OSError):
            checkpoint.to_directory(str(path))
            return checkpoint.get_metadata().get("files") == _files_in(path)
    return False


def _files_in(path: Path) -> list[str]:
    """Return the files of a run, except hidden ones."""
    files = (file.relative_to(path) for file in path.rglob("*") if file.is_file())
    return sorted(str(file) for file in files if not file.name.startswith("."))


def _make_tuner(sweep: Sweep, folder: Path) -> tune.Tuner:
    """Return the tuner of a sweep, restored if its folder has Tune's files."""
    trainable = tune.with_resources(
        tune.with_parameters(run_trial, sweep=sweep, folder=folder, command=sys.argv),
        lambda config: tune.PlacementGroupFactory([{"CPU": sweep.recipe(config).threads}]),
    )
    space = {
        key: getattr(tune, kind)(*([values] if kind in LISTS else values))
        for key, (kind, values) in sweep.config.axes.items()
    }
    space[SEED] = tune.grid_search([*range(sweep.config.seeds)])
    if tune.Tuner.can_restore(str(folder)):
        tuner = tune.Tuner.restore(str(folder), trainable, resume_errored=True, param_space=space)
        # Without results, Tune was killed before it wrote its state: the trials start again.
        with suppress(RuntimeError):
            tuner.get_results()
            return tuner
    return tune.Tuner(
        trainable,
        param_space=space,
        tune_config=tune.TuneConfig(
            metric=METRIC,
            mode="max",
            # All seeds of a point have the same values.
            search_alg=BasicVariantGenerator(
                constant_grid_search=True, random_state=sweep.base.seed
            ),
            num_samples=sweep.config.samples,
            reuse_actors=True,
        ),
        run_config=tune.RunConfig(
            name=folder.name,
            storage_path=str(folder.parent),
            failure_config=tune.FailureConfig(max_failures=_MAX_FAILURES),
            # Tune's state may name an earlier one than the last.
            checkpoint_config=tune.CheckpointConfig(num_to_keep=5),
            verbose=1,
        ),
    )


def run_sweep(sweep: Sweep, folder: Path) -> tuple[pd.DataFrame, int]:
    """Run the unfinished trials; raise KeyboardInterrupt after Ctrl-C, when Tune has stopped.

    Returns the last report of each trial that has reported, and the number of failed trials.
    """
    results = _make_tuner(sweep, folder).fit()
    # Tune does not retry a trial if the loss of its node is reported twice.
    if any(isinstance(error, RayActorError) for error in results.errors):
        results = _make_tuner(sweep, folder).fit()
    trials = results.get_dataframe()
    # A finished trial has reported its games.
    num_finished = trials.reindex(columns=["games"]).games.notna().sum()
    if num_finished + results.num_errors < sweep.config.num_trials:
        raise KeyboardInterrupt
    return trials, results.num_errors
