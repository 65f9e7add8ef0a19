"""The database: how it is reached, and the one thread that writes to it."""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from envs.errors import InputError
from server.store import metadata

DEFAULT_URL = "sqlite:///hangman.sqlite3"
_DIALECTS = ("sqlite", "postgresql")
_POSTGRESQL_DRIVER = "psycopg"
# Any number that nobody else takes; PostgreSQL's locks are counted by database.
_ADVISORY_LOCK = 0x48616E67
_NUM_READERS = 2
_MAX_BATCH = 256
_BUSY_SECONDS = 30.0
# A server that was killed may hold its lock for a moment.
_PATIENCE = 5.0

T = TypeVar("T")
Statement = Callable[[Connection], T]
logger = logging.getLogger("uvicorn.error")


def open_engine(url: str) -> Engine:
    """Connect to a database and make its tables where they are missing.

    SQLite is put into WAL mode with ``synchronous=NORMAL``: what was committed survives the end
    of the process, however it ends, though not a loss of power.

    Parameters
    ----------
    url : str
        ``sqlite:///FILE`` or ``postgresql://USER@HOST/NAME``.

    Raises
    ------
    InputError
        If it cannot be reached or used.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        parsed = None
    if parsed is None or parsed.get_backend_name() not in _DIALECTS:
        raise InputError(f"--db: {_without_password(url, parsed)} is not a URL of {_allowed()}")
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername=f"postgresql+{_POSTGRESQL_DRIVER}")
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise InputError(f"--db: {url} has no file; games have to outlive the server")
    try:
        # Parameters hold secret words, which no error message may tell.
        engine = create_engine(parsed, hide_parameters=True, pool_pre_ping=True)
    except NoSuchModuleError as error:
        message = f"--db: {parsed.drivername} is not known; allowed is {_allowed()}"
        raise InputError(message) from error
    except ModuleNotFoundError as error:
        raise InputError(
            f"--db: PostgreSQL needs the package {error.name}; "
            "install it with: pip install 'psycopg[binary]'"
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
    try:
        metadata.create_all(engine)
    except (SQLAlchemyError, sqlite3.Error) as error:
        engine.dispose()
        detail = " ".join(str(getattr(error, "orig", None) or error).split())
        raise InputError(
            f"--db: {parsed.render_as_string(hide_password=True)} cannot be used ({detail})"
        ) from error
    return engine


def _allowed() -> str:
    return "sqlite:///FILE or postgresql://USER@HOST/NAME"


def _without_password(url: str, parsed: URL | None) -> str:
    return repr(url) if parsed is None else repr(parsed.render_as_string(hide_password=True))


def _set_pragmas(connection: sqlite3.Connection, record: Any) -> None:
    for pragma in (
        f"busy_timeout={int(_BUSY_SECONDS * 1000)}",
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


class ServerLock:
    """Keeps a second server from the same database; it ends with the process.

    What a server keeps in memory is right only while nobody else plays in its database.

    Raises
    ------
    InputError
        If another server has it.
    """

    def __init__(self, engine: Engine) -> None:
        self._file: FileLock | None = None
        self._connection: Connection | None = None
        if engine.dialect.name == "sqlite":
            self._file = FileLock(f"{engine.url.database}.lock", timeout=_PATIENCE)
            try:
                self._file.acquire()
            except Timeout:
                raise _in_use(engine) from None
            return
        self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        give_up = time.monotonic() + _PATIENCE
        while not self._connection.scalar(text(f"SELECT pg_try_advisory_lock({_ADVISORY_LOCK})")):
            if time.monotonic() > give_up:
                self._connection.close()
                raise _in_use(engine)
            time.sleep(0.1)

    def release(self) -> None:
        """Let another server have the database."""
        if self._file is not None:
            self._file.release()
        if self._connection is not None:
            # Not returned to the pool, where the lock would live on.
            self._connection.invalidate()
            self._connection.close()


def _in_use(engine: Engine) -> InputError:
    return InputError(
        f"--db: another server plays in {engine.url.render_as_string(hide_password=True)}"
    )


class Database:
    """Reads from several threads; writes from one, many requests to a transaction.

    Requests that arrive while a transaction is being committed are written together by the next
    one, so that the cost of a commit is shared. A request is answered after its commit.

    Parameters
    ----------
    engine : Engine
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._readers = ThreadPoolExecutor(_NUM_READERS, thread_name_prefix="reader")
        self._waiting: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_on, name="writer", daemon=True)
        self._writer.start()

    async def read(self, statement: Callable[..., T], *arguments: Any) -> T:
        """Run ``statement(connection, *arguments)`` on a thread of its own."""

        def run() -> T:
            with self._engine.connect() as connection:
                return statement(connection, *arguments)

        return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    async def write(self, statement: Callable[..., T], *arguments: Any) -> T:
        """Run ``statement(connection, *arguments)``; return when it is committed.

        Raises
        ------
        sqlalchemy.exc.SQLAlchemyError
            If it failed; then nothing of it is stored.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.put(_Write(lambda connection: statement(connection, *arguments), future))
        return await future

    def close(self) -> None:
        """End the threads after what is waiting has been written."""
        self._waiting.put(None)
        self._writer.join()
        self._readers.shutdown()
        self._engine.dispose()

    def _write_on(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < _MAX_BATCH and not self._waiting.empty():
                batch.append(self._waiting.get())
            writes = [write for write in batch if write is not None]
            if writes:
                self._commit(writes)
            if len(writes) < len(batch):
                return

    def _commit(self, writes: Sequence[_Write]) -> None:
        try:
            with self._engine.begin() as connection:
                results = [write.statement(connection) for write in writes]
        except Exception as error:
            if len(writes) == 1:
                writes[0].fail(error)
                return
            # One that fails must not take the others with it.
            for write in writes:
                self._commit([write])
            return
        for write, result in zip(writes, results, strict=True):
            write.succeed(result)


class _Write:
    def __init__(self, statement: Statement[Any], future: asyncio.Future[Any]) -> None:
        self.statement = statement
        self._future = future
        self._loop = future.get_loop()

    def succeed(self, result: Any) -> None:
        self._call(self._future.set_result, result)

    def fail(self, error: Exception) -> None:
        self._call(self._future.set_exception, error)

    def _call(self, settle: Callable[[Any], None], value: Any) -> None:
        def unless_cancelled() -> None:
            if not self._future.done():
                settle(value)

        try:
            self._loop.call_soon_threadsafe(unless_cancelled)
        except RuntimeError:
            # Nobody waits any more: the loop is closed.
            logger.debug("a request had ended before it was stored")
