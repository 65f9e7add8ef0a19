"""The SQLite database: a thread for reads, and one for writes."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from hangman_lab.envs.errors import InputError
from hangman_lab.server.errors import RequestError

# The user_version of schema.sql.
VERSION = 2
_SCHEMA = Path(__file__).with_name("schema.sql")
# Timeout in seconds, for the lock of another process and for the thread.
_PATIENCE = 2.0

T = TypeVar("T")
logger = logging.getLogger("server")


def open_database(path: str) -> sqlite3.Connection:
    """Open a database and create missing tables; InputError if it cannot be used."""
    file = Path(path)
    try:
        if not file.exists() or not file.stat().st_size:
            # Readable by the owner alone; the other files of SQLite inherit the mode.
            file.touch()
            file.chmod(0o600)
        connection = _connect(path)
        try:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (num_tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            if num_tables and version != VERSION:
                raise InputError(
                    f"--db: {path} has tables of version {version}, this server needs {VERSION}; "
                    "start the server that made it, or use a new file"
                )
            connection.executescript(_SCHEMA.read_text())
            key = secrets.token_hex(32)
            connection.execute("INSERT OR IGNORE INTO server_state VALUES (1, ?)", (key,))
        except BaseException:
            connection.close()
            raise
    except (sqlite3.Error, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"--db: {path} cannot be used ({reason})") from error
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit the changes, or roll them back if an exception is raised."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


class Database:
    """A connection for reads and one for writes, each with its own thread."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)
        self._writing, self._reading = open_database(path), _connect(path)
        self._file = os.stat(self._path)
        self._writer, self._reader = (ThreadPoolExecutor(1, name) for name in ("writer", "reader"))

    async def read(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return ``function(connection, *arguments)``; 503 if the database fails."""
        return await self._run(self._reader, lambda: function(self._reading, *arguments))

    async def write(self, function: Callable[..., T], *arguments: Any) -> T:
        """Do the same in a transaction; return after its commit."""

        def run() -> T:
            with transaction(self._writing):
                return function(self._writing, *arguments)

        return await self._run(self._writer, run)

    def close(self) -> None:
        """Finish queued requests, and close the connections."""
        for thread, connection in (self._writer, self._writing), (self._reader, self._reading):
            thread.shutdown()
            connection.close()

    async def _run(self, thread: ThreadPoolExecutor, run: Callable[[], T]) -> T:
        asked = time.monotonic()

        def run_in_time() -> T:
            if time.monotonic() - asked > _PATIENCE:
                raise sqlite3.OperationalError("the database is busy")
            # SQLite keeps writing to a deleted file, whose changes are lost.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.stat(self._path), self._file):
                    return run()
            raise sqlite3.OperationalError(f"{self._path} was removed or replaced; restart")

        try:
            return await asyncio.get_running_loop().run_in_executor(thread, run_in_time)
        except sqlite3.Error as error:
            logger.error("the database failed: %s", error)
            raise RequestError(503, "the database is not available; try again", 1.0) from error


def _connect(path: str) -> sqlite3.Connection:
    # Absolute, so that no name is special to SQLite. Each connection is used by one thread.
    connection = sqlite3.connect(
        os.path.abspath(path), timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    return connection
