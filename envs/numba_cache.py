"""Compilation by Numba, with a cache for the present state of the sources; threads."""

from __future__ import annotations

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import current_process
from pathlib import Path
from typing import Any

import numba
from numba import get_num_threads
from numba.core import config
from numba.misc.appdirs import AppDirs

# Any, since it sets its options as attributes when it is imported.
_config: Any = config


def _cache_folder() -> str:
    """Return a cache folder for the present state of the sources; delete the folders of older ones.

    It is "" if no folder can be written to. Numba recompiles a kernel when its file changes, but
    not when an imported function or constant changes.
    """
    root = Path(__file__).resolve().parent.parent
    sources = b"".join(
        source
        for package in ("agents", "envs", "training")
        for file in sorted((root / package).rglob("*.py"))
        if b"njit" in (source := file.read_bytes()) or file.name == "encoding.py"
    )
    root_hash, state = (hashlib.sha256(key).hexdigest()[:16] for key in (bytes(root), sources))
    beside = _config.CACHE_DIR or root / "envs" / "__pycache__"
    for cache in (beside, AppDirs("numba", appauthor=False).user_cache_dir):
        folder = Path(cache) / f"hangman-{root_hash}" / state
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        for other in set(folder.parent.iterdir()) - {folder}:
            shutil.rmtree(other, ignore_errors=True)
        return str(folder)
    if current_process().name == "MainProcess":  # in other processes, that one has said so
        logging.getLogger("hangman_lab").warning(
            "compiled code is not cached, since no cache folder can be written to; "
            "with NUMBA_CACHE_DIR=FOLDER, a writable folder, the next start is fast"
        )
    return ""


_CACHE_FOLDER = _cache_folder()


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function as ``numba.njit`` does, with the cache folder of this package.

    It releases Python's lock while it runs, so that other threads, such as progress bars, go on.
    """
    if function is None:
        return partial(njit, **options)
    options = {"cache": bool(_CACHE_FOLDER), "nogil": True} | options
    if _config.BOUNDSCHECK:
        # An IndexError in a parallel loop is lost.
        options.pop("parallel", None)
    # Numba reads the folder when a function is declared. Other packages keep their own.
    previous, _config.CACHE_DIR = _config.CACHE_DIR, _CACHE_FOLDER
    try:
        return numba.njit(**options)(function)
    finally:
        _config.CACHE_DIR = previous


def in_threads(work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Call the compiled ``work(thread, num_threads, *arguments)`` in each thread.

    Numba's parallel loops do not accept nested tuples of arrays, take longer to compile, and end
    the process if two threads run them where there is no OpenMP, as on macOS.
    """
    num_threads = get_num_threads()
    if num_threads == 1:
        return [work(0, 1, *arguments)]
    with ThreadPoolExecutor(num_threads) as pool:
        return list(pool.map(lambda k: work(k, num_threads, *arguments), range(num_threads)))
