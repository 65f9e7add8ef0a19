"""Stopping and resuming: signals, the state of a model, and checkpoints that have it."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from io import BytesIO
from pathlib import Path
from types import FrameType
from typing import Any, cast

import numpy as np
import torch
from rich.console import Console
from stable_baselines3.common.base_class import BaseAlgorithm

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.directory import write_atomically

_FORMAT = 3
_ARRAY = "__array__"
_NUMBERS = ("num_timesteps", "_n_updates", "_n_calls", "_episode_num", "exploration_rate")
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


def get_state(model: BaseAlgorithm) -> dict[str, Any]:
    """Return the state of an algorithm of Stable-Baselines3 between two rollouts."""
    env: Any = model.env
    state = {
        "parameters": model.get_parameters(),
        # Counters, and what follows from them; hyperparameters are those of the run's config.
        "numbers": {name: vars(model)[name] for name in _NUMBERS if name in vars(model)},
        "env": env.get_state(),
        "episode_starts": np.array(model._last_episode_starts),
        "episodes": list(model.ep_info_buffer or ()),
        # The values of the last update, which are written after the next rollout.
        "logged": {
            key: (float(value), model.logger.name_to_excluded[key])
            for key, value in model.logger.name_to_value.items()
        },
        "numpy_random": np.random.get_state(legacy=False),
        "torch_random": torch.get_rng_state(),
        # Off-policy algorithms explore with it.
        "action_random": model.action_space.np_random.bit_generator.state,
    }
    if (buffer := getattr(model, "replay_buffer", None)) is not None:
        state["replay_buffer"] = {
            name: value
            for name, value in vars(buffer).items()
            if name in ("pos", "full") or _is_array(value)
        }
    return state


def set_state(model: BaseAlgorithm, state: dict[str, Any]) -> None:
    """Restore a state; raise ValueError, or a similar error, if it is that of another model."""
    env: Any = model.env
    model.set_parameters(state["parameters"], device=model.device)
    for name, number in state["numbers"].items():
        setattr(model, name, number)
    model._last_obs = env.set_state(state["env"])
    model._last_episode_starts = state["episode_starts"]
    model.ep_info_buffer = deque(state["episodes"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    for key, (value, excluded) in state["logged"].items():
        model.logger.record(key, value, excluded)
    np.random.set_state(state["numpy_random"])
    torch.set_rng_state(state["torch_random"])
    model.action_space.np_random.bit_generator.state = state["action_random"]
    if "replay_buffer" in state:
        for name, value in state["replay_buffer"].items():
            setattr(cast(Any, model).replay_buffer, name, value)


def _is_array(value: Any) -> bool:
    """Return whether a value is an array, or a dict of arrays."""
    items = value.values() if isinstance(value, dict) else [value]
    return all(isinstance(item, np.ndarray) for item in items)


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
