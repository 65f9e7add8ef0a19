"""Turns: who goes next when more ask than can be answered at once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager


class Turns:
    """Lets ``at_once`` turns through at a time: of those who wait, the least recently served."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._num_running = 0
        # By identity, the least recently served first.
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    def num_waiting(self, identity: Hashable | None = None) -> int:
        """Return how many turns wait, of one identity or of all."""
        if identity is not None:
            return len(self._waiting.get(identity, ()))
        return sum(map(len, self._waiting.values()))

    @asynccontextmanager
    async def turn(self, identity: Hashable) -> AsyncIterator[None]:
        """Wait for a turn, and have it."""
        begins = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(identity, deque()).append(begins)
        self._begin_next()
        try:
            await begins
            yield
        finally:
            if begins.done() and not begins.cancelled():
                self._num_running -= 1
                self._begin_next()

    def _begin_next(self) -> None:
        while self._waiting and self._num_running < self._at_once:
            identity, mine = self._waiting.popitem(last=False)
            begins = mine.popleft()
            if mine:
                # Behind everybody else.
                self._waiting[identity] = mine
            if not begins.done():
                self._num_running += 1
                begins.set_result(None)
