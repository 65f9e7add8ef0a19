"""The cache of compiled kernels never holds a kernel of outdated sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
# A kernel of one file, with a function and a constant of others.
CALLER = """
import numpy as np
from numba import njit

from hangman_lab.agents.compiled import word_length
from hangman_lab.envs.encoding import MAX_LENGTH


@njit(cache=True)
def figures(word):
    return word_length(word), MAX_LENGTH


print(*figures(np.ones(3, dtype=np.uint8)), sum(figures.stats.cache_hits.values()))
"""


def called(checkout):
    """What the kernel returns in a new process, and whether it was read from the cache."""
    home = {"HOME": str(checkout / "home"), "XDG_CACHE_HOME": str(checkout / "home" / "cache")}
    environment = os.environ | {"PYTHONPATH": str(checkout)} | home
    command = [sys.executable, "-m", "hangman_lab.agents.caller"]
    return tuple(map(int, subprocess.check_output(command, cwd=checkout, env=environment).split()))


def change(file, old, new):
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


@pytest.mark.slow
@pytest.mark.parametrize("is_writable", [True, False])
def test_a_kernel_is_recompiled_when_an_imported_constant_or_function_changes(
    tmp_path, is_writable
):
    for package in ("agents", "envs", "training"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=lambda *_: ["__pycache__"])
    shutil.copy(ROOT / "hangman_lab.py", tmp_path)
    (tmp_path / "agents" / "caller.py").write_text(CALLER)
    if not is_writable:
        # Kernels are cached for the user.
        (tmp_path / "agents" / "__pycache__").touch()
    assert called(tmp_path) == (3, 32, 0)
    assert called(tmp_path) == (3, 32, 1)
    change(tmp_path / "agents" / "compiled.py", "    return length\n", "    return length * 2\n")
    assert called(tmp_path) == (6, 32, 0)
    change(tmp_path / "envs" / "encoding.py", "MAX_LENGTH = 32", "MAX_LENGTH = 31")
    assert called(tmp_path) == (6, 31, 0)
