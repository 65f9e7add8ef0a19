"""Ray, on this machine or a cluster, and evaluation on its workers."""

from __future__ import annotations

import logging
import os
import pickle
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from hangman_lab.agents.base import Agent
from hangman_lab.envs.errors import InputError
from hangman_lab.evaluation.arena import DEFAULT_BATCH_SIZE, Advance, batches, play
from hangman_lab.terminal.arguments import require

# Attempts: Ray's start times out after half a minute, too short on a busy machine.
_STARTS = 3
_SETTINGS = {
    # Busy machines respond slowly.
    "RAY_health_check_timeout_ms": "60000",
    # Workers have normal priority; Ray's default is the lowest.
    "RAY_worker_niceness": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    # Workers see the accelerators of their machine.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # Trials run in the folder of the command, where its modules may be.
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
}
# Retries of a batch that loses its worker.
_MAX_LOSSES = 10
# Plays words with the agent of this worker, by the id of its object.
_cached: dict[str, Callable[..., pd.DataFrame]] = {}


def _check_reachable(address: str, option: str) -> None:
    """Raise InputError if nothing listens at an address; Ray would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except ValueError:
        raise InputError(f"{option}: {address!r} is not HOST:PORT, auto or local") from None
    except OSError as error:
        detail = error.strerror or error
        raise InputError(f"{option}: no Ray cluster at {address!r} ({detail})") from error


@contextmanager
def ray_cluster(
    address: str | None, option: str, object_store_bytes: int | None = None
) -> Iterator[ModuleType]:
    """Start Ray or connect to a cluster; yield the module ``ray``.

    ``address`` is ``auto`` or that of a cluster; with None or ``local``, Ray is started on this
    machine. Raises InputError, which names the command-line ``option``, if Ray is not installed,
    does not start, or has no cluster at the address.
    """
    require(option, "cluster", "ray")
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    import ray

    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    address = address or "local"
    is_local = address == "local"
    if is_local:
        options |= {"include_dashboard": False, "object_store_memory": object_store_bytes}
    elif address != "auto":
        _check_reachable(address, option)
    for starts_left in reversed(range(_STARTS if is_local else 1)):
        try:
            ray.init(address, **options)
            break
        except Exception as error:  # Ray raises a plain Exception on a timeout
            ray.shutdown()
            if not starts_left:
                detail = str(error).splitlines()[0]
                what = "Ray did not start" if is_local else f"no Ray cluster at {address!r}"
                raise InputError(f"{option}: {what} ({detail})") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def play_on_workers(
    agent: Agent, words: Sequence[str], *, advance: Advance | None = None, **options: Any
) -> pd.DataFrame:
    """Play on Ray workers, with the same results as :func:`evaluation.arena.play`.

    A worker plays whole batches, since the last bits of an agent's scores can depend on the batch.
    """
    import ray
    from ray.exceptions import RayError, RayTaskError

    # As bytes, since Ray's shared arrays are read-only, which is a different type for Numba.
    reference = ray.put(
        np.frombuffer(pickle.dumps(partial(play, agent, **options), protocol=5), np.uint8)
    )
    remote = ray.remote(num_cpus=1, max_retries=_MAX_LOSSES)(_play_batch)
    # In a list, the reference is not resolved for each batch.
    tasks = [
        remote.remote([reference], words[batch])
        for batch in batches(len(words), DEFAULT_BATCH_SIZE)
    ]
    tables = []
    for task in tasks:
        try:
            tables.append(ray.get(task))
        except RayTaskError:
            raise
        except RayError as error:
            detail = str(error).splitlines()[0]
            raise InputError(f"--workers: a batch lost its worker too often ({detail})") from error
        if advance is not None:
            advance(len(tables[-1]))
    return pd.concat(tables, ignore_index=True)


def _play_batch(references: list[Any], words: Sequence[str]) -> pd.DataFrame:
    """Play a batch in a worker, which caches the last agent and its options."""
    import numba
    import ray

    key = references[0].hex()
    if key not in _cached:
        _cached.clear()
        numba.set_num_threads(1)
        _cached[key] = pickle.loads(ray.get(references[0]))
    return _cached[key](words)
