"""Sweeps on a real Ray, with trials that only report."""

import json
import os
import signal

import pytest
from filelock import FileLock, Timeout

from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory, write_text
from hangman_lab.run_files.options import dump_config
from hangman_lab.run_files.words import load_words
from hangman_lab.sweeps.ray_cluster import ray_cluster
from hangman_lab.training.posterior import fit_posterior
from tests.sweeps.conftest import RATES


@pytest.fixture(scope="module")
def ray():
    with ray_cluster("local") as ray:
        yield ray


@pytest.fixture
def run(ray, monkeypatch):
    """Return a function: run a sweep of simulated trials; return their reports and failures."""
    from ray import tune

    from hangman_lab.sweeps import tuning

    monkeypatch.setattr(tuning, "_MAX_FAILURES", 0)

    def run(sweep, folder, begin=lambda seed: None):
        # A closure, so that Ray sends workers its code.
        def run_trial(config, folder, command):
            begin(config["seed"])
            point = json.dumps({key: config[key] for key in sweep.config.space})
            tune.report({"point": point, "seed": config["seed"], "win_rate": 0.5, "games": 1})

        monkeypatch.setattr(tuning, "run_trial", run_trial)
        return tuning.run_sweep(sweep, folder)

    return run


@pytest.mark.slow
def test_seeds_share_drawn_points_and_failed_trials_are_retried(run, make_sweep, tmp_path):
    rates = {"loguniform": [1e-4, 1e-1]}
    space = {"learner.epochs": {"randint": [1, 9]}, "learner.learning_rate": rates}
    sweep = make_sweep(space=space, samples=2)

    def fail_with_seed_1(seed):
        if seed == 1:
            raise ValueError

    trials, num_failed = run(sweep, tmp_path / "sweep", fail_with_seed_1)
    assert num_failed == 2
    assert trials["seed"].tolist() == [0, 0]
    resumed, num_failed = run(sweep, tmp_path / "sweep")
    assert num_failed == 0
    assert resumed.groupby("point")["seed"].agg(sorted).tolist() == [[0, 1], [0, 1]]
    assert set(trials["point"]) == set(resumed["point"])


@pytest.mark.slow
def test_a_trial_that_lost_its_process_too_often_is_retried(run, make_sweep, tmp_path):
    life = tmp_path / "life"
    life.touch()

    def end_once(seed):
        if life.exists():
            life.unlink()
            os.kill(os.getpid(), signal.SIGKILL)

    # Equal draws are one trial.
    sweep = make_sweep(space={"learner.epochs": {"randint": [1, 2]}}, seeds=1, samples=3)
    trials, num_failed = run(sweep, tmp_path / "sweep", end_once)
    assert (len(trials), num_failed) == (1, 0)
    assert not life.exists()


def test_trials_share_the_posteriors_of_the_same_seed_and_train_words(
    base_recipe, few_hundred_words, tmp_path
):
    from hangman_lab.sweeps.tuning import shared_posteriors

    def share(*options):
        config = load_config(base_recipe, [f"words={few_hundred_words}", *options])
        folder = shared_posteriors(config, tmp_path)
        return config, folder and RunDirectory(folder)

    _, first = share()
    written = first.posterior.stat().st_mtime_ns
    assert share("learner.learning_rate=0.5", "final_split=valid")[1].path == first.path
    assert first.posterior.stat().st_mtime_ns == written
    options = "split.seed=1 split.fractions=[0.5,0.2,0.3] env.max_length=9 threads=3 seed=1"
    for option in options.split():
        config, run = share(option)
        words = load_words(config).part("train")
        assert set(load_posterior(run.posterior).known_words) == set(words)
    assert len(list((tmp_path / "posteriors").iterdir())) == 6
    own = RunDirectory(tmp_path)
    fit_posterior(words, seed=1).save(own)
    assert run.posterior.read_bytes() == own.posterior.read_bytes()
    # Without a posterior, or with one that is learned from play, nothing is shared.
    from_play = "learner={kind: from_play, play: {first: run}}"
    for option in ("learner.kind=windows", from_play):
        assert share(option)[1] is None


def test_a_trial_is_trained_resumed_or_read_as_the_files_of_its_run_say(
    make_sweep, tmp_path, monkeypatch
):
    from hangman_lab.sweeps import tuning

    evaluation = {"agents": {"ppo": {"win_rate": 0.5, "games": 30}}, "tables": {}}
    calls, reports = [], []

    def train(config, console, path, **options):
        calls.append(path)
        assert not path.exists()
        with pytest.raises(Timeout):
            FileLock(f"{path}.lock", timeout=0).acquire()
        return RunDirectory(path), evaluation

    def resume(path, console, **options):
        calls.append("resume")
        return RunDirectory(path), evaluation

    monkeypatch.setattr(tuning, "train", train)
    monkeypatch.setattr(tuning, "resume", resume)
    monkeypatch.setattr(tuning, "shared_posteriors", lambda config, folder: None)
    monkeypatch.setattr(tuning, "_LOCK_SECONDS", 0)
    monkeypatch.setattr(tuning.tune, "report", reports.append)
    write_text(tmp_path / "sweep.yaml", dump_config(make_sweep()))

    def run_trial(rate=RATES[0], seed=0):
        calls.clear()
        tuning.run_trial({"learner.learning_rate": rate, "seed": seed}, tmp_path, ["sweep.py"])
        return calls

    points = [(rate, seed) for rate in RATES for seed in (0, 1)]
    paths = [run_trial(*point)[0] for point in points]
    assert len(set(paths)) == 4
    run = RunDirectory(paths[0])
    run.path.mkdir()
    run.config.touch()
    # It was killed before its first checkpoint.
    assert run_trial() == [run.path]
    run.path.mkdir()
    run.checkpoint.touch()
    assert run_trial() == ["resume"]
    run.write_evaluation(evaluation)
    assert run_trial() == []
    assert [report["run"] for report in reports] == [path.name for path in paths] + [
        run.path.name
    ] * 3
    assert {(report["win_rate"], report["games"]) for report in reports} == {(0.5, 30)}
    with (
        FileLock(f"{run.path}.lock"),
        pytest.raises(InputError, match=f"{run.path}: another process"),
    ):
        run_trial()
    (tmp_path / "sweep.yaml").rename(tmp_path / "not mounted")
    with pytest.raises(InputError, match=r"sweep\.yaml"):
        run_trial()
