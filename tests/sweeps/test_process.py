"""sweep.py as a process: killed and gone on with, on one machine and on a cluster."""

import csv
import json
import signal
import subprocess
import sys
import time

import pytest

from sweeps.command_line import main
from tests.processes import ROOT, assert_refused, start

WEIGHTS = ("policy.safetensors", "posterior.safetensors", "held_back_posterior.safetensors")
TRIALS = [f"point_00{point}_seed_{seed}" for point in (0, 1, 2) for seed in (0, 1)]


def wait_until_ppo(process, trials, name):
    """Wait until a trial has a checkpoint in the middle of PPO."""
    while process.poll() is None:
        reports = trials / name / "reports.jsonl"
        if reports.exists() and reports.read_text().count("\n") >= 2:
            return
        time.sleep(0.02)
    pytest.fail(f"it ended before: {process.communicate()}")


def assert_as_undisturbed(folder, undisturbed):
    for name in TRIALS:
        ours, theirs = folder / "trials" / name, undisturbed(name)
        for file in WEIGHTS:
            assert (ours / file).read_bytes() == (theirs / file).read_bytes(), (name, file)
        figures = [json.loads((path / "evaluation.json").read_text()) for path in (ours, theirs)]
        for agent, expected in figures[1]["agents"].items():
            assert figures[0]["agents"][agent]["wins"] == expected["wins"]
    results = json.loads((folder / "results.json").read_text())
    assert [trial["trial"] for trial in results["trials"]] == TRIALS
    assert {trial["status"] for trial in results["trials"]} == {"finished"}


@pytest.mark.slow
def test_a_sweep_survives_a_kill_and_a_lost_node_with_the_weights_of_train(
    sweep_file, few_hundred_words, undisturbed, tmp_path, two_nodes
):
    folder = tmp_path / "sweeps" / "tiny"
    trials = folder / "trials"
    on_the_cluster = ("--address", two_nodes.address)
    process = start("sweep.py", sweep_file, "--words", few_hundred_words, *on_the_cluster)
    wait_until_ppo(process, trials, "point_001_seed_0")
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    finished = trials / "point_000_seed_0" / "evaluation.json"
    first = finished.stat().st_mtime_ns
    assert not (folder / "results.json").exists()
    # What it was begun from is of no account any more.
    sweep_file.unlink()
    process = start("sweep.py", "--resume", folder, *on_the_cluster)
    wait_until_ppo(process, trials, "point_002_seed_0")
    two_nodes.remove()
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert_as_undisturbed(folder, undisturbed)
    # The list's own place, wherever it was read after the kill.
    assert f"words: {few_hundred_words}\n" in (folder / "config.yaml").read_text()
    # A finished trial is not run again.
    assert finished.stat().st_mtime_ns == first
    assert "have ended" in output
    with open(folder / "results.csv") as file:
        rates = [row["ppo.learning_rate"] for row in csv.DictReader(file)]
    assert rates == ["0.001", "0.001", "0.01", "0.01", "0.1", "0.1"]
    # The posterior of a seed was fitted once: its trials have the same file of the cache.
    inodes = {
        (trials / f"point_00{point}_seed_0" / "posterior.safetensors").stat().st_ino
        for point in (0, 1, 2)
    }
    assert len(inodes) == 1


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on(sweep_file, few_hundred_words, tmp_path):
    folder = tmp_path / "sweeps" / "tiny"
    process = start("sweep.py", sweep_file, "--words", few_hundred_words)
    wait_until_ppo(process, folder / "trials", "point_000_seed_0")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert f"go on with: python sweep.py --resume {folder}\n" in output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], ["a sweep file is needed", "--resume"]),
        (["missing.yaml"], ["missing.yaml", "smoke.yaml"]),
        (["smoke.yaml", "--words", "missing.txt"], ["missing.txt", "cannot read"]),
        (["smoke.yaml", "--set", "ppo.stepz=1"], ["ppo.stepz", "steps"]),
        (["smoke.yaml", "--set", "sweep.trials=3"], ["trials: 3"]),
        (["smoke.yaml", "--name", "a/b"], ["name", "'a/b'"]),
        (["--resume", "missing"], ["missing", "not the folder of a sweep"]),
        (["--resume", "missing", "--name", "a"], ["--name"]),
        (["smoke.yaml", "--resume", "missing"], ["SWEEP.yaml"]),
    ],
    ids=str,
)
def test_bad_input_is_one_line_and_status_2(tmp_path, arguments, said, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status = main(arguments)
    printed = capsys.readouterr()
    done = subprocess.CompletedProcess(arguments, status, printed.out, printed.err)
    assert_refused(done, "sweep.py", *said)
    assert not list(tmp_path.iterdir())


def test_without_ray_one_line_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr("evaluation.ray_cluster.find_spec", lambda name: None)
    status = main(["smoke.yaml"])
    printed = capsys.readouterr()
    done = subprocess.CompletedProcess([], status, printed.out, printed.err)
    assert_refused(done, "sweep.py", "ray", "pip install -r requirements-cluster.txt")


@pytest.mark.slow
def test_nothing_but_sweeps_and_workers_imports_ray():
    script = (
        "import sys, training.command_line, evaluation.command_line, sweeps.command_line;"
        "sys.exit(any(name in sys.modules for name in ('ray', 'optuna')))"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT).returncode == 0
