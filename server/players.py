"""Players by their tokens, guests, and the cost of their requests."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress
from typing import TypeVar

from hangman_lab.server import store
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.rates import Buckets, Clock, networks_of
from hangman_lab.server.settings import Settings
from hangman_lab.server.store import GameCounts, Player

# Maximum age of a token in memory.
SECONDS_KNOWN = 1.0
# Tokens of the bucket that a request takes as a guest, or with an unknown access token.
GUEST_COST = 8
# Further tokens that a hint or a game of the agent takes.
AGENT_COST = 10
_NEW_GUEST_BURST_SECONDS = 300.0
# Games deleted per transaction; seconds between transactions, and between searches.
_PRUNED_GAMES = 50
_PAUSE = 0.02
_PRUNE_SECONDS = 5.0
# Guests seen since then may be playing.
_SEEN_SECONDS = 600.0
_MAX_TOKENS = 20_000
_MAX_TOKEN_LENGTH = 128

T = TypeVar("T")


def make_token() -> str:
    """Return a new access token of 256 random bits."""
    return "hm_" + secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the SHA-256 of a token; as tokens are random, a salt would add nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Players:
    """Players by their tokens, and the cost of their requests."""

    def __init__(self, database: Database, rates: Buckets, settings: Settings) -> None:
        self._database = database
        self._rates = rates
        self._clock: Clock = time.monotonic
        # By the hash of a token, its player and when that was read; oldest first.
        self._known_tokens: OrderedDict[str, tuple[Player, float]] = OrderedDict()
        self._has_guests = settings.guests > 0
        rate = settings.new_guest_rate
        self._new_guests = Buckets(rate, max(1, _NEW_GUEST_BURST_SECONDS * rate))

    async def authenticate(self, token: str | None, address: str) -> Player:
        """Return the player of a token; 401 if it is missing or unknown, 429 above the rate."""
        if not token:
            raise RequestError(401, "no access token is given")
        player = await self._find(token, address)
        if player.is_guest:
            self._rates.take(address, GUEST_COST - 1)
        return player

    def admit_agent(self, player: Player, address: str) -> Hashable:
        """Return whose turn the agent takes, a player's or a network's; 429 above the rate."""
        self._rates.take(address, AGENT_COST)
        return next(iter(networks_of(address))) if player.is_guest else player.id

    async def count_games(self, player: Player) -> GameCounts:
        """Count the games of a player; 401 if it was deleted."""
        return check_known(await self._database.read(store.count_games, player.id))

    async def add_guest(self, address: str) -> str:
        """Return the token of a new guest; 403 without guests, 429 above the rate."""
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
            # Given back if the token is known. This bounds how fast tokens are tried.
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
    """Return what was found of a player; 401 if it is None."""
    if found is None:
        raise RequestError(401, "the access token is not known")
    return found


async def keep_pruning(database: Database, settings: Settings) -> None:
    """Prune every few seconds until cancelled."""
    while True:
        await asyncio.sleep(_PRUNE_SECONDS)
        # The database has logged the cause.
        with suppress(RequestError):
            await prune(database, settings)


async def prune(database: Database, settings: Settings) -> None:
    """Delete old practice games and surplus guests in small transactions."""
    begun_before = store.time() - 86_400 * settings.practice_days
    while not await database.write(store.delete_practice_games, begun_before, _PRUNED_GAMES):
        await asyncio.sleep(_PAUSE)
    seen_since = store.time() - _SEEN_SECONDS
    guests = await database.read(store.list_least_used_guests, settings.guests, seen_since)
    for guest in guests:
        while not await database.write(store.forget_guest, guest, _PRUNED_GAMES):
            await asyncio.sleep(_PAUSE)
