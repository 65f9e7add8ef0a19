"""The ranking of players by their recorded games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field
from scipy.special import ndtri

from evaluation.statistics import CONFIDENCE
from server.store import RecordedCount


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
    so that nobody gains by leaving a game that goes badly. Among equals the alphabet decides.

    Parameters
    ----------
    counts : sequence of RecordedCount
        One a player.
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
        places = range(offset, min(offset + limit, len(self)))
        return [self._row(place) for place in places]

    def find(self, name: str) -> Row | None:
        """Return the row of a player."""
        places = (place for place, count in enumerate(self._counts) if count.name == name)
        place = next(places, None)
        return None if place is None else self._row(place)

    def _row(self, place: int) -> Row:
        count = self._counts[place]
        fields = _fields(count, self._low[place], self._high[place])
        return Row(rank=place + 1, name=count.name, **fields)


def win_rates(counts: Sequence[RecordedCount]) -> list[WinRate]:
    """Return the win rate of each count, with its interval."""
    low, high = _intervals(counts)
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return [WinRate(**_fields(count, *pair)) for count, pair in zip(counts, ends, strict=True)]


def _intervals(
    counts: Sequence[RecordedCount],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    pairs = np.array([(count.wins, count.games) for count in counts], dtype=float).reshape(-1, 2)
    return wilson_intervals(pairs[:, 0], pairs[:, 1])


def _fields(count: RecordedCount, low: float, high: float) -> dict[str, Any]:
    return {
        "games": count.games,
        "wins": count.wins,
        "unfinished": count.unfinished,
        "hinted": count.hinted,
        "win_rate": count.wins / count.games,
        "ci95": (low, high),
    }


def wilson_intervals(
    wins: npt.NDArray[np.float64], games: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the ends of the 95% Wilson intervals, which thousands of players need at once.

    Parameters
    ----------
    wins, games : ndarray of float64, shape (N,)
        Games are at least 1.
    """
    z = ndtri(0.5 + CONFIDENCE / 2)
    centre = (wins + z * z / 2) / (games + z * z)
    half = z / (games + z * z) * np.sqrt(wins * (games - wins) / games + z * z / 4)
    return np.where(wins == 0, 0.0, centre - half), np.where(wins == games, 1.0, centre + half)
