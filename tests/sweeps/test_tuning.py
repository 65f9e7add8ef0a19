"""Sweeps on a real Ray: with trials that only report, where no training run is needed."""

from pathlib import Path

import pytest

from hangman_lab.evaluation.ray_cluster import ray_cluster
from hangman_lab.sweeps.folder import SweepFolder
from hangman_lab.sweeps.report import SweepResults

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ray():
    with ray_cluster("local", "--address", object_store_bytes=2**27) as ray:
        yield ray


def make_trial(unlucky_seed, life):
    """Return what a trial does; made here, so that workers get it with its code."""

    def trial(config, sweep, posteriors, command):
        import os
        import signal

        from ray import tune

        if life and life.exists():
            life.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        if config.get("__trial_index__", config["seed"]) == unlucky_seed:
            raise ValueError("unlucky")
        win_rate = config["ppo.epochs"] / 100
        for step in (512, 1024, 1536):
            tune.report({"step": step, "win_rate": win_rate})
        tune.report({"step": 1536, "win_rate": win_rate, "games": 1})

    return trial


@pytest.fixture
def run(ray, monkeypatch):
    """Return a function: run a sweep of simulated trials and return its results."""
    from hangman_lab.sweeps import tuning

    monkeypatch.setattr(tuning, "fit_posteriors", lambda sweep: {})
    monkeypatch.setattr(tuning, "_MAX_FAILURES", 0)

    def run(sweep, folder, unlucky_seed=None, life=None):
        trial = make_trial(unlucky_seed, life)
        trial.__name__ = "run_trial"
        monkeypatch.setattr(tuning, "run_trial", trial)
        return SweepResults(sweep, tuning.run_sweep(sweep, folder))

    return run


def test_asha_stops_the_worst_trials(run, make_sweep):
    # The best ones come first, so that the rest is behind.
    sweep = make_sweep(
        space={"ppo.epochs": {"grid_search": [9, 8, 7, 3, 2, 1]}},
        asha={"grace_steps": 512, "reduction_factor": 2},
        seeds=1,
    )
    results = run(sweep, SweepFolder.create(sweep))
    statuses = results.trials.sort_values("trial")["status"]
    assert (statuses.iloc[0], statuses.iloc[-1]) == ("finished", "stopped")
    assert results.best == {"ppo.epochs": 9}


def test_all_seeds_of_a_sampled_point_have_its_values(run, make_sweep):
    space = {
        "ppo.epochs": {"grid_search": [1, 2]},
        "ppo.learning_rate": {"loguniform": [1e-4, 1e-1]},
    }
    sweep = make_sweep(space=space, samples=2)
    first, again = (run(sweep, SweepFolder.create(sweep)) for _ in range(2))
    assert (first.points["trials"] == 2).all()
    assert first.trials["ppo.learning_rate"].nunique() == 2
    assert set(first.points.index) == set(again.points.index)


def test_failed_trials_are_retried_on_resume(run, make_sweep):
    sweep = make_sweep(
        space={"ppo.epochs": {"choice": [1, 2]}}, samples=2, searcher="tpe", max_concurrent=2
    )
    folder = SweepFolder.create(sweep)
    failed = run(sweep, folder, unlucky_seed=1).trials
    assert set(failed[failed["seed"] == 0]["status"]) == {"finished"}
    assert set(failed[failed["seed"] == 1]["status"]) == {"failed"}
    results = run(sweep, folder)
    assert set(results.trials["status"]) == {"finished"}
    assert set(results.trials["trial"]) == set(failed["trial"])
    # Each point has both seeds, which Ray Tune's Repeater hands out.
    seeds = results.trials.groupby("point")["seed"]
    assert (seeds.sum() * 2 == seeds.size()).all()
    assert len(results.trials) == sweep.num_trials


def test_a_trial_that_lost_its_process_too_often_is_tried_again(run, make_sweep, tmp_path):
    life = tmp_path / "life"
    life.touch()
    sweep = make_sweep(space={"ppo.epochs": {"grid_search": [1]}}, seeds=1)
    trials = run(sweep, SweepFolder.create(sweep), life=life).trials
    assert set(trials["status"]) == {"finished"}
    assert not life.exists()


@pytest.mark.usefixtures("ray")
def test_trials_behind_a_uri_have_the_weights_of_train(make_sweep, tmp_path, undisturbed):
    from hangman_lab.sweeps.tuning import run_sweep

    sweep = make_sweep(
        space={"ppo.learning_rate": {"grid_search": [0.001, 0.01]}},
        seeds=1,
        storage=(tmp_path / "there").as_uri(),
    )
    results = run_sweep(sweep, SweepFolder.create(sweep))
    assert len(results) == 2
    for result in results:
        run = undisturbed(result.config["ppo.learning_rate"], 0)
        with result.checkpoint.as_directory() as folder:
            for name in ("policy.safetensors", "posterior.safetensors"):
                assert (run / name).read_bytes() == Path(folder, name).read_bytes()
