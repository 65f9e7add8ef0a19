"""Ray where it is asked for: started on this machine, or a cluster that is joined."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

from envs.errors import InputError

LOCAL, AUTO = "local", "auto"
# Ray gives itself half a minute to start, which a busy machine may not make.
_STARTS = 3
_REQUIREMENTS = "requirements-cluster.txt"
_SETTINGS = {
    # A machine whose cores are all busy is slow to answer, not dead.
    "RAY_health_check_timeout_ms": "60000",
    # A trial is as urgent as a run of train.py; Ray would give way to all else on the machine.
    "RAY_worker_niceness": "0",
    # No figures about its use are sent to its makers.
    "RAY_USAGE_STATS_ENABLED": "0",
    # Workers get no accelerator here, and are not to hide one from others.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # What Tune keeps for its own way to resume; a sweep resumes from its trials' folders.
    "TUNE_GLOBAL_CHECKPOINT_S": "1000000",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    "TUNE_WARN_THRESHOLD_S": "1000000",
    # Tune's own tables; with the newer ones even a silent sweep has lines of theirs.
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
}


def require_ray(for_what: str) -> None:
    """Raise InputError if Ray is not installed."""
    missing = [name for name in ("ray", "optuna") if find_spec(name) is None]
    if missing:
        raise InputError(
            f"{for_what} needs {' and '.join(missing)}; install with: "
            f"python -m pip install -r {_REQUIREMENTS}"
        )


def _check_reachable(address: str, option: str) -> None:
    """Raise InputError if nothing listens at an address, for which Ray would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=10):
            return
    except ValueError:
        detail = "HOST:PORT or auto is expected"
    except OSError as error:
        detail = error.strerror or str(error)
    raise InputError(f"{option}: no Ray cluster at {address!r} ({detail})")


@contextmanager
def ray_cluster(
    address: str | None, option: str, object_store_bytes: int | None = None
) -> Iterator[ModuleType]:
    """Have Ray while the ``with`` block lasts.

    Parameters
    ----------
    address : str, optional
        ``auto`` or the address of a cluster; without it, or with ``local``, Ray is started on
        this machine and ends with the block.
    option : str
        Of the command line, that errors name.
    object_store_bytes : int, optional
        Memory for what is handed to workers, where Ray is started here.

    Yields
    ------
    module
        Ray itself.

    Raises
    ------
    InputError
        If it is not installed, or there is no cluster at the address.
    """
    require_ray(option)
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    import ray

    is_local = address in (None, LOCAL)
    if not is_local and address != AUTO:
        _check_reachable(address, option)
    here = {"include_dashboard": False, "object_store_memory": object_store_bytes}
    for start in range(_STARTS):
        try:
            ray.init(
                address=LOCAL if is_local else address,
                log_to_driver=False,
                logging_level=logging.CRITICAL,
                **(here if is_local else {}),
            )
            break
        except Exception as error:  # of any kind: a start that takes too long is a plain one
            ray.shutdown()
            if not is_local or start == _STARTS - 1:
                detail = str(error).splitlines()[0]
                what = "Ray did not start" if is_local else f"no Ray cluster at {address!r}"
                raise InputError(f"{option}: {what} ({detail})") from error
    try:
        yield ray
    finally:
        ray.shutdown()
