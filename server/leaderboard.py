"""The ranking of players by their recorded games."""

from __future__ import annotations

import asyncio
import math
import time
from bisect import bisect_left
from collections.abc import Sequence
from sqlite3 import Connection
from statistics import NormalDist
from typing import Any

from pydantic import BaseModel, Field

from hangman_lab.server import store
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Clock
from hangman_lab.server.store import RecordedCount

# Players with fewer recorded games have no rank.
LEAST_GAMES = 20
# How old a ranking may be.
_SECONDS = 1.0
# Of the 95% interval.
_Z = NormalDist().inv_cdf(0.975)


class WinRate(BaseModel):
    """Games won without a hint, with the 95% Wilson interval of their rate."""

    games: int = Field(ge=0, description="recorded games that were begun")
    wins: int = Field(ge=0, description="games won without a hint")
    unfinished: int = Field(ge=0, description="games still open; they count as not won")
    hinted: int = Field(ge=0, description="games with a hint of the agent; they count as not won")
    hinted_wins: int = Field(ge=0, description="games won with a hint")
    win_rate: float = Field(ge=0, le=1)
    ci95: tuple[float, float]


class Row(WinRate):
    """The recorded games of one player."""

    rank: int | None = Field(ge=1, description="null with too few games; equal rates share one")
    name: str


class PlayerRecord(Row):
    """The recorded games of one player, also by word length."""

    by_length: dict[str, WinRate] = Field(description="by the length of the word")


class Leaderboard(BaseModel):
    """A part of the ranking: the highest lower end of the interval first, then those unranked."""

    players: list[Row]
    least_games: int = Field(LEAST_GAMES, description="recorded games that a rank needs")
    total: int = Field(ge=0, description="players with recorded games")


def rank(counts: Sequence[RecordedCount]) -> list[Row]:
    """Rank players by the lower end of the interval of their win rate.

    Players with the same lower end share a rank; players with fewer than ``LEAST_GAMES`` games
    follow without one. An open game and a game with a hint count as not won, so that nobody gains
    by leaving a game that goes badly, or by asking for a hint in it. There is one count per player.
    """
    rows = [Row(rank=None, **_fields(count)) for count in counts]
    rows.sort(key=lambda row: (row.games < LEAST_GAMES, -row.ci95[0], row.name))
    ranked = [-row.ci95[0] for row in rows if row.games >= LEAST_GAMES]
    for row, lower in zip(rows, ranked, strict=False):
        row.rank = 1 + bisect_left(ranked, lower)
    return rows


class RankingCache:
    """The ranking as requests ask for it; it is at most a second old."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock: Clock = time.monotonic
        self._rows: list[Row] = []
        self._made = -math.inf
        # Those who come while it is being computed wait for the same result.
        self._lock = asyncio.Lock()

    async def rows(self) -> list[Row]:
        """Return the ranking of all players with recorded games."""
        async with self._lock:
            if self._clock() - self._made >= _SECONDS:
                # On a reader's thread, so that nobody waits for it.
                self._rows = await self._database.read(_rank_stored)
                # Its age begins now, however long it took.
                self._made = self._clock()
            return self._rows

    async def player(self, name: str) -> PlayerRecord:
        """Return the recorded games of a player by word length; 404 without any."""
        row = next((row for row in await self.rows() if row.name == name), None)
        if row is None:
            raise RequestError(404, "no recorded game of a player of this name")
        counts = await self._database.read(store.count_by_length, name)
        by_length = {str(count.length): WinRate(**_fields(count)) for count in counts}
        return PlayerRecord(**vars(row), by_length=by_length)


def _rank_stored(connection: Connection) -> list[Row]:
    return rank([count for count in store.list_players(connection) if count.games])


def _fields(count: RecordedCount) -> dict[str, Any]:
    """Return the fields of a :class:`WinRate` or :class:`Row`."""
    rate, interval = count.wins / count.games, wilson_interval(count.wins, count.games)
    return {**count._asdict(), "win_rate": rate, "ci95": interval}


def wilson_interval(wins: int, games: int) -> tuple[float, float]:
    """Return the 95% Wilson interval of a win rate; games are at least 1."""
    # scipy's test takes a thousand times as long, and thousands of players are ranked at once.
    square = _Z * _Z
    centre = (wins + square / 2) / (games + square)
    half = _Z / (games + square) * math.sqrt(wins * (games - wins) / games + square / 4)
    return centre - half if wins else 0.0, centre + half if wins < games else 1.0
