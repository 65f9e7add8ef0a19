"""Compiled work in several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numba import get_num_threads


def in_threads(work: Callable[..., None], *arguments: Any) -> None:
    """Call ``work(thread, num_threads, *arguments)`` once in each of Numba's threads.

    Where Numba's own parallel loops do not take tuples of tuples of arrays, this does; and it
    compiles sooner.

    Parameters
    ----------
    work : callable
        Compiled with ``nogil``; it does what belongs to ``thread`` of ``num_threads``.
    *arguments
        Shared by all.
    """
    num_threads = get_num_threads()
    if num_threads == 1:
        work(0, 1, *arguments)
        return
    with ThreadPoolExecutor(num_threads) as pool:
        calls = [
            pool.submit(work, thread, num_threads, *arguments) for thread in range(num_threads)
        ]
        for call in calls:
            call.result()
