"""Errors of clients: requests that cannot be answered."""

from __future__ import annotations

import math

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
