"""The database: how it is reached, and the one thread that writes to it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as WaitedTooLongError

from envs.errors import InputError
from server import metrics, store
from server.errors import RequestError

DEFAULT_URL = "sqlite:///hangman.sqlite3"
_ALLOWED = "sqlite:///FILE or postgresql://USER@HOST/NAME"
_DRIVERS = ("sqlite", "sqlite+pysqlite", "postgresql", "postgresql+psycopg")
_NUM_READERS = 2
_MAX_BATCH = 256
# How long a statement waits for a lock that somebody else has, and a request for its turn.
_BUSY_SECONDS = 2
_PATIENCE = 5.0

T = TypeVar("T")
logger = logging.getLogger("server")


class _Write(NamedTuple):
    statement: Callable[..., Any]
    arguments: tuple[Any, ...]
    asked: float
    future: Future[Any]


class AlreadyStoredError(RequestError):
    """The same was stored by another request."""


class ReplacedError(SQLAlchemyError):
    """Another server plays in the database, so that this one must not."""


def open_engine(url: str) -> Engine:
    """Open ``sqlite:///FILE`` or ``postgresql://USER@HOST/NAME``; bring its tables up to date.

    SQLite is put into WAL mode with ``synchronous=NORMAL``: what was committed survives the end
    of the process, however it ends, though not a loss of power. A new file can be read by its
    owner alone.

    Raises
    ------
    InputError
        If it cannot be reached or used.
    """
    from server.migrations import migrate

    engine = _make_engine(url)
    shown = engine.url.render_as_string(hide_password=True)
    mask = os.umask(0o077)
    try:
        if engine.dialect.name == "sqlite":
            with engine.connect() as connection:
                if not connection.exec_driver_sql("PRAGMA database_list").first()[2]:
                    raise InputError(f"--db: {shown} has no file; games have to outlive the server")
        migrate(engine)
    except InputError:
        engine.dispose()
        raise
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        engine.dispose()
        raise InputError(f"--db: {shown} cannot be used ({cause(error)})") from error
    finally:
        os.umask(mask)
    return engine


def cause(error: Exception) -> str:
    """Return what a database says of an error, in one line, without the values of a statement."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


def _make_engine(url: str) -> Engine:
    # What cannot be read may have a password anywhere.
    shown, parsed = "the value" if "@" in url else repr(url), None
    with contextlib.suppress(ArgumentError, ValueError):
        parsed = make_url(url)
        shown = repr(parsed.render_as_string(hide_password=True))
    if parsed is None or parsed.drivername not in _DRIVERS:
        raise InputError(f"--db: {shown} is not a URL of {_ALLOWED}")
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    try:
        # Parameters hold secret words, which no error message may tell.
        engine = create_engine(
            parsed,
            hide_parameters=True,
            pool_pre_ping=True,
            poolclass=QueuePool,
            pool_timeout=_BUSY_SECONDS,
            connect_args=_connect_arguments(parsed),
        )
    except ModuleNotFoundError as error:
        raise InputError(
            f"--db: PostgreSQL needs the package {error.name}; "
            "install it with: pip install 'psycopg[binary]'"
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin)
    return engine


def _connect_arguments(url: URL) -> dict[str, Any]:
    if url.get_backend_name() == "sqlite":
        return {"timeout": _BUSY_SECONDS}
    milliseconds = _BUSY_SECONDS * 1000
    return {
        "connect_timeout": _BUSY_SECONDS,
        "options": f"-c lock_timeout={milliseconds} -c statement_timeout={5 * milliseconds}",
    }


def _set_pragmas(connection: sqlite3.Connection, record: Any) -> None:
    # The driver begins transactions late, and none for what it takes for reading.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    reads = connection.get_execution_options().get("reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


