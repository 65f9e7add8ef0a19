"""Requests to stop, and checkpoints that cannot be read."""

import pickle
import subprocess
import sys

import pytest
import torch

from hangman_lab.envs.errors import InputError
from hangman_lab.training.checkpoint import load_checkpoint, save_checkpoint
from tests.agents.posterior.priors import Explosive
from tests.processes import ROOT


@pytest.mark.parametrize("first", ["SIGINT", "SIGTERM, SIGTERM"])
def test_ctrl_c_after_a_request_stops_at_once_whatever_threads_do(first):
    program = f"""
import threading
from signal import SIGINT, SIGTERM, raise_signal
from rich.console import Console
from hangman_lab.training.checkpoint import StopRequest
threading.Thread(target=threading.Event().wait).start()
with StopRequest(Console()):
    for number in ({first}, SIGINT):
        print("sent")
        raise_signal(number)
"""
    call = [sys.executable, "-c", program]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 130
    assert done.stdout.count("sent") == len(first.split()) + 1
    assert done.stdout.count("stopping at the next checkpoint") == 1
    assert "stopped at once; the last checkpoint is kept" in done.stdout


def test_damaged_and_foreign_checkpoints_are_refused_in_one_line_and_run_no_code(tmp_path):
    path, explosive = tmp_path / "checkpoint.pt", Explosive(tmp_path / "exploded")
    with pytest.raises(InputError, match="no checkpoint to resume from"):
        load_checkpoint(path)
    save_checkpoint(path, "ppo", {"step": 7})
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
