"""The ranking of players by their recorded games."""

from __future__ import annotations

import asyncio
import math
import time
from bisect import bisect_left
from collections.abc import Sequence

from pydantic import BaseModel, Field

from hangman_lab.server import store
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Clock
from hangman_lab.server.store import Row, WinRate

LEAST_GAMES = 20
_MAX_AGE_SECONDS = 1.0


class PlayerRecord(Row):
    """The recorded games of a player, also by word length."""

    by_length: dict[str, WinRate]


class Leaderboard(BaseModel):
    """A part of the ranking; players with too few games for a rank come last."""

    players: list[Row]
    least_games: int = Field(LEAST_GAMES, description="recorded games that a rank needs")
    total: int = Field(ge=0, description="players with recorded games")


def rank(players: Sequence[Row]) -> list[Row]:
    """Rank players with games by the lower end of the interval of their win rate."""
    rows = [row for row in players if row.games]
    rows.sort(key=lambda row: (row.games < LEAST_GAMES, -row.ci95[0], row.name))
    ranked = [-row.ci95[0] for row in rows if row.games >= LEAST_GAMES]
    for row, lower in zip(rows, ranked, strict=False):
        row.rank = 1 + bisect_left(ranked, lower)
    return rows


class RankingCache:
    """The ranking, computed at most once per second."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock: Clock = time.monotonic
        self._rows: list[Row] = []
        self._made = -math.inf
        self._lock = asyncio.Lock()  # concurrent requests wait for the same result

    async def rows(self) -> list[Row]:
        """Return the ranking of all players with recorded games."""
        async with self._lock:
            if self._clock() - self._made >= _MAX_AGE_SECONDS:
                # On a reader's thread, so that no request waits for it.
                self._rows = await self._database.read(lambda of: rank(store.list_players(of)))
                # The age counts from the end of the computation.
                self._made = self._clock()
            return self._rows

    async def player(self, name: str) -> PlayerRecord:
        """Return the recorded games of a player by word length; 404 without any."""
        row = next((row for row in await self.rows() if row.name == name), None)
        if row is None:
            raise RequestError(404, "no recorded game of a player of this name")
        by_length = await self._database.read(store.count_by_length, name)
        return PlayerRecord(**dict(row), by_length=by_length)
