"""Errors of clients: requests that cannot be answered."""

from __future__ import annotations

import math


class RequestError(Exception):
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
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer that belong to the error."""
        headers = {}
        if self.retry_after is not None:
            headers["Retry-After"] = str(max(1, math.ceil(self.retry_after)))
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return headers
