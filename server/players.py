"""Players by their tokens, guests, and the cost of their requests."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Hashable
from sqlite3 import Connection, Row
from typing import NamedTuple

from pydantic import BaseModel, Field

from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Buckets, Clock, networks_of
from hangman_lab.server.settings import Settings

# Maximum age of a token in memory.
SECONDS_KNOWN = 1.0
# Tokens of the bucket that a request takes as a guest, or with an unknown access token.
GUEST_COST = 8
# Further tokens that a hint or a game of the agent takes.
AGENT_COST = 10
# New guests of an address at once: a school behind one address.
_NEW_GUEST_BURST = 300
_FORGOTTEN_AT_ONCE = 10
_MAX_TOKENS = 20_000
_MAX_TOKEN_LENGTH = 128
_UNKNOWN = "the access token is not known"


class Player(NamedTuple):
    """A player; guests have no name."""

    id: int
    name: str | None

    @property
    def is_guest(self) -> bool:
        """Guests play only practice games."""
        return self.name is None


class GameCounts(BaseModel):
    """The games of a player: begun (runs), won, and open."""

    name: str | None = Field(description="null for a guest")
    practice_runs: int = Field(ge=0)
    practice_successes: int = Field(ge=0)
    recorded_runs: int = Field(ge=0)
    recorded_successes: int = Field(ge=0)
    open_games: int = Field(ge=0)
    recorded_open: int = Field(exclude=True)


class Players:
    """Players by their tokens, and the cost of their requests."""

    def __init__(self, database: Database, rates: Buckets, settings: Settings) -> None:
        self._database = database
        self._rates = rates
        self._most_guests = settings.guests
        self._new_guests = Buckets(settings.new_guest_rate, _NEW_GUEST_BURST)
        self._clock: Clock = time.monotonic
        # By the hash of a token, its player and when that was read; oldest first.
        self._known_tokens: OrderedDict[str, tuple[Player, float]] = OrderedDict()

    async def authenticate(self, token: str | None, address: str) -> Player:
        """Return the player of a token; 401 if it is missing or unknown, 429 above the rate."""
        if not token:
            raise RequestError(401, "no access token is given")
        hashed, now = hash_token(token[: _MAX_TOKEN_LENGTH + 1]), self._clock()
        player, since = self._known_tokens.get(hashed, (None, 0.0))
        if player is None or now - since >= SECONDS_KNOWN:
            self._known_tokens.pop(hashed, None)
            player = await self._database.read(_find_player, hashed)
            if player is not None:
                self._known_tokens[hashed] = player, now
            if len(self._known_tokens) > _MAX_TOKENS:
                self._known_tokens.popitem(last=False)
        if player is None or player.is_guest:
            # This also bounds how fast tokens are tried.
            self._rates.take(address, GUEST_COST - 1)
        if player is None:
            raise RequestError(401, _UNKNOWN)
        return player

    def admit_agent(self, player: Player, address: str) -> Hashable:
        """Return whose turn the agent takes, a player's or a network's; 429 above the rate."""
        self._rates.take(address, AGENT_COST)
        # The largest network, so that a household has one turn.
        return [*networks_of(address)][-1] if player.is_guest else player.id

    async def add_guest(self, address: str) -> str:
        """Return the token of a new guest; 403 without guests, 429 above the rate."""
        if not self._most_guests:
            raise RequestError(403, "this server has no guests; use an access token")
        self._new_guests.take(address)
        token = make_token()
        await self._database.write(_add_guest, hash_token(token), self._most_guests)
        return token


def make_token() -> str:
    """Return a new access token of 256 random bits."""
    return "hm_" + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the SHA-256 of a token; as tokens are random, a salt would add nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def add_player(connection: Connection, name: str | None, token_hash: str) -> bool:
    """Store a player, or a guest if the name is None; return True."""
    seen = "SELECT ?, ?, COALESCE(MAX(number), 0) FROM games"
    statement = f"INSERT INTO players (name, token_hash, seen) {seen}"
    return connection.execute(statement, (name, token_hash)).rowcount == 1


def replace_token(connection: Connection, name: str, token_hash: str) -> bool:
    """Replace the token of a player; return whether the player exists."""
    statement = "UPDATE players SET token_hash = ? WHERE name = ?"
    return connection.execute(statement, (token_hash, name)).rowcount == 1


def list_players(connection: Connection) -> list[Row]:
    """Return the recorded games of all players but guests, by name."""
    return connection.execute(
        "SELECT name, recorded_games AS games, recorded_wins - recorded_hinted_wins AS wins, "
        "recorded_open AS unfinished, recorded_hinted AS hinted, "
        "recorded_hinted_wins AS hinted_wins FROM players WHERE name IS NOT NULL ORDER BY name"
    ).fetchall()


def count_games(connection: Connection, player: Player) -> GameCounts:
    """Count the games of a player; 401 if it was deleted."""
    row = connection.execute(
        "SELECT name, practice_games AS practice_runs, practice_wins AS practice_successes, "
        "recorded_games AS recorded_runs, recorded_wins AS recorded_successes, "
        "practice_open + recorded_open AS open_games, recorded_open FROM players WHERE id = ?",
        (player.id,),
    ).fetchone()
    if row is None:
        raise RequestError(401, _UNKNOWN)
    return GameCounts(**row)


def _find_player(connection: Connection, token_hash: str) -> Player | None:
    statement = "SELECT id, name FROM players WHERE token_hash = ?"
    row = connection.execute(statement, (token_hash,)).fetchone()
    return row and Player(*row)


def _add_guest(connection: Connection, token_hash: str, most: int) -> None:
    """Store a guest; surplus guests, those of the earliest visits, are deleted with their games."""
    add_player(connection, None, token_hash)
    surplus = (
        "SELECT id FROM players INDEXED BY guests WHERE name IS NULL "
        "ORDER BY seen DESC, id DESC LIMIT ? OFFSET ?"
    )
    statement = f"DELETE FROM players WHERE id IN ({surplus})"
    connection.execute(statement, (_FORGOTTEN_AT_ONCE, most))
