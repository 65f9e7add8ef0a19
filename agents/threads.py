"""Compiled work in several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numba import get_num_threads


def in_threads(work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Call ``work(thread, num_threads, *arguments)`` once in each of Numba's threads.

    Numba's own parallel loops do not take tuples of tuples of arrays, and compile longer. ``work``
    is compiled with ``nogil`` and does what belongs to ``thread``; a list has what each returned.
    """
    num_threads = get_num_threads()
    if num_threads == 1:
        return [work(0, 1, *arguments)]
    with ThreadPoolExecutor(num_threads) as pool:
        return list(pool.map(lambda one: work(one, num_threads, *arguments), range(num_threads)))
