"""Running a sweep as a ``tune.Tuner``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import optuna
import ray
from ray import tune
from ray.exceptions import RayActorError
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search import BasicVariantGenerator, ConcurrencyLimiter, Repeater
from ray.tune.search.optuna import OptunaSearch
from ray.tune.search.repeater import TRIAL_INDEX
from rich.console import Console

from hangman_lab.run_files.config import Config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.run_files.words import load_words
from hangman_lab.sweeps.folder import SweepFolder
from hangman_lab.sweeps.sweep_file import LISTS, Sweep
from hangman_lab.training.posterior import Fitted, fit_posterior
from hangman_lab.training.run import resume, train

METRIC, STEP, SEED = "win_rate", "step", "seed"
# Final win rates besides that of the policy on unseen words: the kind of words in the evaluation,
# and the agent, None for the policy.
FINAL_RATES = {
    "known_win_rate": ("known", None),
    "excluded_win_rate": ("excluded", None),
    "look_ahead_win_rate": ("unseen", "look-ahead"),
    "posterior_win_rate": ("unseen", "posterior"),
}
# A failed trial is retried this often, from its last checkpoint.
_MAX_FAILURES = 3


class _PosteriorFile:
    """A fitted posterior as the content of its file."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def save(self, path: Path) -> None:
        """Write the file."""
        path.write_bytes(self._content)


def _posterior_key(config: Config) -> str:
    """Return the options that determine a posterior."""
    lengths = (config.env.min_length, config.env.max_length)
    return repr((config.words, config.split, lengths, config.seed, config.threads))


def _fit_files(config: Config) -> tuple[bytes, bytes]:
    """Fit the posteriors of a run; return the content of their files."""
    numba.set_num_threads(min(config.threads, numba.config.NUMBA_NUM_THREADS))
    contents = []
    with tempfile.TemporaryDirectory() as folder:
        for posterior in fit_posterior(load_words(config).part("train"), config.seed):
            path = Path(folder) / "posterior"
            posterior.save(path)
            contents.append(path.read_bytes())
    return tuple(contents)


def fit_posteriors(sweep: Sweep) -> dict[str, ray.ObjectRef]:
    """Fit the posterior of each seed and split on Ray; return references to the files by key."""
    configs = {}
    for options in sweep.corners():
        for seed in range(sweep.config.seeds):
            config = sweep.trial_config(options, seed)
            if config.posterior.enabled:
                configs[_posterior_key(config)] = config
    fit = ray.remote(_fit_files)
    tasks = {
        key: fit.options(num_cpus=config.threads).remote(config) for key, config in configs.items()
    }
    # Owned by this process, so that they outlive the machine that fitted them.
    return {key: ray.put(ray.get(task)) for key, task in tasks.items()}


def run_trial(
    config: dict[str, Any],
    sweep: Sweep,
    posteriors: dict[str, ray.ObjectRef],
    command: Sequence[str],
) -> None:
    """Train a run, or resume it from a checkpoint, and report to Tune.

    A checkpoint is the whole run directory. ``config`` has the options of a point and the seed,
    chosen by Tune; ``command`` is the command line of the sweep, for ``command.txt`` of the run.
    """
    sys.argv = list(command)
    recipe = sweep.trial_config(config, config[SEED] + config.get(TRIAL_INDEX, 0))

    def fit(words: Sequence[str], seed: int, say: Callable[[str], None]) -> Fitted:
        key = _posterior_key(recipe)
        # The corners of an interval do not cover all splits.
        if key not in posteriors:
            return fit_posterior(words, seed, say)
        return Fitted(*map(_PosteriorFile, ray.get(posteriors[key])))

    def report(step: int, win_rate: float, run: RunDirectory, **metrics: Any) -> None:
        checkpoint = tune.Checkpoint.from_directory(str(run.path))
        tune.report({STEP: step, METRIC: win_rate, **metrics}, checkpoint=checkpoint)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        console, checkpoint = Console(quiet=True), tune.get_checkpoint()
        if checkpoint is None:
            run, evaluation = train(recipe, console, path, fit=fit, on_validation=report)
        else:
            checkpoint.to_directory(str(path))
            run, evaluation = resume(path, console, fit=fit, on_validation=report)
        final = {"unseen": evaluation, **evaluation}
        rates = {
            name: final[kind]["agents"][agent or recipe.algorithm]["win_rate"]
            for name, (kind, agent) in FINAL_RATES.items()
            # PPO alone has no posterior, and no games with known words excluded.
            if (agent or recipe.algorithm) in final.get(kind, {}).get("agents", {})
        }
        policy = evaluation["agents"][recipe.algorithm]
        report(recipe.ppo.steps, policy["win_rate"], run, games=policy["games"], **rates)


