"""Databases of older and newer versions, and copies of them."""

import os
import stat
from importlib import import_module

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine, text

from envs.errors import InputError
from server import database, store
from server.database import open_engine
from tests.server.harness import WIRE, Harness

FIRST = import_module("server.migrations.versions.0001_players_games_guesses")


@pytest.fixture
def older_url(make_url):
    """A database without a version, with a player, a guest and a recorded game of each status."""
    url = make_url()
    engine = database._make_engine(url)
    with engine.begin() as connection:
        with Operations.context(MigrationContext.configure(connection)):
            FIRST.upgrade()
        for name in ("alice", None):
            columns = "name, token_hash, is_guest, seen_at"
            connection.execute(
                text(f"INSERT INTO players ({columns}) VALUES (:name, :hash, :guest, 0)"),
                {"name": name, "hash": str(name), "guest": name is None},
            )
        for status in ("ongoing", "success", "failed", "success"):
            game = os.urandom(16).hex()
            connection.execute(
                text("INSERT INTO games VALUES (:id, 1, 'noon', true, 6, :status, false, NULL, 0)"),
                {"id": game, "status": status},
            )
            connection.execute(
                text("INSERT INTO guesses VALUES (:id, 1, 'o', NULL, 0)"), {"id": game}
            )
    engine.dispose()
    return url


def test_a_new_database_is_as_the_tables_are_described(make_url):
    engine = open_engine(make_url())
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), store.metadata) == []
    engine.dispose()


def test_an_older_database_is_brought_up_to_date_and_loses_nothing(older_url):
    engine = open_engine(older_url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), store.metadata) == []
        (row,) = store.list_standings(connection)
        assert row == store.RecordedCount("alice", games=4, wins=2, unfinished=1, hinted=0)
        assert connection.scalar(text("SELECT COUNT(*) FROM guesses")) == 4
    engine.dispose()
    with Harness(older_url, words=["noon"]) as server:
        token = server.token("bob")
        assert server.get(f"{WIRE}/my_status", access_token=token).json() == [0, 0, 0, 0]


def test_a_file_of_sqlite_is_copied_before_it_is_changed(older_url, tmp_path):
    if not older_url.startswith("sqlite"):
        pytest.skip("PostgreSQL has its own copies")
    open_engine(older_url).dispose()
    open_engine(older_url).dispose()
    (copy,) = tmp_path.glob("*.before-*")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    engine = create_engine(f"sqlite:///{copy}")
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT COUNT(*) FROM games")) == 4
        assert "hinted" not in [*connection.execute(text("SELECT * FROM games")).keys()]
    engine.dispose()


def test_a_migration_that_fails_changes_nothing(older_url, monkeypatch):
    second = "server.migrations.versions.0002_standings_and_secrets"
    import_module(second)
    monkeypatch.setattr("alembic.operations.Operations.drop_index", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        open_engine(older_url)
    monkeypatch.undo()
    engine = open_engine(older_url)
    with engine.connect() as connection:
        assert len(store.list_standings(connection)) == 1
    engine.dispose()


def test_a_database_that_is_newer_is_refused_and_not_changed(make_url):
    url = make_url()
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputError, match=r"^--db: the database has schema 9999, .* newer"):
        open_engine(url)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "9999"
    engine.dispose()


def test_a_column_that_is_missing_is_told_at_the_start(make_url):
    url = make_url()
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE games DROP COLUMN withheld"))
    engine.dispose()
    with pytest.raises(InputError, match="table games lacks withheld"):
        open_engine(url)


def test_what_is_no_database_is_refused_and_not_changed(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    with pytest.raises(InputError, match="file is not a database"):
        open_engine(f"sqlite:///{path}")
    assert path.read_text() == "not a database " * 100
