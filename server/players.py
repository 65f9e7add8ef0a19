"""Players: whose a token is, how often each may ask, and guests.

What is kept in memory is what the database holds; all of it runs on one event loop.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Row

from server import store
from server.database import Database
from server.errors import RequestError
from server.rate_limit import Buckets, Clock, TokenBucket, network_of
from server.settings import Settings
from server.tokens import MAX_LENGTH, hash_token, make_token

# A token that was replaced or revoked stays known for so long.
SECONDS_KNOWN = 1.0
# A guest that began no game in this time makes room for another.
_UNUSED_GUEST_SECONDS = 600.0
_MAX_TOKENS = 20_000


@dataclass
class Player:
    """A player while the server runs: how many games it has, and its buckets."""

    id: int
    name: str | None
    is_guest: bool
    requests: TokenBucket
    agent_requests: TokenBucket
    tally: store.Tally


class Players:
    """Players by their tokens, and the rates of what each of them and each address asks."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._clock: Clock = time.monotonic
        # Those whose token is known, or who are being answered.
        self._players: WeakValueDictionary[int, Player] = WeakValueDictionary()
        self._known_tokens: OrderedDict[str, tuple[Player, float]] = OrderedDict()
        self._addresses, self._guests, self._new_guests, self._guest_agents = (
            Buckets(rate, burst)
            for rate, burst in (
                (settings.address_rate, settings.address_burst),
                (settings.guest_address_rate, settings.guest_address_burst),
                (settings.new_guest_rate, settings.new_guest_burst),
                (settings.agent_rate, settings.agent_burst),
            )
        )

    async def authenticate(self, token: str | None, address: str) -> Player:
        """Return whose a token is; 401 without one or with an unknown one, 429 above its rate."""
        if not token:
            raise RequestError(401, "no access token is given")
        player = await self._find(token, address)
        if player.is_guest:
            _refuse_until(self._guests.take(address), "guests of this address")
        _refuse_until(player.requests.take(), "this token")
        return player

    def admit_address(self, address: str) -> None:
        """Let an address ask that shows no token; 429 above its rate."""
        _refuse_until(self._addresses.take(address), "this address")

    def admit_agent(self, player: Player, address: str) -> tuple[Hashable, Hashable]:
        """Let a player ask the agent; return the group and the player. 429 above the rate."""
        wait = self._guest_agents.take(address) if player.is_guest else player.agent_requests.take()
        _refuse_until(wait, "hints and agent games of this token")
        return network_of(address) if player.is_guest else player.id, player.id

    async def add_guest(self, address: str) -> str:
        """Return the token of a new guest, who may play practice games.

        Refused: 403 if there are no guests here, 429 above the rate of the address, 503 if there
        are too many.
        """
        if not self._settings.guests:
            raise RequestError(403, "this server has no guests; use an access token")
        _refuse_until(self._new_guests.take(address), "new guests of this address")
        token = make_token()
        seen_before = time.time() - 3600 * self._settings.guest_hours
        added, forgotten = await self._database.write(
            _add_guest, hash_token(token), self._settings.guests, seen_before
        )
        for number in forgotten:
            self._players.pop(number, None)
        if not added:
            raise RequestError(503, "there are too many guests; use an access token", 60.0)
        return token

    async def _find(self, token: str, address: str) -> Player:
        hashed = hash_token(token[: MAX_LENGTH + 1])
        known = self._known_tokens.get(hashed)
        if known is not None and self._clock() - known[1] < SECONDS_KNOWN:
            return known[0]
        if known is None:
            # Unknown until the contrary is read, so that tokens are not tried faster than this.
            self.admit_address(address)
        now = self._clock()
        stored = await self._database.read(store.find_player, hashed)
        if stored is None:
            self._known_tokens.pop(hashed, None)
            raise RequestError(401, "the access token is not known")
        if known is None:
            self._addresses.give_back(address)
        player = self._players.get(stored.id)
        if player is None:
            tally = await self._database.read(store.load_tally, stored.id)
            # Another request of the player may have been faster.
            player = self._players.get(stored.id) or self._make_player(stored, tally)
        self._players[player.id] = player
        self._known_tokens[hashed] = player, now
        self._known_tokens.move_to_end(hashed)
        if len(self._known_tokens) > _MAX_TOKENS:
            self._known_tokens.popitem(last=False)
        return player

    def _make_player(self, stored: Row, tally: store.Tally) -> Player:
        bounds = self._settings
        rate, burst = bounds.request_rate, bounds.request_burst
        if stored.is_guest:
            rate, burst = bounds.guest_rate, bounds.guest_burst
        requests = TokenBucket(rate, burst, self._clock)
        agent_requests = TokenBucket(bounds.agent_rate, bounds.agent_burst, self._clock)
        return Player(*stored, requests, agent_requests, tally)


def _refuse_until(wait: float, whose: str) -> None:
    if wait:
        raise RequestError(429, f"too many requests: {whose}; wait a moment", wait)


def _add_guest(
    connection: Connection, token_hash: str, max_guests: int, seen_before: float
) -> tuple[bool, list[int]]:
    """Store a guest if there is room; return whether, and who made room."""
    forgotten = []
    if store.count_guests(connection) >= max_guests:
        unused_before = time.time() - _UNUSED_GUEST_SECONDS
        forgotten = store.forget_guests(connection, seen_before, unused_before)
        if store.count_guests(connection) >= max_guests:
            return False, forgotten
    store.add_player(connection, None, token_hash)
    return True, forgotten
