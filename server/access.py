"""Dependencies of routes: the parts of the application, and the address and player of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request, Security
from fastapi.security import APIKeyQuery, HTTPAuthorizationCredentials, HTTPBearer

from hangman_lab.server.agent import AgentPlayer
from hangman_lab.server.database import Database
from hangman_lab.server.games import Games
from hangman_lab.server.leaderboard import RankingCache
from hangman_lab.server.players import Players
from hangman_lab.server.rates import Buckets
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings
from hangman_lab.server.store import MAX_KEY_LENGTH, Player


@dataclass(frozen=True)
class Services:
    """The parts of the application that answer requests."""

    database: Database
    players: Players
    games: Games
    ranking: RankingCache
    agent: AgentPlayer
    words: ServedWords
    settings: Settings
    rates: Buckets


# Coroutines, as FastAPI runs plain functions on threads.
async def _get_services(request: Request) -> Services:
    return request.app.state.services


async def _get_address(request: Request) -> str:
    return request.client.host if request.client is not None else ""


_bearer = HTTPBearer(auto_error=False)
Server = Annotated[Services, Depends(_get_services)]
Address = Annotated[str, Depends(_get_address)]


async def _player_of_query(
    server: Server,
    address: Address,
    token: Annotated[str | None, Security(APIKeyQuery(name="access_token", auto_error=False))],
) -> Player:
    return await server.players.authenticate(token, address)


async def _player_of_header(
    server: Server,
    address: Address,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> Player:
    return await server.players.authenticate(credentials and credentials.credentials, address)


# By the token in the query, as in the challenge's protocol, or in the header.
QueryPlayer = Annotated[Player, Depends(_player_of_query)]
HeaderPlayer = Annotated[Player, Depends(_player_of_header)]
RequestKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=MAX_KEY_LENGTH,
        pattern=r"^[!-~]+$",
        description="a request that is sent again with the same key is answered as before",
    ),
]
