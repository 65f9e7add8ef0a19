"""Trials on a real Ray: trials that only report, for what does not need a training run."""

import json
import math

import pytest
import yaml
from rich.console import Console

from evaluation.ray_cluster import ray_cluster
from sweeps.progress import SweepProgress
from sweeps.results import collect
from sweeps.running import continue_sweep, start_sweep
from sweeps.sweep_file import load_sweep


@pytest.fixture(scope="module")
def ray():
    with ray_cluster("local", "--address", object_store_bytes=2**27) as ray:
        yield ray


def run_simulated(running, body):
    from sweeps.tuning import run_trials

    table = SweepProgress(Console(), running.sweep.num_trials)
    trials = run_trials(running.sweep, running.storage, table, body)
    return collect(running.sweep, trials, running.storage.folder)


def make_body():
    """Return what a trial does; made here, so that workers get it with its code."""

    def body(address, name, options, command, code, report):
        import json
        from pathlib import Path

        epochs = options["ppo"]["epochs"]
        folder = Path(address) / "trials" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yaml").write_text("")
        with open(folder / "began.txt", "a") as file:
            file.write("once more\n")
        if epochs == 13:
            raise SystemError("unlucky")
        for step in range(0, 2049, 512):
            with open(folder / "reports.jsonl", "a") as file:
                file.write(json.dumps({"step": step, "win_rate": epochs / 100}) + "\n")
            report(step, epochs / 100)
        agent = {"win_rate": epochs / 100, "ci95": [0, 1], "games": 1}
        figures = {"agents": {"ppo": agent, "posterior": agent}}
        (folder / "evaluation.json").write_text(
            json.dumps(figures | {"known": figures, "excluded": figures})
        )

    return body


@pytest.fixture
def begin(tmp_path, base_recipe, few_hundred_words):
    def begin(**values):
        path = tmp_path / "sweep.yaml"
        described = {"name": "simulated", "base": str(base_recipe), "storage": str(tmp_path / "s")}
        path.write_text(yaml.safe_dump(described | values))
        return start_sweep(load_sweep(path, words=str(few_hundred_words)))

    return begin


def test_a_name_that_is_taken_is_left_alone(begin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for storage in (str(tmp_path / "here"), (tmp_path / "there").as_uri()):
        folders = [
            begin(space={"ppo.epochs": {"grid": [1, 2]}}, storage=storage).storage.address
            for _ in range(2)
        ]
        assert folders == [f"{storage}/simulated", f"{storage}/simulated-2"]
    # The copy on this machine is gone; what is behind the URI is not.
    import shutil

    shutil.rmtree(tmp_path / "runs")
    third = begin(space={"ppo.epochs": {"grid": [1, 2]}}, storage=storage)
    assert third.storage.address == f"{storage}/simulated-3"


def times_begun(running):
    folders = sorted((running.storage.folder / "trials").iterdir())
    return {path.name: (path / "began.txt").read_text().count("\n") for path in folders}


@pytest.mark.usefixtures("ray")
@pytest.mark.slow
def test_asha_stops_trials_that_are_behind_and_they_stay_stopped(begin, capsys):
    # The good ones come first, so that the others are behind.
    running = begin(
        space={"ppo.epochs": {"grid": [9, 8, 7, 3, 2, 1]}},
        scheduler="asha",
        asha={"grace_steps": 512, "reduction_factor": 2},
        set={"threads": 1},
    )
    results = run_simulated(running, make_body())
    statuses = [trial["status"] for trial in results["trials"]]
    assert statuses[0] == "finished"
    assert statuses[-1] == "stopped"
    assert results["points"][results["best"]]["options"] == {"ppo.epochs": 9}
    stopped = running.storage.folder / "trials" / "point_005_seed_0"
    assert json.loads((stopped / "stopped.json").read_text())["win_rate"] == 0.01
    # It has a line in TensorBoard's table of hyperparameters.
    assert list(stopped.glob("events.out.tfevents.*"))
    printed = capsys.readouterr().out
    assert "6 of 6: " in printed
    assert "point_005_seed_0 stopped, win rate 1.0%" in printed
    again = continue_sweep(running.storage.address)
    assert again.is_done()
    assert [trial.name for trial in again.known_trials()] == [
        trial["trial"] for trial in results["trials"]
    ]


@pytest.mark.usefixtures("ray")
@pytest.mark.slow
def test_tpe_goes_on_with_the_points_that_it_had_chosen(begin):
    running = begin(
        space={
            "ppo.learning_rate": {"loguniform": [1e-4, 1e-1]},
            "ppo.epochs": {"uniform": [1, 12]},
        },
        searcher="tpe",
        trials=6,
        set={"threads": 1},
    )
    results = run_simulated(running, make_body())
    points = [trial["options"] for trial in results["trials"]]
    for name in ("point_002_seed_0", "point_004_seed_0", "point_005_seed_0"):
        (running.storage.folder / "trials" / name / "evaluation.json").unlink()
    again = continue_sweep(running.storage.address)
    assert not again.is_done()
    results = run_simulated(again, make_body())
    assert [trial["options"] for trial in results["trials"]] == points
    begun = times_begun(running)
    assert {name for name, times in begun.items() if times > 1} == {
        "point_002_seed_0",
        "point_004_seed_0",
        "point_005_seed_0",
    }


@pytest.mark.usefixtures("ray")
@pytest.mark.slow
def test_a_trial_whose_process_is_lost_again_and_again_is_given_up(begin, monkeypatch):
    monkeypatch.setattr("sweeps.tuning._MAX_LOSSES", 1)
    running = begin(space={"ppo.epochs": {"grid": [13, 5]}}, set={"threads": 1})
    results = run_simulated(running, make_body())
    assert [trial["status"] for trial in results["trials"]] == ["failed", "finished"]
    assert "lost 2 times" in results["trials"][0]["error"]
    assert math.isclose(results["points"][results["best"]]["win_rate"], 0.05)


@pytest.mark.usefixtures("ray")
@pytest.mark.slow
def test_runs_behind_a_uri_are_as_those_of_train(begin, tmp_path, undisturbed, monkeypatch):
    from sweeps.trial import run_trial

    # Where the copy of what is behind the URI goes.
    monkeypatch.chdir(tmp_path)
    running = begin(
        space={"ppo.learning_rate": {"grid": [0.001, 0.01]}},
        set={"ppo.num_envs": 32, "validation.games": 30},
        storage=(tmp_path / "there").as_uri(),
    )
    assert running.storage.is_remote
    results = run_simulated(running, run_trial)
    assert [trial["status"] for trial in results["trials"]] == ["finished", "finished"]
    for trial in results["trials"]:
        there = tmp_path / "there" / "simulated" / "trials" / trial["trial"]
        for file in ("policy.safetensors", "posterior.safetensors"):
            expected = (undisturbed(trial["trial"]) / file).read_bytes()
            assert (there / file).read_bytes() == expected
