"""The lock that keeps a second server from the same database."""

from __future__ import annotations

import os
import time

from sqlalchemy import Connection, Engine, text

from envs.errors import InputError

# Any number that nobody else takes; PostgreSQL's locks are counted by database.
_ADVISORY_LOCK = 0x48616E67
# A server that was killed may hold its lock for a moment.
_PATIENCE = 5.0


class ServerLock:
    """Refuses a second server at its start; the lock ends with the process.

    It is the file that is locked, not its name, so that links and other spellings lead to the same
    lock. A lock that is lost unnoticed does no harm: :class:`server.database.Database` refuses to
    write once another server has begun.

    Raises
    ------
    InputError
        If another server has it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._file: int | None = None
        self._connection: Connection | None = None
        if engine.dialect.name == "sqlite":
            with engine.connect() as connection:
                path = connection.exec_driver_sql("PRAGMA database_list").first()[2]
            self._file = os.open(path, os.O_RDWR)
        else:
            self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        give_up = time.monotonic() + _PATIENCE
        while not self._try():
            if time.monotonic() > give_up:
                self.close()
                shown = engine.url.render_as_string(hide_password=True)
                raise InputError(f"--db: another server plays in {shown}")
            time.sleep(0.1)

    def close(self) -> None:
        """Let another server have the database, and close all connections to it."""
        if self._connection is not None:
            # Not returned to the pool, where the lock would live on.
            self._connection.invalidate()
            self._connection.close()
        # First: to close a file ends the locks that SQLite itself has on it in this process.
        self._engine.dispose()
        if self._file is not None:
            os.close(self._file)

    def _try(self) -> bool:
        if self._connection is not None:
            statement = text(f"SELECT pg_try_advisory_lock({_ADVISORY_LOCK})")
            return bool(self._connection.scalar(statement))
        try:
            import fcntl
        except ImportError:
            # Windows; a second server ends the first one there.
            return True
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
