"""The folder in which Numba keeps what it has compiled; nothing here imports Numba."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def use_writable_kernel_cache() -> None:
    """Give Numba a folder for what it compiles if it can write to none of its own.

    Call it before anything imports Numba, which refuses to work otherwise, as for a system user
    without a home.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    own = Path(__file__).resolve().parent.parent / "agents"
    user = Path(os.path.expanduser("~"))
    if os.access(own, os.W_OK) or (user.is_dir() and os.access(user, os.W_OK)):
        return
    # systemd's CacheDirectory, else one of this process alone: what lies there is run.
    folder = os.environ.get("CACHE_DIRECTORY") or tempfile.mkdtemp(prefix="hangman-numba-")
    os.environ["NUMBA_CACHE_DIR"] = folder
