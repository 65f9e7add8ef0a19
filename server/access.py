"""Access: who sends a request, and the parts of the application that answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request, Security
from fastapi.security import APIKeyQuery, HTTPAuthorizationCredentials, HTTPBearer

from server.agent_player import AgentPlayer
from server.database import Database
from server.games import Games
from server.leaderboard import RankingCache
from server.players import Player, Players
from server.served_words import ServedWords
from server.settings import Settings
from server.store import MAX_KEY_LENGTH


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


# These are asynchronous because FastAPI sends plain functions to a thread, which costs more than
# they do.
async def get_services(request: Request) -> Services:
    """Return the parts of the application."""
    return request.app.state.services


async def get_address(request: Request) -> str:
    """Return where a request comes from."""
    return request.client.host if request.client is not None else ""


async def _player_of_query(
    request: Request,
    token: Annotated[str | None, Security(APIKeyQuery(name="access_token", auto_error=False))],
) -> Player:
    return await _authenticate(request, token)


async def _player_of_header(
    request: Request,
    credentials: Annotated[
        HTTPAuthorizationCredentials | None, Security(HTTPBearer(auto_error=False))
    ],
) -> Player:
    return await _authenticate(request, credentials and credentials.credentials)


async def _authenticate(request: Request, token: str | None) -> Player:
    # Called rather than declared as dependencies, each of which costs time at every request.
    players = (await get_services(request)).players
    return await players.authenticate(token, await get_address(request))


Server = Annotated[Services, Depends(get_services)]
Address = Annotated[str, Depends(get_address)]
# The token in the query, as the wire contract has it, and in the header.
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
