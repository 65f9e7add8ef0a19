"""Posteriors that trials share: fitted once, then linked into each run directory."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numba

from runs.config import Config
from runs.directory import RunDirectory, write_atomically
from sweeps.storage import Storage

FOLDER = "cache"
_ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = ("envs", "agents", "runs", "evaluation", "training", "sweeps")
_LIBRARIES = ("numpy", "scipy", "numba", "lightgbm", "torch", "safetensors")


@cache
def code_version() -> str:
    """Return a hash of all code that trials run, and of the versions of what it computes with."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        # What training leaves lies in folders beside the modules of runs.
        modules = "*.py" if package == "runs" else "**/*.py"
        for path in sorted((_ROOT / package).glob(modules)):
            digest.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    versions = [platform.python_version(), *(f"{name} {version(name)}" for name in _LIBRARIES)]
    digest.update(json.dumps(versions).encode())
    return digest.hexdigest()


def posterior_key(words: Sequence[str], config: Config) -> str:
    """Return what tells posteriors apart: train words, seed, threads, options, code, machine."""
    determined_by = {
        "words": hashlib.sha256("\n".join(words).encode()).hexdigest(),
        "seed": config.seed,
        "threads": min(config.threads, numba.config.NUMBA_NUM_THREADS),
        "posterior": config.posterior.model_dump(),
        "code": code_version(),
        "machine": platform.machine(),
    }
    return hashlib.sha256(json.dumps(determined_by).encode()).hexdigest()[:32]


def share_posterior(storage: Storage, key: str, run: RunDirectory, fit: Callable[[], None]) -> None:
    """Put the posteriors of a key into a run; the first run fits them, the others wait for it.

    ``fit`` writes the posteriors into the run.
    """
    name = f"{FOLDER}/{key}"
    folder = storage.folder / name
    paths = (run.posterior, run.held_back_posterior)
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder / "lock"):
        if not _is_whole(folder, paths):
            storage.fetch(name)
        if _is_whole(folder, paths):
            for path in paths:
                write_atomically(path, lambda new, path=path: _link(folder / path.name, new))
            return
        fit()
        for path in paths:
            write_atomically(folder / path.name, lambda new, path=path: _link(path, new))
        storage.send(name)


def _is_whole(folder: Path, paths: Sequence[Path]) -> bool:
    return all((folder / path.name).is_file() for path in paths)


def _link(source: Path, target: Path) -> None:
    # A posterior's file is replaced, never changed, so that two folders may have the same one.
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a lock on a file; the system releases it when the process dies, however it does."""
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
