import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PRINT_FOLDER = """
import numba
from hangman_lab.agents.dictionary import count_words
print(count_words._cache.cache_path)
print(numba.config.CACHE_DIR)
"""


def copy_checkout(folder):
    left_out = shutil.ignore_patterns("__pycache__")
    for package in ("hangman_lab", "agents", "envs", "run_files", "terminal", "training"):
        shutil.copytree(ROOT / package, folder / package, symlinks=True, ignore=left_out)
    return folder / "envs" / "__pycache__"


def kernel_folder(checkout):
    """The folder of a kernel's cache in a new process."""
    home = {"HOME": str(checkout / "home"), "XDG_CACHE_HOME": str(checkout / "home" / "cache")}
    environment = os.environ | {"PYTHONPATH": str(checkout)} | home
    command = [sys.executable, "-c", PRINT_FOLDER]
    output = subprocess.check_output(command, cwd=checkout, env=environment, text=True)
    path, others = output.splitlines()
    # Functions of other packages are cached where they were.
    assert others == environment.get("NUMBA_CACHE_DIR", "")
    return Path(path)


@pytest.mark.slow
def test_a_change_of_an_imported_function_or_constant_needs_a_new_cache(tmp_path):
    beside = copy_checkout(tmp_path)
    folders = [kernel_folder(tmp_path)]
    assert folders[0].is_relative_to(beside)
    assert kernel_folder(tmp_path) == folders[0]
    for changed in ("envs/bits.py", "envs/encoding.py"):
        with (tmp_path / changed).open("a") as file:
            file.write("# A change.\n")
        folders.append(kernel_folder(tmp_path))
    assert len(set(folders)) == 3
    assert len(list(folders[-1].parent.parent.iterdir())) == 1
    # Where the sources are not writable, kernels are cached for the user.
    shutil.rmtree(beside)
    beside.touch()
    assert kernel_folder(tmp_path).is_relative_to(tmp_path / "home")


def test_without_a_folder_to_write_to_code_is_compiled_and_one_line_says_so(tmp_path):
    copy_checkout(tmp_path).touch()
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "HOME": os.devnull}
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    program = "from hangman_lab.envs.bits import count_bits; print(count_bits(7))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
    (line,) = done.stderr.splitlines()
    assert "with NUMBA_CACHE_DIR=FOLDER" in line


CALL_IN_THREADS = """
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from hangman_lab.agents.ppo.windows import window_sums
from hangman_lab.agents.sequences import sequence_keys
from hangman_lab.envs.encoding import encode_words
words, weight = encode_words(["noon", "jazz"] * 5_000), np.zeros((16, 26), np.float32)
blank = np.ones((10_000, 4), np.uint8)
def call(number):
    for _ in range(20):
        sequence_keys(words)
        window_sums(blank, weight, 2)
with ThreadPoolExecutor(4) as pool:
    list(pool.map(call, range(4)))
"""


@pytest.mark.slow
def test_kernels_of_agents_and_fits_run_in_several_threads_without_openmp():
    # A parallel loop of Numba's own scheduler ends the process.
    environment = os.environ | {"NUMBA_THREADING_LAYER": "workqueue"}
    subprocess.run([sys.executable, "-c", CALL_IN_THREADS], cwd=ROOT, env=environment, check=True)
