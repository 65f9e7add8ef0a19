"""Helpers for compiled code: the cache, threads, bits and masked words."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import get_num_threads
from numba.core import config
from numba.misc.appdirs import AppDirs

from hangman_lab.envs.encoding import BLANK, NUM_LETTERS, PADDING

# Its options are attributes that it sets when it is imported.
_config: Any = config


def _cache_folder() -> str:
    """Return a cache folder for the present state of the sources; delete the folders of older ones.

    Numba recompiles a kernel when its file changes, but not when an imported function or constant
    changes.
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
        except OSError:
            continue
        for other in set(folder.parent.iterdir()) - {folder}:
            shutil.rmtree(other, ignore_errors=True)
        return str(folder)
    return _config.CACHE_DIR


_CACHE_FOLDER = _cache_folder()


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function as ``numba.njit`` does, with the cache folder of this package."""
    if function is None:
        return partial(njit, **options)
    if _config.BOUNDSCHECK:
        # An IndexError in a parallel loop is lost.
        options.pop("parallel", None)
    # Numba reads the folder when a function is declared. Functions of others keep theirs.
    others, _config.CACHE_DIR = _config.CACHE_DIR, _CACHE_FOLDER
    try:
        return numba.njit(**options)(function)
    finally:
        _config.CACHE_DIR = others


def in_threads(work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Call the compiled ``work(thread, num_threads, *arguments)`` in each thread.

    Numba's parallel loops do not accept nested tuples of arrays, and take longer to compile.
    """
    num_threads = get_num_threads()
    if num_threads == 1:
        return [work(0, 1, *arguments)]
    with ThreadPoolExecutor(num_threads) as pool:
        return list(pool.map(lambda k: work(k, num_threads, *arguments), range(num_threads)))


@njit(cache=True)
def count_bits(bits):
    """Return the number of set bits of a uint64."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    low = np.uint64(0x3333333333333333)
    bits = (bits & low) + ((bits >> np.uint64(2)) & low)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def lowest_bit(bits):
    """Return the index of the lowest set bit of a nonzero uint64."""
    return count_bits(~bits & (bits - np.uint64(1)))


@njit(cache=True)
def word_length(word):
    """Return the number of letters of a masked word."""
    length = 0
    while length < len(word) and word[length] != PADDING:
        length += 1
    return length


@njit(cache=True)
def letter_bits(guessed):
    """Return the guessed letters of a game as bits."""
    bits = 0
    for letter in range(NUM_LETTERS):
        if guessed[letter]:
            bits |= 1 << letter
    return bits


@njit(cache=True)
def open_word(word, guessed):
    """Return a masked word without its padding, or an empty one if no letter can be guessed."""
    blanks = unguessed = 0
    for code in word:
        blanks += code == BLANK
    for is_guessed in guessed:
        unguessed += is_guessed == 0
    return word[: word_length(word) if blanks and unguessed else 0]


@njit(cache=True)
def letter_columns(guessed):
    """Return the column of each letter, shape (26,), and the number of unguessed letters.

    Column k is for the words without the k-th unguessed letter, the last column for all words;
    guessed letters map to it.
    """
    last = 0
    for letter in range(NUM_LETTERS):
        last += guessed[letter] == 0
    columns = np.empty(NUM_LETTERS, dtype=np.int64)
    column = 0
    for letter in range(NUM_LETTERS):
        columns[letter] = last if guessed[letter] else column
        column += guessed[letter] == 0
    return columns, last
