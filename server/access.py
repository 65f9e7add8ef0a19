"""Access: who sends a request, and the parts of the application that answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request, Security
from fastapi.security import APIKeyQuery, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field

from server.agent_player import AgentPlayer
from server.games import Games
from server.leaderboard import RankingCache
from server.players import Player, Players
from server.served_words import ServedWords
from server.settings import Settings
from server.storage import Storage
from server.store import MAX_KEY_LENGTH


@dataclass(frozen=True)
class Services:
    """The parts of the application that answer requests."""

    storage: Storage
    players: Players
    games: Games
    ranking: RankingCache
    agent: AgentPlayer
    words: ServedWords
    settings: Settings


class ErrorAnswer(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="one line: what was wrong and what is allowed")


def refusals(reasons: dict[int, str]) -> dict[int | str, dict]:
    """Describe the errors of an operation for OpenAPI, by status."""
    return {status: {"model": ErrorAnswer, "description": why} for status, why in reasons.items()}


# What every answer may be besides the one that was asked for.
COMMON_REFUSALS = refusals(
    {
        400: "the request cannot be read",
        401: "no access token, or an unknown one",
        408: "the body takes too long",
        413: "the body is too long",
        414: "the path and query are too long",
        422: "a value is missing or not allowed",
        429: "too many requests; Retry-After says when to try again",
        431: "the headers are too long",
        503: "the server cannot answer now; try again",
    }
)
NO_MORE_GAMES = refusals({403: "runs are used up, or too many games are open"})
NO_GAME = refusals({404: "this token has no such game"})
GAME_OVER = NO_GAME | refusals({409: "the game is over"})


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
