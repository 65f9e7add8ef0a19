"""Refused requests: the exception, and its OpenAPI schema."""

from __future__ import annotations

import math

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException


class RequestError(HTTPException):
    """A refused request, which may succeed after ``retry_after`` seconds."""

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        headers = {401: {"WWW-Authenticate": "Bearer"}, 405: {"Allow": "GET"}}.get(status, {})
        if retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
        super().__init__(status, message, headers)


class ErrorAnswer(BaseModel):
    """Why a request was refused."""

    error: str = Field(description="one line: what is wrong and what is allowed")


_STATUSES = (400, 401, 403, 404, 408, 409, 413, 422, 429, 431, 503)
# FastAPI's ``responses`` of every route.
RESPONSES: dict[int | str, dict] = {status: {"model": ErrorAnswer} for status in _STATUSES}
