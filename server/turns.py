"""Turns of the agent: who is served next, so that nobody waits for a stranger's many requests."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from server import metrics
from server.errors import RequestError


class Turns:
    """Lets a few through at a time: of those who wait, whoever was served longest ago.

    Groups of players take turns first, then the players of a group.

    Parameters
    ----------
    at_once : int
        Turns that go on at the same time.
    max_waiting, max_waiting_each : int
        Turns that wait, of everybody and of one player. A group may have half of all.
    """

    def __init__(self, at_once: int, max_waiting: int, max_waiting_each: int) -> None:
        self._at_once = at_once
        self._max_waiting = max_waiting
        self._max_waiting_each = max_waiting_each
        self._num_running = 0
        # By group and player, whoever was served longest ago first.
        self._waiting: OrderedDict[Hashable, OrderedDict[Hashable, deque[asyncio.Future[None]]]] = (
            OrderedDict()
        )

    @asynccontextmanager
    async def turn(self, group: Hashable, player: Hashable) -> AsyncIterator[None]:
        """Wait for a turn, and have it; 429 if too many of the player wait, 503 if too many do."""
        self._check_room(group, player)
        begins = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(group, OrderedDict()).setdefault(player, deque()).append(begins)
        metrics.THINKING.inc()
        self._begin_next()
        try:
            await begins
            yield
        finally:
            if begins.done() and not begins.cancelled():
                self._num_running -= 1
                self._begin_next()

    def _check_room(self, group: Hashable, player: Hashable) -> None:
        mine = self._waiting.get(group, {}).get(player, ())
        if len(mine) >= self._max_waiting_each:
            message = f"{len(mine)} turns of the agent wait for you already; try again"
            raise RequestError(429, message, 1.0)
        counts = {each: sum(map(len, players.values())) for each, players in self._waiting.items()}
        all_full = sum(counts.values()) >= self._max_waiting
        if all_full or counts.get(group, 0) >= max(1, self._max_waiting // 2):
            raise RequestError(503, "the agent is busy; try again", 1.0)

    def _begin_next(self) -> None:
        while self._waiting and self._num_running < self._at_once:
            group, players = self._waiting.popitem(last=False)
            player, mine = players.popitem(last=False)
            begins = mine.popleft()
            metrics.THINKING.dec()
            # Behind everybody else.
            if mine:
                players[player] = mine
            if players:
                self._waiting[group] = players
            if not begins.done():
                self._num_running += 1
                begins.set_result(None)
