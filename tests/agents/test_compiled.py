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


@pytest.fixture
def checkout(tmp_path):
    """A copy of the sources, with the kernel."""
    for package in ("agents", "envs", "training"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    shutil.copy(ROOT / "hangman_lab.py", tmp_path)
    (tmp_path / "agents" / "caller.py").write_text(CALLER)
    return tmp_path


def called(checkout, **environment):
    """What the kernel returns in a new process, and whether it was read from the cache."""
    environment = os.environ | {"PYTHONPATH": str(checkout)} | environment
    command = [sys.executable, "-m", "hangman_lab.agents.caller"]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return tuple(map(int, done.stdout.split()))


def change(file, old, new):
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


@pytest.mark.slow
def test_a_kernel_is_recompiled_when_an_imported_constant_or_function_changes(checkout):
    assert called(checkout) == (3, 32, 0)
    assert called(checkout) == (3, 32, 1)
    change(checkout / "agents" / "compiled.py", "    return length\n", "    return length * 2\n")
    assert called(checkout) == (6, 32, 0)
    change(checkout / "envs" / "encoding.py", "MAX_LENGTH = 32", "MAX_LENGTH = 31")
    assert called(checkout) == (6, 31, 0)


@pytest.mark.slow
def test_kernels_are_cached_for_the_user_where_packages_cannot_be_written_to(checkout):
    shutil.rmtree(checkout / "agents" / "__pycache__", ignore_errors=True)
    (checkout / "agents" / "__pycache__").touch()
    home = {"HOME": str(checkout / "home"), "XDG_CACHE_HOME": str(checkout / "home" / "cache")}
    assert called(checkout, **home)[2] == 0
    assert called(checkout, **home)[2] == 1
