"""A sweep on Ray Tune: hands trials to Ray, and follows them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ray
from ray import tune
from ray.tune.callback import Callback
from ray.tune.schedulers import ASHAScheduler, TrialScheduler
from ray.tune.search import Searcher
from ray.tune.search.optuna import OptunaSearch

from runs.directory import write_text
from sweeps.posterior_cache import code_version
from sweeps.progress import SweepProgress
from sweeps.results import FINISHED, INTERRUPTED, STOPPED, status_of, trial_value
from sweeps.schedule import Schedule
from sweeps.space import Domain, Point
from sweeps.storage import LARGE, Storage
from sweeps.sweep_file import Sweep, Trial
from sweeps.trial import ERROR_NAME, STOPPED_NAME, TRIALS, read_reports, run_trial
from training.tensorboard import TrainingLog, flatten

METRIC = "win_rate"
STEP = "step"
# So often a trial is begun again that was lost with its process or machine.
_MAX_LOSSES = 10
_TUNE_FOLDER = "tune"
Body = Callable[..., None]


class OptunaPoints:
    """Optuna's TPE, through Ray's integration."""

    def __init__(self, domains: tuple[Domain, ...], seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        # Ray takes a slash for a section.
        self._search = OptunaSearch(
            OptunaSearch.convert_search_space({d.key: _tune_domain(d) for d in domains}),
            metric=METRIC,
            mode="max",
            sampler=optuna.samplers.TPESampler(seed=seed),
        )
        # Optuna knows numbers and texts; a list is chosen by its place.
        self._choices = {d.key: d.values for d in domains if d.kind == "choice"}

    def ask(self, number: int) -> Point:
        """Return the point of that number."""
        chosen = self._search.suggest(str(number))
        return {
            key: self._choices[key][value] if key in self._choices else value
            for key, value in chosen.items()
        }

    def tell(self, number: int, value: float | None) -> None:
        """Take in the value of a point."""
        result = None if value is None else {METRIC: value}
        self._search.on_trial_complete(str(number), result, error=value is None)


def _tune_domain(domain: Domain) -> Any:
    if domain.kind == "choice":
        return tune.choice(range(len(domain.values)))
    low, high = domain.values
    if domain.is_integer:
        return (tune.lograndint if domain.kind == "loguniform" else tune.randint)(low, high + 1)
    return (tune.loguniform if domain.kind == "loguniform" else tune.uniform)(low, high)


class _NotKept:
    """Mixed in where Tune would write its objects for a way to resume that is not used here."""

    def __getstate__(self) -> dict[str, Any]:
        return {}


class _Trials(_NotKept, Searcher):
    """Hands the trials of a schedule to Tune."""

    def __init__(self, schedule: Schedule) -> None:
        super().__init__(metric=METRIC, mode="max")
        self._schedule = schedule

    def set_search_properties(self, metric: str, mode: str, config: dict, **spec: Any) -> bool:
        return True

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        try:
            trial = self._schedule.next()
        except StopIteration:
            return Searcher.FINISHED
        if trial is None:
            return None
        return {"name": trial.name, "config": trial.config.model_dump()}

    def on_trial_complete(
        self, trial_id: str, result: dict | None = None, error: bool = False
    ) -> None:
        """Do nothing: the schedule looks into the trials' folders."""

    def save(self, checkpoint_path: str) -> None:
        """Do nothing: a sweep goes on from its trials' folders."""

    restore = save


class _Watch(_NotKept, Callback):
    """Brings results here as trials end, marks what the scheduler stopped, and shows it."""

    def __init__(self, storage: Storage, progress: SweepProgress, schedule: Schedule) -> None:
        self._storage = storage
        self._progress = progress
        self._schedule = schedule

    def _find(self, tune_trial: Any) -> Trial:
        name = tune_trial.config["name"]
        return next(trial for trial in reversed(self._schedule.trials) if trial.name == name)

    def on_trial_start(self, iteration: int, trials: list, trial: Any, **info: Any) -> None:
        self._progress.started(self._find(trial))

    def on_trial_result(
        self, iteration: int, trials: list, trial: Any, result: dict, **info: Any
    ) -> None:
        self._progress.reported(self._find(trial), result[STEP], result[METRIC])

    def on_trial_recover(self, iteration: int, trials: list, trial: Any, **info: Any) -> None:
        self._progress.lost(self._find(trial))

    def on_trial_complete(self, iteration: int, trials: list, trial: Any, **info: Any) -> None:
        found, folder = self._fetch(trial)
        if status_of(folder) == INTERRUPTED:
            _mark_stopped(found, folder)
            self._storage.send(f"{TRIALS}/{found.name}")
        self._progress.ended(found, folder)

    def on_trial_error(self, iteration: int, trials: list, trial: Any, **info: Any) -> None:
        found, folder = self._fetch(trial)
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / ERROR_NAME, f"its process was lost {_MAX_LOSSES + 1} times\n")
        self._storage.send(f"{TRIALS}/{found.name}/{ERROR_NAME}")
        self._progress.ended(found, folder)

    def _fetch(self, tune_trial: Any) -> tuple[Trial, Path]:
        trial = self._find(tune_trial)
        name = f"{TRIALS}/{trial.name}"
        self._storage.fetch(name, LARGE)
        return trial, self._storage.folder / name


