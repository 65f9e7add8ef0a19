"""sweep.py as a process: killed and resumed, on one machine and on a cluster."""

import csv
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from rich.console import Console

from hangman_lab.run_files.config import load_config
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.sweeps.command_line import main
from hangman_lab.training.run import train
from tests.processes import ROOT, assert_refused, run_main, start
from tests.sweeps.conftest import RATES

WEIGHTS = ("policy.safetensors", "posterior.safetensors", "held_back_posterior.safetensors")
CHECKPOINT = "runs/*/checkpoint.pt"
FINISHED = "runs/*/evaluation.json"


def wait_for(process, folder, pattern, count):
    """Wait until a sweep's folder has this many files of a pattern."""
    while process.poll() is None:
        if len(list(folder.glob(pattern))) >= count:
            return
        time.sleep(0.05)
    pytest.fail(f"it ended before: {process.communicate()}")


def assert_weights_of_train(folder, base_recipe, words, tmp_path):
    trials = set()
    for run in (path.parent for path in folder.glob(FINISHED)):
        config = RunDirectory(run).load_config()
        rate, seed = trial = (config.learner.learning_rate, config.seed)
        trials.add(trial)
        overrides = ["learner.num_envs=32", "validation.games=30", "final_split=valid"]
        overrides += [f"learner.learning_rate={rate}", f"seed={seed}", f"words={words}"]
        config = load_config(base_recipe, overrides)
        expected, _ = train(config, Console(quiet=True), tmp_path / f"{trial}")
        for name in WEIGHTS:
            assert (run / name).read_bytes() == (expected.path / name).read_bytes(), (trial, name)
    assert trials == {(rate, seed) for rate in RATES for seed in (0, 1)}


@pytest.mark.slow
def test_a_sweep_survives_a_kill_and_a_lost_node_with_the_weights_of_train(
    write_sweep, few_hundred_words, base_recipe, tmp_path, two_nodes
):
    folder = tmp_path / "sweeps" / "tiny"
    address, remove_node = two_nodes
    on_the_cluster = ("--address", address)
    path = write_sweep()
    process = start("sweep.py", path, "--words", few_hundred_words, *on_the_cluster)
    wait_for(process, folder, FINISHED, 1)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "results.csv").exists()
    # Written once: when a run is begun, which then has a checkpoint, and when it ends.
    begun = [path.with_name("config.yaml") for path in folder.glob(CHECKPOINT)]
    written_once = {path: path.stat().st_mtime_ns for path in (*begun, *folder.glob(FINISHED))}
    # It is resumed from its folder alone, without the files of Tune.
    path.unlink()
    for state in folder.glob("tune/experiment_state-*"):
        state.write_bytes(state.read_bytes()[:100])
    process = start("sweep.py", "--resume", folder, *on_the_cluster)
    wait_for(process, folder, FINISHED, 2)
    remove_node()
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert "learning_rate 0.001 2 " in " ".join(output.split())
    assert {path: path.stat().st_mtime_ns for path in written_once} == written_once
    assert_weights_of_train(folder, base_recipe, few_hundred_words, tmp_path)
    with open(folder / "results.csv") as file:
        rows = list(csv.DictReader(file))
    rates = sorted(row["config/learner.learning_rate"] for row in rows)
    assert rates == ["0.001"] * 2 + ["0.01"] * 2
    assert f"words: {few_hundred_words}\n" in (folder / "config.yaml").read_text()
    # The posteriors of a seed were fitted by one of its trials.
    assert len(list(folder.glob("posteriors/*/posterior.safetensors"))) == 2


@pytest.mark.slow
def test_ctrl_c_says_how_to_resume(write_sweep, few_hundred_words, tmp_path, monkeypatch):
    # Of a virtual environment in a folder with a blank.
    (tmp_path / "a b").symlink_to(sys.prefix)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "a b" / "bin" / "python"))
    folder = tmp_path / "sweeps" / "tiny"
    changed = {"learner.kind": "windows", "learner.num_envs": 32, "validation.games": 30}
    path = write_sweep(set=changed, space={"learner.epochs": {"grid_search": [1]}}, seeds=1)
    process = start("sweep.py", path, "--words", few_hundred_words)
    wait_for(process, folder, CHECKPOINT, 1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert f"/python' sweep.py --resume {folder}\n" in output
    process = start("sweep.py", "--resume", folder)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert f"train.py --config {folder}/config.yaml" in output
    assert (folder / "results.csv").exists()
    assert not (folder / "posteriors").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], ["a sweep file is needed", "--resume"]),
        (["--resume", "missing"], ["missing", "not the folder of a sweep"]),
        (["--resume", "missing", "--name", "a"], ["--name"]),
    ],
    ids=str,
)
def test_bad_input_is_one_line_and_status_2(tmp_path, arguments, said, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_refused(run_main(main, capsys, *arguments), "sweep.py", *said)
    assert not list(tmp_path.iterdir())


@contextmanager
def two_cores(address):
    yield SimpleNamespace(cluster_resources=lambda: {"CPU": 2.0})


@pytest.mark.parametrize(
    ("cluster", "status", "said"),
    [
        (two_cores, 2, "threads: 3 is more than the 2 cores"),
        # Ctrl-C while Ray starts.
        (Mock(side_effect=KeyboardInterrupt), 130, "sweep.py: stopped\n"),
    ],
)
def test_a_sweep_that_does_not_start_leaves_nothing(
    write_sweep, few_hundred_words, capsys, monkeypatch, cluster, status, said
):
    monkeypatch.setattr("hangman_lab.sweeps.command_line.ray_cluster", cluster)
    monkeypatch.setattr("hangman_lab.sweeps.tuning.run_sweep", None)  # not reached
    sweep = write_sweep(space={"threads": {"grid_search": [1, 3]}})
    done = run_main(main, capsys, sweep, "--words", few_hundred_words)
    assert (done.returncode, done.stderr.count("\n")) == (status, 1)
    assert said in done.stderr
    assert not (sweep.parent / "sweeps").exists()


def test_without_ray_one_line_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr("hangman_lab.terminal.arguments.find_spec", lambda name: None)
    done = run_main(main, capsys, "smoke.yaml")
    assert_refused(done, "sweep.py", "ray", "pip install '.[cluster]'")


@pytest.mark.slow
def test_nothing_but_a_running_sweep_imports_ray():
    script = (
        "import sys, hangman_lab.training.run, hangman_lab.evaluation.command_line;"
        "import hangman_lab.sweeps.command_line;"
        "sys.exit('ray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT).returncode == 0
