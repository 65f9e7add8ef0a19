"""Dependencies of routes: the services, and the client of a request."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from sqlite3 import Connection
from typing import Annotated, Any, TypeVar

from async_lru import alru_cache
from fastapi import Depends, Header, Request, Security
from fastapi.security import APIKeyQuery, HTTPAuthorizationCredentials, HTTPBearer

from hangman_lab.server import games, leaderboard
from hangman_lab.server.agent import AgentPlayer
from hangman_lab.server.database import VERSION, Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.players import GUEST_PREFIX, Guests, find_player
from hangman_lab.server.rates import Buckets, network_of
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings

# Bucket tokens per request of a guest.
GUEST_COST = 8
# Additional tokens for a hint, a game of the agent, or the leaderboard.
EXTRA_COST = 10
# Rate (per second) and burst of new guests per address; a school may share one.
_NEW_GUESTS, _NEW_GUESTS_AT_ONCE = 0.5, 300
# How long the results of the day and the leaderboard are kept.
_RECENT_SECONDS = 5.0

T = TypeVar("T")


class Services:
    """What all requests share."""

    def __init__(
        self, words: ServedWords, agent: AgentPlayer | None, settings: Settings, rates: Buckets
    ) -> None:
        self.words = words
        self.agent = agent
        self.settings = settings
        self.rates = rates
        self.database = Database(settings.db)
        self.guests = Guests(settings.guests)
        self.new_guests = Buckets(_NEW_GUESTS, _NEW_GUESTS_AT_ONCE)
        # Concurrent requests share one read.
        recent = alru_cache(maxsize=1, ttl=_RECENT_SECONDS)
        self.day = recent(self._count_day)
        self.leaderboard = recent(partial(self.database.read, leaderboard.read))

    async def _count_day(self, date: str) -> games.DayAnswer:
        # Operators ask for the day as health; a full disk can be read, but not written.
        await self.database.write(Connection.execute, f"PRAGMA user_version = {VERSION}")
        return await self.database.read(games.count_day, self.settings.rules, date)


@dataclass(frozen=True)
class Client:
    """The sender of a request with an access token."""

    services: Services
    address: str
    token: str

    async def read(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return ``function(connection, player, *arguments)``; 401 if the token is unknown."""
        return await self.services.database.read(self._call, function, *arguments)

    async def write(self, function: Callable[..., T], *arguments: Any) -> T:
        """Do the same in a transaction; return after its commit."""
        return await self.services.database.write(self._call, function, *arguments)

    def take_turn(self) -> tuple[AgentPlayer, Hashable]:
        """Return the agent and an identity for its queue; 404 without an agent, 429 by the rate."""
        if self.services.agent is None:
            raise RequestError(404, "this server has no agent")
        self.services.rates.take(self.address, EXTRA_COST)
        is_guest = self.token.startswith(GUEST_PREFIX)
        return self.services.agent, network_of(self.address) if is_guest else self.token

    # The player is looked up in the same transaction.
    def _call(self, connection: Connection, function: Callable[..., T], *arguments: Any) -> T:
        return function(connection, find_player(connection, self.token), *arguments)


# Coroutines, since FastAPI runs plain functions on threads.
async def _get_services(request: Request) -> Services:
    return request.app.state.services


async def _get_address(request: Request) -> str:
    return request.client.host if request.client is not None else ""


async def _get_client(
    request: Request,
    token: Annotated[str | None, Security(APIKeyQuery(name="access_token", auto_error=False))],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(HTTPBearer(auto_error=False))],
) -> Client:
    services, address = await _get_services(request), await _get_address(request)
    token = (token or (bearer.credentials if bearer is not None else "")).strip()
    if not token:
        raise RequestError(401, "no access token is given")
    if token.startswith(GUEST_PREFIX):
        services.rates.take(address, GUEST_COST - 1)
    return Client(services, address, token)


Server = Annotated[Services, Depends(_get_services)]
Address = Annotated[str, Depends(_get_address)]
# The token is in the query, as in the challenge's protocol, or in the header.
Caller = Annotated[Client, Depends(_get_client)]
RequestKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=64,
        pattern=r"^[!-~]+$",
        description="a request with the same key returns the same game",
    ),
]
