"""Errors of clients: requests that cannot be answered."""

from __future__ import annotations

import math

from starlette.exceptions import HTTPException


class RequestError(HTTPException):
    """A request that is refused; the client gets ``{"error": message}``.

    Parameters
    ----------
    status : int
        The HTTP status, 400 to 599.
    message : str
        One line: what was wrong and what is allowed.
    retry_after : float, optional
        Seconds after which the same request may succeed.
    """

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        headers = {} if status != 401 else {"WWW-Authenticate": "Bearer"}
        if retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
        super().__init__(status, message, headers)