def _space(sweep: Sweep) -> dict[str, Any]:
    """Return Tune's search space: the space of the sweep file, and the seeds."""
    space: dict[str, Any] = {}
    for key, described in sweep.config.space.items():
        ((kind, values),) = described.items()
        function = getattr(tune, kind)
        space[key] = function(values) if kind in LISTS else function(*values)
    is_repeated = sweep.config.searcher == "tpe"
    return space | {SEED: 0 if is_repeated else tune.grid_search([*range(sweep.config.seeds)])}


def _tune_config(sweep: Sweep) -> tune.TuneConfig:
    config = sweep.config
    if config.searcher == "tpe":
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        search = OptunaSearch(metric=METRIC, mode="max", seed=config.search_seed)
        if config.seeds > 1:
            search = Repeater(search, repeat=config.seeds)
        search = ConcurrencyLimiter(search, max_concurrent=config.max_concurrent)
    else:
        # All seeds of a point have the same values.
        search = BasicVariantGenerator(constant_grid_search=True, random_state=config.search_seed)
    scheduler = config.asha and ASHAScheduler(
        time_attr=STEP,
        # Tune must not stop a trial after its last step, before its final games.
        max_t=2**62,
        grace_period=config.asha.grace_steps,
        reduction_factor=config.asha.reduction_factor,
    )
    return tune.TuneConfig(
        metric=METRIC,
        mode="max",
        search_alg=search,
        scheduler=scheduler,
        num_samples=config.samples * (config.seeds if config.searcher == "tpe" else 1),
        reuse_actors=True,
    )


def _make_tuner(sweep: Sweep, folder: SweepFolder) -> tune.Tuner:
    """Return the tuner of a sweep, restored if its folder has Tune's files."""
    shared = {"sweep": sweep, "posteriors": fit_posteriors(sweep), "command": sys.argv}
    trainable = tune.with_resources(
        tune.with_parameters(run_trial, **shared),
        lambda config: {"cpu": sweep.recipe(config).threads},
    )
    address, space = folder.address, _space(sweep)
    if tune.Tuner.can_restore(address):
        tuner = tune.Tuner.restore(address, trainable, resume_errored=True, param_space=space)
        # If it was killed before Tune had written its state, the trials start again.
        with suppress(RuntimeError):
            tuner.get_results()
            return tuner
    storage, _, name = address.rpartition("/")
    return tune.Tuner(
        trainable,
        param_space=space,
        tune_config=_tune_config(sweep),
        run_config=tune.RunConfig(
            name=name,
            storage_path=storage,
            failure_config=tune.FailureConfig(max_failures=_MAX_FAILURES),
            # Tune deletes the oldest one before its state names the latest: were a single one
            # kept, a sweep killed in between would have none.
            checkpoint_config=tune.CheckpointConfig(num_to_keep=2),
            verbose=1,
        ),
    )


def run_sweep(sweep: Sweep, folder: SweepFolder) -> tune.ResultGrid:
    """Run the unfinished trials; raise KeyboardInterrupt after Ctrl-C, when Tune has stopped."""
    results = _make_tuner(sweep, folder).fit()
    # Tune fails a trial for good if the loss of its node is reported twice.
    if any(isinstance(error, RayActorError) for error in results.errors):
        results = _make_tuner(sweep, folder).fit()
    # A finished trial has reported its games; a trial stopped by the scheduler is done.
    ended = [r for r in results if r.error or r.metrics.keys() & {"games"} or r.metrics.get("done")]
    if len(ended) < sweep.num_trials:
        raise KeyboardInterrupt
    return results
