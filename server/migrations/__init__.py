"""The schema of the database, brought up to date step by step by Alembic."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect

from envs.errors import InputError
from server.server_lock import ServerLock
from server.store import metadata

# Databases that are older than versions of the schema have this one.
_FIRST = "0001"


def migrate(engine: Engine) -> None:
    """Bring the tables up to date; a file of SQLite that has some is copied first.

    Raises
    ------
    InputError
        If the database is newer than this server, lacks something, or another server plays in it.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    scripts = ScriptDirectory.from_config(config)
    with engine.connect() as connection:
        current = _find_version(connection)
    if current is not None and current not in [
        script.revision for script in scripts.walk_revisions()
    ]:
        raise InputError(
            f"--db: the database has schema {current}, which is newer than this server's "
            f"({scripts.get_current_head()}); start the server that made it, or a newer one"
        )
    if current != scripts.get_current_head():
        with contextlib.closing(ServerLock(engine)):
            _upgrade(engine, config, scripts.get_current_head())
    with engine.connect() as connection:
        _check(connection)


def _upgrade(engine: Engine, config: Config, head: str) -> None:
    with engine.connect() as connection:
        current = _find_version(connection)
        has_tables = inspect(connection).has_table("players")
        connection.rollback()
        if engine.dialect.name == "sqlite":
            raw = connection.connection.dbapi_connection
            if has_tables and current != head:
                _copy(raw, head)
            # Tables that are made anew must not take the rows of others with them.
            raw.execute("PRAGMA foreign_keys=OFF").close()
        with connection.begin():
            if engine.dialect.name == "postgresql":
                # What is short for a request may be long for a migration.
                connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            config.attributes["connection"] = connection
            if has_tables and current is None:
                command.stamp(config, _FIRST)
            command.upgrade(config, "head")


def _find_version(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _copy(connection: sqlite3.Connection, head: str) -> None:
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    # Its owner alone can read it, as it has the words of open games.
    file, copy = tempfile.mkstemp(prefix=f"{Path(path).name}.before-{head}-", dir=Path(path).parent)
    os.close(file)
    with contextlib.closing(sqlite3.connect(copy)) as target:
        connection.backup(target)


def _check(connection: Connection) -> None:
    inspector = inspect(connection)
    for table in metadata.sorted_tables:
        found = {column["name"] for column in inspector.get_columns(table.name)}
        if missing := sorted({column.name for column in table.columns} - found):
            names = ", ".join(missing)
            raise InputError(f"--db: table {table.name} lacks {names}; restore a copy of it")
