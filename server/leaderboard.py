"""The ranking of players by their recorded games."""

from __future__ import annotations

from bisect import bisect_left
from sqlite3 import Connection

import numpy as np
from pydantic import BaseModel, Field

from hangman_lab.evaluation.intervals import win_rate_interval

LEAST_GAMES = 20
_MAX_LISTED = 1_000


class RankedPlayer(BaseModel):
    """The recorded games of a player, with the 95% Wilson interval of the win rate."""

    rank: int | None = Field(None, ge=1, description="null with too few games; ties share a rank")
    name: str
    games: int = Field(ge=0, description="recorded games begun")
    wins: int = Field(ge=0, description="games won without a hint")
    unfinished: int = Field(ge=0, description="open games; they count as not won")
    hinted: int = Field(ge=0, description="games with a hint; they count as not won")
    win_rate: float = Field(ge=0, le=1, description="wins per game")
    ci95: tuple[float, float]


class Leaderboard(BaseModel):
    """The ranking, up to 1,000 players; those with too few games for a rank come last."""

    players: list[RankedPlayer]
    least_games: int = Field(default=LEAST_GAMES, description="recorded games that a rank needs")


def read(connection: Connection) -> str:
    """Return the ranking of the players with recorded games, as JSON of a Leaderboard."""
    players = connection.execute(
        "SELECT name, recorded_games AS games, recorded_wins - recorded_hinted_wins AS wins, "
        "recorded_open AS unfinished, recorded_hinted AS hinted FROM players "
        "WHERE name IS NOT NULL AND recorded_games > 0"
    ).fetchall()
    wins, games = (np.array([player[name] for player in players]) for name in ("wins", "games"))
    intervals = np.transpose(win_rate_interval(wins, games)).tolist()
    rows = [
        RankedPlayer(**player, win_rate=player["wins"] / player["games"], ci95=interval)
        for player, interval in zip(players, intervals, strict=True)
    ]
    rows.sort(key=lambda row: (row.games < LEAST_GAMES, -row.ci95[0], row.name))
    ranked = [-row.ci95[0] for row in rows if row.games >= LEAST_GAMES]
    for row, lower in zip(rows, ranked, strict=False):
        row.rank = 1 + bisect_left(ranked, lower)
    return Leaderboard(players=rows[:_MAX_LISTED]).model_dump_json()
