"""Checkpoints are written whole or not at all, and are read without running code."""

import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.training.checkpoint import (
    Interrupted,
    StopRequest,
    load_checkpoint,
    save_checkpoint,
)
from tests.agents.posterior.priors import Explosive
from tests.processes import ROOT

ARRAYS = {
    "bits": np.array([2**64 - 1, 0, 5], dtype=np.uint64),
    "table": np.arange(6, dtype=np.int8).reshape(2, 3),
    "flags": np.array([True, False]),
    "scalar": np.array(3),
}
STATE = {"step": 7, "episodes": [{"r": 1.0}], "arrays": ARRAYS, "tensor": torch.arange(3)}


def test_the_first_ctrl_c_stops_at_a_checkpoint(tmp_path):
    stop = StopRequest(Console(quiet=True))
    with stop:
        stop.raise_if_requested(tmp_path)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Interrupted):
            stop.raise_if_requested(tmp_path)


def test_the_second_ctrl_c_stops_at_once_whatever_threads_do():
    program = """
import signal, threading
from rich.console import Console
from hangman_lab.training.checkpoint import StopRequest
threading.Thread(target=threading.Event().wait).start()
with StopRequest(Console()):
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
"""
    call = [sys.executable, "-c", program]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 130
    assert "stopped at once; the last checkpoint is kept" in done.stdout


def test_a_state_is_read_as_it_was_saved(tmp_path):
    save_checkpoint(tmp_path / "checkpoint.pt", "play", STATE)
    phase, state = load_checkpoint(tmp_path / "checkpoint.pt")
    assert phase == "play"
    assert (state["step"], state["episodes"]) == (7, [{"r": 1.0}])
    assert torch.equal(state["tensor"], STATE["tensor"])
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(state["arrays"][name], array, strict=True)


def test_damaged_and_foreign_checkpoints_are_refused_in_one_line_and_run_no_code(tmp_path):
    path, explosive = tmp_path / "checkpoint.pt", Explosive(tmp_path / "exploded")
    with pytest.raises(InputError, match="no checkpoint to resume from"):
        load_checkpoint(path)
    save_checkpoint(path, "ppo", STATE)
    contents = [b"", path.read_bytes()[:-100], b"junk", pickle.dumps(explosive)]
    changes = ({"format": 2}, {"phase": "other"}, {"state": [1]}, {"state": {"a": explosive}})
    for change in changes:
        torch.save({"format": 3, "phase": "ppo", "state": {}} | change, path)
        contents.append(path.read_bytes())
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(InputError, match=rf"^{path}: not a readable checkpoint.*\Z"):
            load_checkpoint(path)
    assert not (tmp_path / "exploded").exists()
