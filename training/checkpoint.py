"""Stopping and resuming: signals, and checkpoints with the full training state."""

from __future__ import annotations

import os
import signal
import threading
from io import BytesIO
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.directory import write_atomically

_FORMAT = 3
_ARRAY = "__array__"
PHASES = ("created", "play", "ppo", "done")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM stopped a run that has a checkpoint; the argument is its folder."""


class StopRequest:
    """A context manager in which Ctrl-C or SIGTERM requests a stop; Ctrl-C again stops at once."""

    def __init__(self, console: Console) -> None:
        self.is_made = False
        self._console = console
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> None:
        # Only the main thread can handle signals.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._make)

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _make(self, signum: int, frame: FrameType | None) -> None:
        if not self.is_made:
            self.is_made = True
            self._console.print("stopping at the next checkpoint (Ctrl-C again to stop at once)")
        elif signum == signal.SIGINT:  # SIGTERM can be sent twice, by timeout(1) for example
            self._console.show_cursor()
            self._console.print("stopped at once; the last checkpoint is kept")
            # An exception would wait for the threads of a fit.
            os._exit(130)

    def raise_if_requested(self, path: Path) -> None:
        """Raise Interrupted if a stop was requested; call this after a checkpoint."""
        if self.is_made:
            raise Interrupted(path)


def save_checkpoint(path: Path, phase: str, state: dict[str, Any]) -> None:
    """Write a phase of ``PHASES`` and a state atomically.

    The state has numbers, strings, lists, dicts, tensors and NumPy arrays. Raises InputError if the
    file cannot be written; the previous checkpoint is unchanged.
    """
    buffer = BytesIO()  # given a file, PyTorch raises more than OSError if the disk is full
    torch.save({"format": _FORMAT, "phase": phase, "state": _to_torch(state)}, buffer)
    write_atomically(path, lambda temporary: temporary.write_bytes(buffer.getbuffer()))


def load_checkpoint(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the phase and the state of a checkpoint, without running code from the file."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
        phase, state = content["phase"], _to_numpy(content["state"])
        if content["format"] != _FORMAT or phase not in PHASES or not isinstance(state, dict):
            raise ValueError(f"it is not of format {_FORMAT}")
        return phase, state
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no checkpoint to resume from") from error
    except Exception as error:  # arbitrary bytes can raise anything
        # PyTorch's own text advises to run code from the file.
        raise InputError(f"{path}: not a readable checkpoint ({type(error).__name__})") from error


def _to_torch(value: Any) -> Any:
    """Convert NumPy arrays to tagged tensors: ``weights_only`` admits no NumPy objects."""
    if isinstance(value, np.ndarray):
        return {_ARRAY: torch.from_numpy(value)}
    if isinstance(value, dict):
        return {key: _to_torch(item) for key, item in value.items()}
    return value


def _to_numpy(value: Any) -> Any:
    if isinstance(value, dict):
        if _ARRAY in value:
            return value[_ARRAY].numpy()
        return {key: _to_numpy(item) for key, item in value.items()}
    return value