class Database:
    """Reads from several threads; writes from one, many requests to a transaction.

    Requests that arrive while a transaction is being committed are written together by the next
    one, so that the cost of a commit is shared. A request is answered after its commit.

    Each transaction makes sure that no other server has begun to play in the database since; when
    one has, ``on_replaced`` is called once, on the writing thread. ``draw_key`` is the secret that
    draws words.
    """

    def __init__(self, engine: Engine, on_replaced: Callable[[], None] = lambda: None) -> None:
        self._engine = engine
        self._reading = engine.execution_options(reads=True)
        self._on_replaced = on_replaced
        self._is_replaced = False
        # Of reading and of writing, the cause that the log has, and when.
        self._told: dict[str, tuple[str, float]] = {}
        with engine.begin() as connection:
            self._generation, self.draw_key = store.claim(connection)
        self._readers = ThreadPoolExecutor(_NUM_READERS, thread_name_prefix="reader")
        self._waiting: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_on, name="writer", daemon=True)
        self._writer.start()

    async def read(self, statement: Callable[..., T], *arguments: Any) -> T:
        """Run ``statement(connection, *arguments)`` on a thread; 503 where the database fails."""
        asked = time.monotonic()

        def run() -> T:
            _check_wait(asked)
            with self._reading.connect() as connection:
                return statement(connection, *arguments)

        with self._refusing("read", "read"):
            return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    async def write(self, statement: Callable[..., T], *arguments: Any) -> T:
        """Run ``statement(connection, *arguments)``; return when it is committed.

        Where the database fails, nothing of it is stored: 503, AlreadyStoredError if it was before.
        """
        future: Future[T] = Future()
        self._waiting.put(_Write(statement, arguments, time.monotonic(), future))
        with self._refusing("write", "stored"):
            return await asyncio.wrap_future(future)

    def close(self) -> None:
        """End the threads after what is waiting has been written."""
        self._waiting.put(None)
        self._writer.join()
        self._readers.shutdown(cancel_futures=True)
        self._engine.dispose()

    @contextlib.contextmanager
    def _refusing(self, what: str, done: str) -> Iterator[None]:
        """Refuse a request where the database fails.

        The log tells the same cause once a second, as a disk may be full for long.
        """
        message = f"the games cannot be {done} now; try again"
        try:
            yield
        except IntegrityError as error:
            raise AlreadyStoredError(503, message, 1.0) from error
        except SQLAlchemyError as error:
            metrics.STORAGE_FAILURES.labels(what).inc()
            why, now = cause(error), time.monotonic()
            told, when = self._told.get(what, ("", now))
            if told != why or now - when >= 1.0:
                self._told[what] = why, now
                logger.error("the database failed", extra={"during": what, "cause": why})
            raise RequestError(503, message, 1.0) from error

    def _write_on(self) -> None:
        batch = []
        while None not in batch:
            batch = [self._waiting.get()]
            while len(batch) < _MAX_BATCH and not self._waiting.empty():
                batch.append(self._waiting.get())
            # Not those that nobody waits for any more.
            writes = [each for each in batch if each and each.future.set_running_or_notify_cancel()]
            if writes:
                self._commit(writes)

    def _commit(self, writes: Sequence[_Write]) -> None:
        begun = time.perf_counter()
        try:
            _check_wait(writes[-1].asked)
            with self._engine.begin() as connection:
                if store.find_generation(connection) != self._generation:
                    raise ReplacedError("another server plays in the database")
                results = [write.statement(connection, *write.arguments) for write in writes]
        except Exception as error:
            # One that fails must not take the others with it, unless it is the database that
            # fails: then each would wait for it again.
            if len(writes) == 1 or isinstance(error, OperationalError | ReplacedError):
                for write in writes:
                    write.future.set_exception(error)
            else:
                for write in writes:
                    self._commit([write])
            if isinstance(error, ReplacedError) and not self._is_replaced:
                self._is_replaced = True
                self._on_replaced()
            return
        metrics.COMMIT_SECONDS.observe(time.perf_counter() - begun)
        for write, result in zip(writes, results, strict=True):
            write.future.set_result(result)


def _check_wait(asked: float) -> None:
    if time.monotonic() - asked > _PATIENCE:
        raise WaitedTooLongError("the database did not get to it")
