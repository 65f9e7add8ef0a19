"""Compiled work in several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numba import get_num_threads


def in_threads(work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Call ``work(thread, num_threads, *arguments)`` once in each of Numba's threads.

    Where Numba's own parallel loops do not take tuples of tuples of arrays, this does; and it
    compiles sooner.

    Parameters
    ----------
    work : callable
        Compiled with ``nogil``; it does what belongs to ``thread`` of ``num_threads``.
    *arguments
        Shared by all.

    Returns
    -------
    list
        What each thread returned.
    """
    num_threads = get_num_threads()
    if num_threads == 1:
        return [work(0, 1, *arguments)]
    with ThreadPoolExecutor(num_threads) as pool:
        calls = [
            pool.submit(work, thread, num_threads, *arguments) for thread in range(num_threads)
        ]
        return [call.result() for call in calls]
