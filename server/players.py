"""Players, guests and their tokens."""

from __future__ import annotations

import hashlib
import secrets
from sqlite3 import Connection

from pydantic import BaseModel, Field

from hangman_lab.server.errors import RequestError

# Begins the tokens of guests, so that guests need no lookup.
GUEST_PREFIX = "guest_"
_EVICTED_AT_ONCE = 10


class Player(BaseModel):
    """A player, with the numbers of games begun (runs), won and open."""

    id: int = Field(exclude=True)
    name: str | None = Field(description="null for a guest")
    practice_runs: int = Field(ge=0)
    practice_successes: int = Field(ge=0)
    recorded_runs: int = Field(ge=0)
    recorded_successes: int = Field(ge=0)
    open_games: int = Field(ge=0)
    recorded_open: int = Field(exclude=True)


def make_token(prefix: str = "hm_") -> str:
    """Return a new access token of 256 random bits."""
    return prefix + secrets.token_urlsafe(32)


def find_player(connection: Connection, token: str) -> Player:
    """Return the player of a token; 401 if it is unknown."""
    row = connection.execute(
        "SELECT id, name, practice_games AS practice_runs, practice_wins AS practice_successes, "
        "recorded_games AS recorded_runs, recorded_wins AS recorded_successes, "
        "practice_open + recorded_open AS open_games, recorded_open "
        "FROM players WHERE token_hash = ?",
        (_hash(token),),
    ).fetchone()
    if row is None:
        raise RequestError(401, "the access token is not known")
    return Player(**row)


def add_player(connection: Connection, name: str | None, token: str, replace: bool = False) -> None:
    """Store a player, or a guest if the name is None; IntegrityError if the name is taken.

    With ``replace``, a player of this name gets the token.
    """
    # Without WHERE, SQLite would read ON as that of a join.
    statement = (
        "INSERT INTO players (name, token_hash, seen) "
        "SELECT ?, ?, COALESCE(MAX(number), 0) FROM games WHERE true"
    )
    if replace:
        statement += " ON CONFLICT (name) DO UPDATE SET token_hash = excluded.token_hash"
    connection.execute(statement, (name, _hash(token)))


class Guests:
    """Guests, about ``most``; above it, the least recently seen are evicted with their games."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count: int | None = None

    def add(self, connection: Connection, token: str) -> None:
        """Store a guest."""
        add_player(connection, None, token)
        if self._count is None:  # counted once: this takes milliseconds
            others = "SELECT COUNT(*) - 1 FROM players WHERE name IS NULL"
            (self._count,) = connection.execute(others).fetchone()
        evicted = connection.execute(
            "DELETE FROM players WHERE id IN (SELECT id FROM players INDEXED BY guests "
            "WHERE name IS NULL ORDER BY seen, id LIMIT ?)",
            (min(max(self._count + 1 - self._most, 0), _EVICTED_AT_ONCE),),
        )
        self._count += 1 - evicted.rowcount


def delete_player(connection: Connection, name: str) -> bool:
    """Delete a player with all games; return whether the player existed."""
    return connection.execute("DELETE FROM players WHERE name = ?", (name,)).rowcount == 1


def _hash(token: str) -> str:
    """Return the SHA-256 of a token, which is stored; random tokens need no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
