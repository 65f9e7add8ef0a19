"""Players: whose a token is, how often each may ask, and guests; token buckets that limit rates.

What is kept in memory is what the database holds; all of it runs on one event loop.
"""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
import time
from collections.abc import Callable, Hashable
from sqlite3 import Connection
from typing import TypeVar

from server import store
from server.database import Database
from server.errors import RequestError
from server.settings import Settings
from server.store import GameCounts, Player

# A token that was replaced or revoked stays known for this time.
SECONDS_KNOWN = 1.0
# Requests that a hint, or a game of the agent, counts as.
_AGENT_COST = 10
# A bucket that is full has the requests of these seconds.
_BURST_SECONDS = 4.0
_NEW_GUEST_BURST_SECONDS = 300.0
# A guest that began no game in this time makes room for another.
_UNUSED_GUEST_SECONDS = 600.0
_MAX_TOKENS = 20_000
# A longer text is no token.
_MAX_TOKEN_LENGTH = 128

T = TypeVar("T")
Clock = Callable[[], float]


class Buckets:
    """A bucket for each key: it begins with ``burst`` tokens and gains ``rate`` a second.

    It never holds more than the burst. Of more than ``max_keys`` buckets the least recently used
    is forgotten, which fills it. The clock returns seconds; the rate is above 0, the burst at
    least 1.
    """

    def __init__(
        self, rate: float, burst: float, max_keys: int = 10_000, clock: Clock = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._max_keys = max_keys
        self._clock = clock
        # The tokens of a bucket and when they were counted, the least recently used first.
        self._buckets: dict[Hashable, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: Hashable, cost: float = 1.0) -> float:
        """Take tokens and return 0; without enough, return the seconds until there will be.

        The cost is at most the burst; a negative cost gives tokens back.
        """
        now = self._clock()
        tokens, counted = self._buckets.pop(key, (self._burst, now))
        tokens = min(self._burst, tokens + (now - counted) * self._rate)
        wait = max(0.0, (cost - tokens) / self._rate)
        self._buckets[key] = tokens if wait else min(self._burst, tokens - cost), now
        if len(self._buckets) > self._max_keys:
            del self._buckets[next(iter(self._buckets))]
        return wait


def network_of(address: str) -> str:
    """Return what shares a bound: an IPv4 address, or an IPv6 network of 64 bits."""
    if ":" not in address:
        return address
    try:
        parsed = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.ipv4_mapped is not None:
        # How a socket for both kinds of address writes an IPv4 address.
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))


def make_token() -> str:
    """Return a new access token of 256 random bits."""
    return "hm_" + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return what is stored of a token: its SHA-256 as 64 hexadecimal digits.

    A token is drawn from 2**256, so that no dictionary of likely tokens exists and a salt or a
    slow hash would add nothing.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Players:
    """Players by their tokens, and the rate of each identity: a token, or a guest's address."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._clock: Clock = time.monotonic
        # By the hash of a token, its player and when that was read.
        self._known_tokens: dict[str, tuple[Player, float]] = {}

        def make_buckets(rate: float, seconds: float, least: float) -> Buckets:
            return Buckets(rate, max(least, rate * seconds), clock=lambda: self._clock())

        self._tokens = make_buckets(settings.token_rate, _BURST_SECONDS, _AGENT_COST)
        self._addresses = make_buckets(settings.address_rate, _BURST_SECONDS, _AGENT_COST)
        self._new_guests = make_buckets(settings.new_guest_rate, _NEW_GUEST_BURST_SECONDS, 1)

    async def authenticate(self, token: str | None, address: str) -> Player:
        """Return whose a token is; 401 without one or with an unknown one, 429 above its rate."""
        if not token:
            raise RequestError(401, "no access token is given")
        player = await self._find(token, address)
        self._admit(player, address)
        return player

    def admit_address(self, address: str) -> None:
        """Let an address ask that shows no token; 429 above its rate."""
        _refuse_until(self._addresses.take(network_of(address)), "this address")

    def admit_agent(self, player: Player, address: str) -> Hashable:
        """Let a player ask the agent; return the identity in whose turn. 429 above the rate."""
        self._admit(player, address, _AGENT_COST)
        return network_of(address) if player.is_guest else player.id

    async def count_games(self, player: Player) -> GameCounts:
        """Return how many games a player has; 401 if it was deleted."""
        return check_known(await self._database.read(store.count_games, player.id))

    async def add_guest(self, address: str) -> str:
        """Return a new guest's token; 403 without guests, 429 above the rate, 503 if too many."""
        if not self._settings.guests:
            raise RequestError(403, "this server has no guests; use an access token")
        _refuse_until(self._new_guests.take(network_of(address)), "new guests of this address")
        token = make_token()
        seen_before = time.time() - 3600 * self._settings.guest_hours
        added = await self._database.write(
            _add_guest, hash_token(token), self._settings.guests, seen_before
        )
        if not added:
            raise RequestError(503, "there are too many guests; use an access token", 60.0)
        return token

    def _admit(self, player: Player, address: str, cost: float = 1.0) -> None:
        if player.is_guest:
            _refuse_until(self._addresses.take(network_of(address), cost), "this address")
        else:
            _refuse_until(self._tokens.take(player.id, cost), "this token")

    async def _find(self, token: str, address: str) -> Player:
        hashed = hash_token(token[: _MAX_TOKEN_LENGTH + 1])
        known = self._known_tokens.get(hashed)
        if known is not None and self._clock() - known[1] < SECONDS_KNOWN:
            return known[0]
        if known is None:
            # Unknown until the contrary is read, so that tokens are not tried faster than this.
            self.admit_address(address)
        now = self._clock()
        player = await self._database.read(store.find_player, hashed)
        self._known_tokens.pop(hashed, None)
        check_known(player)
        if known is None:
            self._addresses.take(network_of(address), -1)
        self._known_tokens[hashed] = player, now
        if len(self._known_tokens) > _MAX_TOKENS:
            del self._known_tokens[next(iter(self._known_tokens))]
        return player


def _refuse_until(wait: float, whose: str) -> None:
    if wait:
        raise RequestError(429, f"too many requests: {whose}; wait a moment", wait)


def check_known(found: T | None) -> T:
    """Return what was found of a player; 401 if nothing was."""
    if found is None:
        raise RequestError(401, "the access token is not known")
    return found


def _add_guest(connection: Connection, token_hash: str, most: int, seen_before: float) -> bool:
    """Store a guest if there is room; return whether."""
    if store.count_guests(connection) >= most:
        store.forget_guests(connection, seen_before, time.time() - _UNUSED_GUEST_SECONDS)
        if store.count_guests(connection) >= most:
            return False
    store.add_player(connection, None, token_hash)
    return True
