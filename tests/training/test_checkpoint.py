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


def foreign_files(tmp_path, whole):
    for size in (0, 1, 10, len(whole) // 3, len(whole) // 2, len(whole) - 1):
        yield whole[:size]
    for place in (0, 30, 60, len(whole) // 2, len(whole) - 30):
        yield whole[:place] + b"\xff\xff\xff\xff" + whole[place + 4 :]
    yield b"not a checkpoint\n" * 10
    yield b"junk"
    yield pickle.dumps({"format": 2, "phase": "ppo", "state": {}})
    yield pickle.dumps(Explosive(tmp_path / "exploded"))
    path = tmp_path / "other.pt"
    for content in (
        {"weights": torch.zeros(3)},
        torch.zeros(3),
        {"format": 99, "phase": "ppo", "state": {}},
        {"format": 2, "phase": "dinner", "state": {}},
        {"format": 2, "phase": ["ppo"], "state": {}},
        {"format": 2, "phase": "ppo"},
        {"format": 2, "phase": "ppo", "state": 3},
        {"format": 2, "phase": "ppo", "state": {"a": {"__array__": torch.zeros(3)}}},
        {"format": 2, "phase": "ppo", "state": {"a": Explosive(tmp_path / "exploded")}},
    ):
        torch.save(content, path)
        yield path.read_bytes()


def test_damaged_and_foreign_checkpoints_are_refused_in_one_line_and_run_no_code(tmp_path):
    path = tmp_path / "checkpoint.pt"
    save_checkpoint(path, "ppo", STATE)
    refusals = []
    for content in foreign_files(tmp_path, path.read_bytes()):
        path.write_bytes(content)
        try:
            load_checkpoint(path)
        except InputError as error:
            refusals.append(str(error))
    assert all(str(path) in refusal and "\n" not in refusal for refusal in refusals)
    # A flipped byte of the padding between the parts of a file does no harm.
    assert len(refusals) >= 18
    assert not (tmp_path / "exploded").exists()


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(InputError, match="no checkpoint to resume from"):
        load_checkpoint(tmp_path / "checkpoint.pt")
    with pytest.raises(InputError, match="not a readable checkpoint"):
        load_checkpoint(tmp_path)
