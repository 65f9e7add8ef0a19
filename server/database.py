"""The SQLite database: opening, locking, reading on threads, and writing on one thread."""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hangman_lab.envs.errors import InputError
from hangman_lab.server import observability, store
from hangman_lab.server.errors import RequestError

# The user_version of schema.sql.
VERSION = 1
_SCHEMA = Path(__file__).with_name("schema.sql")
_NUM_READERS = 2
_MAX_BATCH = 256
# Seconds to wait for another process's lock, and for the thread.
_BUSY_SECONDS = 2.0
_PATIENCE = 5.0

T = TypeVar("T")
logger = logging.getLogger("server")


def open_database(path: str) -> sqlite3.Connection:
    """Open a database and create missing tables; InputError if it cannot be used."""
    file = Path(path)
    try:
        if not file.exists() or not file.stat().st_size:
            # For the owner alone; SQLite gives its other files the same mode.
            file.touch()
            file.chmod(0o600)
        connection = _connect(path)
        try:
            # What is committed survives the end of the process, but not a loss of power.
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
                connection.execute(f"PRAGMA {pragma}")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (num_tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            if num_tables and version != VERSION:
                raise InputError(
                    f"--db: {path} has tables of version {version}, this server needs {VERSION}; "
                    "start the server that made it, or use a new file"
                )
            # Existing tables may lack an index.
            connection.executescript(_SCHEMA.read_text())
        except BaseException:
            connection.close()
            raise
    except (sqlite3.Error, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"--db: {path} cannot be used ({reason})") from error
    return connection


@contextmanager
def only_server(path: str) -> Iterator[None]:
    """Lock a database against other servers, links to it included; Windows has no such lock."""
    # Closing a file ends SQLite's locks on it, so it is closed after all connections.
    with open(path, "rb") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"--db: another server plays in {path}") from error
        except ImportError:  # Windows
            pass
        yield


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit the changes, or roll them back if an exception is raised."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


class _Write(NamedTuple):
    statement: Callable[..., Any]
    arguments: tuple[Any, ...]
    asked: float
    future: Future[Any]


class Database:
    """Reads on several threads; writes on one: those that arrive in a commit share the next."""

    def __init__(self, path: str) -> None:
        self._writing = open_database(path)
        with transaction(self._writing):
            # The secret that draws words.
            self.draw_key = store.load_draw_key(self._writing)
        self._reading: queue.SimpleQueue[sqlite3.Connection] = queue.SimpleQueue()
        for _ in range(_NUM_READERS):
            self._reading.put(_connect(path))
        self._readers = ThreadPoolExecutor(_NUM_READERS, thread_name_prefix="reader")
        self._waiting: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_on, name="writer", daemon=True)
        self._writer.start()

    async def read(self, statement: Callable[..., T], *arguments: Any) -> T:
        """Run ``statement(connection, *arguments)`` on a thread; 503 if the database fails."""
        asked = time.monotonic()

        def run() -> T:
            _check_wait(asked)
            connection = self._reading.get()
            try:
                # Several statements see the same state.
                connection.execute("BEGIN")
                return statement(connection, *arguments)
            finally:
                connection.rollback()
                self._reading.put(connection)

        with self._refusing("read", "read"):
            return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    async def write(self, statement: Callable[..., T], *arguments: Any) -> T:
        """Run and commit ``statement(connection, *arguments)``, or nothing of it if it raises."""
        future: Future[T] = Future()
        self._waiting.put(_Write(statement, arguments, time.monotonic(), future))
        with self._refusing("write", "stored"):
            return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Write what is waiting, and end the threads."""
        self._waiting.put(None)
        self._writer.join()
        self._readers.shutdown(cancel_futures=True)
        self._writing.close()
        for _ in range(_NUM_READERS):
            self._reading.get().close()

    @contextmanager
    def _refusing(self, what: str, done: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            observability.STORAGE_FAILURES.labels(what).inc()
            logger.error("the database failed", extra={"during": what, "cause": str(error)})
            raise RequestError(503, f"the games cannot be {done} now; try again", 1.0) from error

    def _write_on(self) -> None:
        batch = []
        while None not in batch:
            batch = [self._waiting.get()]
            while len(batch) < _MAX_BATCH and not self._waiting.empty():
                batch.append(self._waiting.get())
            # Cancelled requests are left out.
            writes = [each for each in batch if each and each.future.set_running_or_notify_cancel()]
            if writes:
                self._commit(writes)

    def _commit(self, writes: Sequence[_Write]) -> None:
        begun = time.perf_counter()
        try:
            _check_wait(writes[-1].asked)
            with transaction(self._writing):
                results = [self._run(write) for write in writes]
        except Exception as error:
            results = [error] * len(writes)
        else:
            observability.COMMIT_SECONDS.observe(time.perf_counter() - begun)
        for write, result in zip(writes, results, strict=True):
            if isinstance(result, Exception):
                write.future.set_exception(result)
            else:
                write.future.set_result(result)

    def _run(self, write: _Write) -> Any:
        """Return the result of a statement, or the exception that undid it."""
        self._writing.execute("SAVEPOINT one")
        try:
            result = write.statement(self._writing, *write.arguments)
        except sqlite3.OperationalError:
            raise
        except Exception as error:
            self._writing.execute("ROLLBACK TO one")
            result = error
        self._writing.execute("RELEASE one")
        return result


def _connect(path: str) -> sqlite3.Connection:
    # An absolute path is a file, whatever its name. Several threads use a connection in turn.
    options = {"timeout": _BUSY_SECONDS, "isolation_level": None, "check_same_thread": False}
    connection = sqlite3.connect(os.path.abspath(path), **options)
    connection.row_factory = sqlite3.Row
    return connection


def _check_wait(asked: float) -> None:
    if time.monotonic() - asked > _PATIENCE:
        raise sqlite3.OperationalError("the database did not get to it")