def _mark_stopped(trial: Trial, folder: Path) -> None:
    """Record that the scheduler ended a trial, and give it its line in TensorBoard's HParams."""
    step, win_rate = max(read_reports(folder).items())
    log = TrainingLog(folder, step + 1)
    log.hyperparameters(flatten(trial.config.model_dump()), {f"valid/{METRIC}": win_rate}, step)
    log.close()
    write_text(folder / STOPPED_NAME, json.dumps({"step": step, METRIC: win_rate}) + "\n")


def run_trials(
    sweep: Sweep, storage: Storage, progress: SweepProgress, body: Body = run_trial
) -> list[Trial]:
    """Run the trials that have not ended on Ray, which is running; return all trials.

    ``body`` is what a trial does; another one for simulations.
    """
    schedule = _schedule(sweep, storage)
    # So that a cluster's processes start at the same time, not one after the other.
    os.environ.setdefault(
        "TUNE_MAX_PENDING_TRIALS_PG", str(int(ray.cluster_resources().get("CPU", 1)))
    )
    trainable = tune.with_resources(
        partial(_trainable, body, storage.address, shlex.join(sys.argv), code_version()),
        lambda config: {"cpu": config["config"]["threads"]},
    )
    tuner = tune.Tuner(
        trainable,
        tune_config=tune.TuneConfig(
            search_alg=_Trials(schedule),
            scheduler=None if sweep.config.asha is None else _asha(sweep, storage),
            num_samples=sweep.num_trials,
            reuse_actors=True,
        ),
        run_config=tune.RunConfig(
            name=_TUNE_FOLDER,
            storage_path=storage.address,
            failure_config=tune.FailureConfig(max_failures=_MAX_LOSSES),
            callbacks=[_Watch(storage, progress, schedule)],
            verbose=0,
        ),
    )
    tuner.fit()
    shutil.rmtree(storage.folder / _TUNE_FOLDER, ignore_errors=True)
    return schedule.trials


def _schedule(sweep: Sweep, storage: Storage) -> Schedule:
    search = None
    if sweep.points is None:
        search = OptunaPoints(sweep.domains, sweep.config.search_seed)
    return Schedule(sweep, search, lambda trial: trial_value(storage.folder / TRIALS / trial.name))


def all_trials(sweep: Sweep, storage: Storage) -> list[Trial]:
    """Return the trials of a sweep in which all have ended."""
    schedule = _schedule(sweep, storage)
    with suppress(StopIteration):
        schedule.next()
    return schedule.trials


def _trainable(body: Body, address: str, command: str, code: str, config: dict[str, Any]) -> None:
    def report(step: int, win_rate: float) -> None:
        tune.report({STEP: step, METRIC: win_rate})

    body(address, config["name"], config["config"], command, code, report)


def _asha(sweep: Sweep, storage: Storage) -> TrialScheduler:
    """Return the scheduler, with what trials reported that ended before."""
    scheduler = ASHAScheduler(
        time_attr=STEP,
        metric=METRIC,
        mode="max",
        # No trial is stopped for having done all its steps: its last games come after them.
        max_t=2**62,
        grace_period=sweep.config.asha.grace_steps,
        reduction_factor=sweep.config.asha.reduction_factor,
    )
    for folder in sorted((storage.folder / TRIALS).glob("*")):
        if status_of(folder) in (FINISHED, STOPPED):
            past = SimpleNamespace(trial_id=f"past {folder.name}")
            scheduler.on_trial_add(None, past)
            for step, win_rate in sorted(read_reports(folder).items()):
                scheduler.on_trial_result(None, past, {STEP: step, METRIC: win_rate})
    return scheduler
