"""The ranking of players by their recorded games."""

from __future__ import annotations

from collections.abc import Sequence

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


def rank(counts: Sequence[RecordedCount]) -> list[Row]:
    """Return the ranking by the lower end of the interval.

    So few games rank nobody high by luck. A game that was begun and not ended counts as not won,
    so that nobody gains by leaving a game that goes badly. Among equals the alphabet decides.

    Parameters
    ----------
    counts : sequence of RecordedCount
        One a player.
    """
    rates = win_rates(counts)
    order = sorted(range(len(counts)), key=lambda i: (-rates[i]["ci95"][0], counts[i].name))
    # What is computed here needs no validation, which takes longer than the ranking.
    return [
        Row.model_construct(rank=place, name=counts[i].name, **rates[i])
        for place, i in enumerate(order, start=1)
    ]


def win_rates(counts: Sequence[RecordedCount]) -> list[dict]:
    """Return the fields of :class:`WinRate` for each count."""
    wins = np.array([count.wins for count in counts], dtype=float)
    games = np.array([count.games for count in counts], dtype=float)
    low, high = wilson_intervals(wins, games)
    return [
        {
            "games": count.games,
            "wins": count.wins,
            "unfinished": count.unfinished,
            "hinted": count.hinted,
            "win_rate": count.wins / count.games,
            "ci95": tuple(interval),
        }
        for count, *interval in zip(counts, low.tolist(), high.tolist(), strict=True)
    ]


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
