"""The ranking of players by their recorded games."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field
from scipy.special import ndtri

from evaluation.statistics import CONFIDENCE
from server import store
from server.database import Database
from server.errors import RequestError
from server.rate_limit import Clock
from server.store import RecordedCount

_SECONDS = 1.0


class WinRate(BaseModel):
    """Won games, with the 95% Wilson interval of their rate."""

    games: int = Field(ge=0, description="recorded games that were begun")
    wins: int = Field(ge=0)
    unfinished: int = Field(ge=0, description="games still open; they count as not won")
    hinted: int = Field(ge=0, description="games in which the agent gave a hint")
    win_rate: float = Field(ge=0, le=1)
    ci95: tuple[float, float]


class Row(WinRate):
    """The recorded games of one player."""

    rank: int = Field(ge=1)
    name: str


class PlayerRecord(Row):
    """The recorded games of one player, also by word length."""

    by_length: dict[str, WinRate] = Field(description="by the length of the word")


class Leaderboard(BaseModel):
    """A part of the ranking: the highest lower end of the interval first."""

    players: list[Row]
    total: int = Field(ge=0, description="players with recorded games")


class Ranking:
    """Players by the lower end of the interval of their win rate.

    So few games rank nobody high by luck. A game that was begun and not ended counts as not won,
    so that nobody gains by leaving a game that goes badly. Among equals the alphabet decides. There
    is one count per player.
    """

    def __init__(self, counts: Sequence[RecordedCount]) -> None:
        counts = sorted(counts, key=lambda count: count.name)
        low, high = _intervals(counts)
        order = np.argsort(-low, kind="stable")
        self._counts = [counts[place] for place in order]
        self._low, self._high = low[order].tolist(), high[order].tolist()

    def __len__(self) -> int:
        return len(self._counts)

    def rows(self, limit: int, offset: int = 0) -> list[Row]:
        """Return a part of the ranking."""
        return [self._row(place) for place in range(offset, min(offset + limit, len(self)))]

    def find(self, name: str) -> Row | None:
        """Return the row of a player."""
        places = (place for place, count in enumerate(self._counts) if count.name == name)
        return next(map(self._row, places), None)

    def _row(self, place: int) -> Row:
        fields = _fields(self._counts[place], self._low[place], self._high[place])
        return Row(rank=place + 1, **fields)


class RankingCache:
    """The ranking as requests ask for it; it is at most a second old."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock: Clock = time.monotonic
        self._ranking: tuple[float, Ranking] | None = None
        self._making: asyncio.Future[Ranking] | None = None
        # As they were answered, by limit and offset.
        self._parts: dict[tuple[int, int], bytes] = {}

    async def part(self, limit: int, offset: int) -> bytes:
        """Return a part of the ranking, a :class:`Leaderboard` as JSON."""
        ranking = await self._rank()
        if (limit, offset) not in self._parts:
            board = Leaderboard(players=ranking.rows(limit, offset), total=len(ranking))
            self._parts[limit, offset] = board.model_dump_json().encode()
        return self._parts[limit, offset]

    async def player(self, name: str) -> PlayerRecord:
        """Return the recorded games of a player by word length; 404 without any."""
        row = (await self._rank()).find(name)
        if row is None:
            raise RequestError(404, "no recorded game of a player of this name")
        counts = await self._database.read(store.count_by_length, name)
        low, high = _intervals(counts)
        by_length = {
            str(count.length): WinRate(**_fields(count, *ends))
            for count, *ends in zip(counts, low.tolist(), high.tolist(), strict=True)
        }
        return PlayerRecord(**vars(row), by_length=by_length)

    async def _rank(self) -> Ranking:
        if self._ranking is not None and self._clock() - self._ranking[0] < _SECONDS:
            return self._ranking[1]
        # Those who come while it is being computed wait for the same result.
        self._making = self._making or asyncio.ensure_future(self._make())
        return await asyncio.shield(self._making)

    async def _make(self) -> Ranking:
        try:
            ranking = await self._database.read(
                lambda connection: Ranking(store.list_standings(connection))
            )
            # Its age begins now, however long it took.
            self._ranking = self._clock(), ranking
            self._parts.clear()
        finally:
            self._making = None
        return ranking


def _intervals(
    counts: Sequence[RecordedCount],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    pairs = np.array([(count.wins, count.games) for count in counts], dtype=float).reshape(-1, 2)
    return wilson_intervals(pairs[:, 0], pairs[:, 1])


def _fields(count: RecordedCount, low: float, high: float) -> dict[str, Any]:
    """Return what a :class:`WinRate` or :class:`Row` takes of a count."""
    return {**count._asdict(), "win_rate": count.wins / count.games, "ci95": (low, high)}


def wilson_intervals(
    wins: npt.NDArray[np.float64], games: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the ends of the 95% Wilson intervals, which thousands of players need at once.

    All arrays have the shape (N,); games are at least 1.
    """
    z = ndtri(0.5 + CONFIDENCE / 2)
    centre = (wins + z * z / 2) / (games + z * z)
    half = z / (games + z * z) * np.sqrt(wins * (games - wins) / games + z * z / 4)
    return np.where(wins == 0, 0.0, centre - half), np.where(wins == games, 1.0, centre + half)
