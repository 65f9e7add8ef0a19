"""The database as requests reach it: what fails there is refused, and told in the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from server import metrics
from server.database import Database, cause
from server.errors import RequestError

logger = logging.getLogger("server")


class AlreadyStoredError(RequestError):
    """The same was stored by another request."""


class Storage:
    """Reads and writes for requests, which get 503 where the database fails."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._reported: dict[str, tuple[str, float]] = {}

    async def read(self, statement: Callable[..., Any], *of: Any) -> Any:
        """Read as :meth:`server.database.Database.read` does."""
        try:
            return await self.database.read(statement, *of)
        except SQLAlchemyError as error:
            self._report("read", error)
            raise RequestError(503, "the games cannot be read now; try again", 1.0) from error

    async def write(self, statement: Callable[..., Any], *of: Any) -> Any:
        """Write as :meth:`server.database.Database.write` does."""
        try:
            return await self.database.write(statement, *of)
        except SQLAlchemyError as error:
            refusal = AlreadyStoredError if isinstance(error, IntegrityError) else RequestError
            if refusal is RequestError:
                self._report("write", error)
            raise refusal(503, "the games cannot be stored now; try again", 1.0) from error

    def _report(self, what: str, error: SQLAlchemyError) -> None:
        """Log why the database failed, the same cause once a second: a disk may be full."""
        metrics.STORAGE_FAILURES.labels(what).inc()
        why, now = cause(error), time.monotonic()
        last = self._reported.get(what)
        if last is None or last[0] != why or now - last[1] >= 1.0:
            self._reported[what] = why, now
            logger.error("the database failed", extra={"during": what, "cause": why})
