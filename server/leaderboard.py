"""The ranking of players by their recorded games."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from evaluation.statistics import win_rate_interval
from server.store import RecordedCount


class WinRate(BaseModel):
    """Won games, with the 95% Wilson interval of their rate."""

    games: int = Field(ge=0, description="recorded games that were begun")
    wins: int = Field(ge=0)
    unfinished: int = Field(ge=0, description="games still open; they count as not won")
    win_rate: float = Field(ge=0, le=1)
    ci95: tuple[float, float]


class Row(WinRate):
    """The recorded games of one player."""

    name: str
    by_length: dict[str, WinRate] = Field(description="by the length of the word")


class Leaderboard(BaseModel):
    """All players with recorded games, the highest win rate first."""

    players: list[Row]


def rank(counts: Sequence[RecordedCount]) -> Leaderboard:
    """Return the ranking.

    A game that was begun and not ended counts as not won, so that nobody gains by leaving a game
    that goes badly. Among equal win rates more games come first, then the alphabet decides.

    Parameters
    ----------
    counts : sequence of RecordedCount
        By player and word length.
    """
    by_name: dict[str, list[RecordedCount]] = {}
    for count in counts:
        by_name.setdefault(count.name, []).append(count)
    rows = [
        Row(
            name=name,
            by_length={str(count.length): _win_rate([count]) for count in lengths},
            **_win_rate(lengths).model_dump(),
        )
        for name, lengths in by_name.items()
    ]
    rows.sort(key=lambda row: (-row.win_rate, -row.games, row.name))
    return Leaderboard(players=rows)


def _win_rate(counts: Sequence[RecordedCount]) -> WinRate:
    games = sum(count.games for count in counts)
    wins = sum(count.wins for count in counts)
    return WinRate(
        games=games,
        wins=wins,
        unfinished=sum(count.unfinished for count in counts),
        win_rate=wins / games,
        ci95=win_rate_interval(wins, games),
    )
