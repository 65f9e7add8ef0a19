"""Access: who sends a request, and the parts of the application that answer it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Request, Security
from fastapi.security import APIKeyQuery, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field

from server.agent_player import AgentPlayer
from server.service import GameService, Player
from server.store import MAX_KEY_LENGTH


class ErrorAnswer(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="one line: what was wrong and what is allowed")


# What every answer may be besides the one that was asked for.
_REASONS = {
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


def responses(**more: str) -> dict[int | str, dict]:
    """Describe the errors of an operation for OpenAPI.

    Parameters
    ----------
    **more : str
        Reasons by status, for example ``http_404="no such game"``.
    """
    reasons = {**_REASONS, **{int(name.removeprefix("http_")): why for name, why in more.items()}}
    return {
        status: {"model": ErrorAnswer, "description": why}
        for status, why in sorted(reasons.items())
    }


# These are asynchronous because FastAPI sends plain functions to a thread, which costs more than
# they do.
async def get_service(request: Request) -> GameService:
    """Return the games of the application."""
    return request.app.state.service


async def get_agent(request: Request) -> AgentPlayer:
    """Return the agent of the application."""
    return request.app.state.agent


async def get_address(request: Request) -> str:
    """Return where a request comes from."""
    return request.client.host if request.client is not None else ""


Service = Annotated[GameService, Depends(get_service)]
TheAgent = Annotated[AgentPlayer, Depends(get_agent)]
Address = Annotated[str, Depends(get_address)]


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
    return await (await get_service(request)).authenticate(token, await get_address(request))


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
