"""Refused requests: their exception, and how the description of the interface lists them."""

from __future__ import annotations

import math

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException


class RequestError(HTTPException):
    """A request that is refused; the client gets ``{"error": message}``.

    The message is one line: what was wrong and what is allowed. After ``retry_after`` seconds the
    same request may succeed.
    """

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
        if retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
        super().__init__(status, message, headers)


class ErrorAnswer(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="one line: what was wrong and what is allowed")


def describe(reasons: dict[int, str]) -> dict[int | str, dict]:
    """Return FastAPI's ``responses`` for reasons by status."""
    return {status: {"model": ErrorAnswer, "description": why} for status, why in reasons.items()}


# Of every route.
COMMON = describe(
    {
        400: "the request cannot be read",
        401: "no access token, or an unknown one",
        413: "the body is too long",
        414: "the path and query are too long",
        422: "a value is missing or not allowed",
        429: "too many requests; Retry-After says when to try again",
        431: "the headers are too long",
        503: "the server cannot answer now; try again",
    }
)
NO_MORE_GAMES = describe({403: "runs are used up, or too many games are open"})
NO_GAME = describe({404: "this token has no such game"})
GAME_OVER = describe({404: "this token has no such game", 409: "the game is over"})
