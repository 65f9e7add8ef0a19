"""Refusals as the description of the interface tells them: by status, and why."""

from __future__ import annotations

from pydantic import BaseModel, Field


class ErrorAnswer(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="one line: what was wrong and what is allowed")


def describe(reasons: dict[int, str]) -> dict[int | str, dict]:
    """Return what FastAPI's ``responses`` take of reasons by status."""
    return {status: {"model": ErrorAnswer, "description": why} for status, why in reasons.items()}


# What every answer may be besides the one that was asked for.
COMMON = describe(
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
NO_MORE_GAMES = describe({403: "runs are used up, or too many games are open"})
NO_GAME = describe({404: "this token has no such game"})
GAME_OVER = describe({404: "this token has no such game", 409: "the game is over"})
