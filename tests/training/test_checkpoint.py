import os
import pickle
import signal

import numpy as np
import pytest
import torch
from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.directory import write_atomically
from hangman_lab.training.checkpoint import (
    Interrupted,
    StopRequest,
    load_checkpoint,
    save_checkpoint,
)
from tests.agents.posterior.priors import Explosive

STATE = {
    "step": 7,
    "best": 0.25,
    "arrays": {
        "bits": np.array([2**64 - 1, 0, 5], dtype=np.uint64),
        "table": np.arange(6, dtype=np.float32).reshape(2, 3),
        "flags": np.array([True, False]),
        "scalar": np.array(3),
        "empty": np.zeros((0, 4), dtype=np.int8),
    },
    "tensor": torch.arange(3),
    "episodes": [{"r": 1.0, "l": 3}],
}


def test_the_first_ctrl_c_stops_at_a_checkpoint_and_the_second_at_once(tmp_path):
    stop = StopRequest(Console(quiet=True))
    with stop:
        stop.raise_if_requested(tmp_path)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Interrupted):
            stop.raise_if_requested(tmp_path)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("phase", ["begun", "ppo", "done"])
def test_a_checkpoint_survives_a_round_trip(tmp_path, phase):
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(path, phase, STATE)
    loaded_phase, state = load_checkpoint(path)
    assert loaded_phase == phase
    assert state["step"] == 7
    assert state["episodes"] == STATE["episodes"]
    assert torch.equal(state["tensor"], STATE["tensor"])
    for name, array in STATE["arrays"].items():
        assert state["arrays"][name].dtype == array.dtype
        assert state["arrays"][name].shape == array.shape
        assert np.array_equal(state["arrays"][name], array)
        state["arrays"][name][...] = 0
    assert os.listdir(tmp_path) == ["checkpoint.pt"]


def test_an_old_checkpoint_survives_a_write_that_fails(tmp_path):
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(path, "ppo", STATE)
    before = path.read_bytes()
    with pytest.raises(InputError, match="cannot write") as caught:
        save_checkpoint(path, "ppo", {"step": lambda: None})
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before

    def interrupted(temporary):
        temporary.write_text("half")
        # Readers see the old file, whole.
        assert path.read_bytes() == before
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, interrupted)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["checkpoint.pt"]
    with pytest.raises(InputError, match="cannot write") as caught:
        save_checkpoint(tmp_path / "missing" / "checkpoint.pt", "ppo", STATE)
    assert "\n" not in str(caught.value)


def test_damaged_and_foreign_checkpoints_are_refused_in_one_line_and_run_no_code(tmp_path):
    path, explosive = tmp_path / "checkpoint.pt", Explosive(tmp_path / "exploded")
    save_checkpoint(path, "ppo", STATE)
    whole = path.read_bytes()
    torch.save({"format": 2, "phase": "ppo", "state": {"a": explosive}}, path)
    foreign = path.read_bytes()
    for content in (b"", whole[: len(whole) // 2], b"junk", pickle.dumps(explosive), foreign):
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            load_checkpoint(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "exploded").exists()


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(InputError, match="no checkpoint to resume from"):
        load_checkpoint(tmp_path / "checkpoint.pt")
    with pytest.raises(InputError, match="not a readable checkpoint"):
        load_checkpoint(tmp_path)
