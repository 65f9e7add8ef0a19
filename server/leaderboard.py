"""The ranking of players by their recorded games."""

from __future__ import annotations

import asyncio
import math
import sqlite3
import time
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from hangman_lab.evaluation.intervals import win_rate_interval
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.players import list_players
from hangman_lab.server.rates import Clock

LEAST_GAMES = 20
_MAX_AGE_SECONDS = 1.0

Counts = sqlite3.Row | dict[str, Any]


class WinRate(BaseModel):
    """Recorded games won without a hint, with the 95% Wilson interval of their rate."""

    games: int = Field(ge=0, description="recorded games begun")
    wins: int = Field(ge=0, description="games won without a hint")
    unfinished: int = Field(ge=0, description="open games; they count as not won")
    hinted: int = Field(ge=0, description="games with a hint; they count as not won")
    hinted_wins: int = Field(ge=0, description="games won with a hint")
    win_rate: float = Field(ge=0, le=1, description="wins per game")
    ci95: tuple[float, float]


class Row(WinRate):
    """The recorded games of a player."""

    rank: int | None = Field(None, ge=1, description="null with too few games; ties share a rank")
    name: str


class PlayerRecord(Row):
    """The recorded games of a player, also by word length."""

    by_length: dict[str, WinRate]


class Leaderboard(BaseModel):
    """A part of the ranking; players with too few games for a rank come last."""

    players: list[Row]
    least_games: int = Field(LEAST_GAMES, description="recorded games that a rank needs")
    total: int = Field(ge=0, description="players with recorded games")


def rank(players: Iterable[Counts]) -> list[Row]:
    """Rank players with games by the lower end of the interval of their win rate."""
    rows = [Row(**rates) for rates in _add_rates([each for each in players if each["games"]])]
    rows.sort(key=lambda row: (row.games < LEAST_GAMES, -row.ci95[0], row.name))
    ranked = [-row.ci95[0] for row in rows if row.games >= LEAST_GAMES]
    for row, lower in zip(rows, ranked, strict=False):
        row.rank = 1 + bisect_left(ranked, lower)
    return rows


def _add_rates(counted: Sequence[Counts]) -> list[dict[str, Any]]:
    wins, games = (np.array([each[name] for each in counted]) for name in ("wins", "games"))
    intervals = np.transpose(win_rate_interval(wins, games)).tolist()
    rates = zip(counted, (wins / games).tolist(), intervals, strict=True)
    return [{**dict(each), "win_rate": rate, "ci95": ci95} for each, rate, ci95 in rates]


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
                self._rows = await self._database.read(lambda of: rank(list_players(of)))
                # The age counts from the end of the computation.
                self._made = self._clock()
            return self._rows

    async def player(self, name: str) -> PlayerRecord:
        """Return the recorded games of a player by word length; 404 without any."""
        row = next((row for row in await self.rows() if row.name == name), None)
        if row is None:
            raise RequestError(404, "no recorded game of a player of this name")
        by_length = await self._database.read(_count_by_length, name)
        return PlayerRecord(**dict(row), by_length=by_length)


def _count_by_length(connection: sqlite3.Connection, name: str) -> dict[str, WinRate]:
    rows = connection.execute(
        "SELECT LENGTH(secret) AS length, COUNT(*) AS games, SUM(hinted) AS hinted, "
        "SUM(status = 'success' AND NOT hinted) AS wins, SUM(status = 'ongoing') AS unfinished, "
        "SUM(status = 'success' AND hinted) AS hinted_wins "
        "FROM games JOIN players ON players.id = player_id "
        "WHERE recorded AND name = ? GROUP BY length ORDER BY length",
        (name,),
    )
    return {str(rates["length"]): WinRate(**rates) for rates in _add_rates(rows.fetchall())}
