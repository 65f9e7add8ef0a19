"""Dependencies of routes: the parts of the application, and the address and player of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request, Security
from fastapi.security import APIKeyQuery, HTTPAuthorizationCredentials, HTTPBearer

from hangman_lab.server.agent import AgentPlayer
from hangman_lab.server.database import Database
from hangman_lab.server.errors import RequestError
from hangman_lab.server.leaderboard import RankingCache
from hangman_lab.server.players import Player, Players
from hangman_lab.server.rates import Buckets
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings


@dataclass(frozen=True)
class Services:
    """The parts of the application that answer requests."""

    database: Database
    players: Players
    ranking: RankingCache
    agent: AgentPlayer | None
    words: ServedWords
    settings: Settings
    rates: Buckets


# Coroutines, as FastAPI runs plain functions on threads. Each dependency costs a request 0.1 ms.
async def _get_services(request: Request) -> Services:
    return request.app.state.services


async def _get_address(request: Request) -> str:
    return request.client.host if request.client is not None else ""


async def _get_agent(request: Request) -> AgentPlayer:
    if (agent := request.app.state.services.agent) is None:
        raise RequestError(404, "this server has no agent")
    return agent


async def _player_of_query(
    request: Request,
    token: Annotated[str | None, Security(APIKeyQuery(name="access_token", auto_error=False))],
) -> Player:
    services = await _get_services(request)
    return await services.players.authenticate(token, await _get_address(request))


async def _player_of_header(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(HTTPBearer(auto_error=False))],
) -> Player:
    return await _player_of_query(request, bearer.credentials if bearer is not None else None)


Server = Annotated[Services, Depends(_get_services)]
Agent = Annotated[AgentPlayer, Depends(_get_agent)]
Address = Annotated[str, Depends(_get_address)]
# By the token in the query, as in the challenge's protocol, or in the header.
QueryPlayer = Annotated[Player, Depends(_player_of_query)]
HeaderPlayer = Annotated[Player, Depends(_player_of_header)]
RequestKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=64,
        pattern=r"^[!-~]+$",
        description="sent again with the same key, the request returns the same game",
    ),
]
