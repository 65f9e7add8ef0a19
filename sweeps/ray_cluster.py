"""Ray, on this machine or a cluster."""

from __future__ import annotations

import logging
import os
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from hangman_lab.envs.errors import InputError

# Attempts: Ray's start times out after half a minute, too short on a busy machine.
_STARTS = 3
# Trials exchange files, not objects.
_OBJECT_STORE_BYTES = 2**27
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


def _check_reachable(address: str) -> None:
    """Raise InputError if nothing listens at an address; Ray would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except ValueError:
        raise InputError(f"--address: {address!r} is not HOST:PORT, auto or local") from None
    except OSError as error:
        detail = error.strerror or error
        raise InputError(f"--address: no Ray cluster at {address!r} ({detail})") from error


@contextmanager
def ray_cluster(address: str | None) -> Iterator[ModuleType]:
    """Start Ray or connect to a cluster; yield the module ``ray``.

    ``address`` is ``auto`` or that of a cluster; with None or ``local``, Ray is started on this
    machine. Raises InputError if Ray does not start, or has no cluster at the address.
    """
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    import ray

    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    address = address or "local"
    is_local = address == "local"
    if is_local:
        options |= {"include_dashboard": False, "object_store_memory": _OBJECT_STORE_BYTES}
    elif address != "auto":
        _check_reachable(address)
    if " " in sys.executable and os.name == "posix":
        # Ray does not quote it for the shell that starts workers.
        options["runtime_env"] = {"py_executable": shlex.quote(sys.executable)}
    for starts_left in reversed(range(_STARTS if is_local else 1)):
        try:
            ray.init(address, **options)
            break
        except Exception as error:  # Ray raises a plain Exception on a timeout
            ray.shutdown()
            if not starts_left:
                detail = str(error).splitlines()[0]
                what = "Ray did not start" if is_local else f"no Ray cluster at {address!r}"
                raise InputError(f"--address: {what} ({detail})") from error
    try:
        yield ray
    finally:
        ray.shutdown()
