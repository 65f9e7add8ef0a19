"""Players: whose a token is, guests, and what their requests cost.

What is kept in memory is what the database holds; all of it runs on one event loop.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeVar

from hangman_lab.server import store
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Buckets, Clock, networks_of
from hangman_lab.server.settings import Settings
from hangman_lab.server.store import GameCounts, Player

# A token that was replaced or revoked stays known for this time.
SECONDS_KNOWN = 1.0
# Requests that one of a guest, or one with an unknown token, counts as.
GUEST_COST = 8
# Requests that a hint, or a game of the agent, counts as, beside its own.
AGENT_COST = 10
# New guests at once: those of these seconds.
_NEW_GUEST_BURST_SECONDS = 300.0
_MAX_TOKENS = 20_000
# A longer text is no token.
_MAX_TOKEN_LENGTH = 128

T = TypeVar("T")


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
    """Players by their tokens, and what the requests of guests and to the agent cost."""

    def __init__(self, database: Database, rates: Buckets, settings: Settings) -> None:
        self._database = database
        self._rates = rates
        self._clock: Clock = time.monotonic
        # By the hash of a token, its player and when that was read; the oldest first.
        self._known_tokens: OrderedDict[str, tuple[Player, float]] = OrderedDict()
        self._has_guests = settings.guests > 0
        rate = settings.new_guest_rate
        self._new_guests = Buckets(rate, max(1, _NEW_GUEST_BURST_SECONDS * rate))

    async def authenticate(self, token: str | None, address: str) -> Player:
        """Return whose a token is; 401 without one or with an unknown one, 429 above its rate."""
        if not token:
            raise RequestError(401, "no access token is given")
        player = await self._find(token, address)
        if player.is_guest:
            self._rates.take(address, GUEST_COST - 1)
        return player

    def admit_agent(self, player: Player, address: str) -> Hashable:
        """Let a player ask the agent; return the identity in whose turn. 429 above the rate."""
        self._rates.take(address, AGENT_COST)
        return next(iter(networks_of(address))) if player.is_guest else player.id

    async def count_games(self, player: Player) -> GameCounts:
        """Return how many games a player has; 401 if it was deleted."""
        return check_known(await self._database.read(store.count_games, player.id))

    async def add_guest(self, address: str) -> str:
        """Return a new guest's token; 403 without guests, 429 above the rate of new guests."""
        if not self._has_guests:
            raise RequestError(403, "this server has no guests; use an access token")
        self._new_guests.take(address)
        token = make_token()
        await self._database.write(store.add_player, None, hash_token(token))
        return token

    async def _find(self, token: str, address: str) -> Player:
        hashed = hash_token(token[: _MAX_TOKEN_LENGTH + 1])
        known = self._known_tokens.get(hashed)
        if known is not None and self._clock() - known[1] < SECONDS_KNOWN:
            return known[0]
        if known is None:
            # Unknown until the contrary is read, so that tokens are not tried faster than this.
            self._rates.take(address, GUEST_COST - 1)
        now = self._clock()
        player = await self._database.read(store.find_player, hashed)
        self._known_tokens.pop(hashed, None)
        check_known(player)
        if known is None:
            self._rates.take(address, 1 - GUEST_COST)
        self._known_tokens[hashed] = player, now
        if len(self._known_tokens) > _MAX_TOKENS:
            self._known_tokens.popitem(last=False)
        return player


def check_known(found: T | None) -> T:
    """Return what was found of a player; 401 if nothing was."""
    if found is None:
        raise RequestError(401, "the access token is not known")
    return found
