"""Databases and servers for the tests of the server."""

import pytest

from tests.server.harness import Harness
from tests.server.throwaway_postgres import empty_database, find_programs, throwaway_postgres


@pytest.fixture(scope="session")
def postgres_url():
    if find_programs() is None:
        pytest.skip("the programs of PostgreSQL are not installed (Debian: postgresql)")
    pytest.importorskip("psycopg", reason="the package psycopg is not installed")
    with throwaway_postgres(durable=False) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def make_url(request, tmp_path):
    """Empty a database and return its URL, of SQLite and of PostgreSQL."""
    made = []

    def make():
        made.append(None)
        if request.param == "sqlite":
            return f"sqlite:///{tmp_path}/games_{len(made)}.sqlite3"
        # There is one database, so that a test has to close a server before it makes another.
        return empty_database(request.getfixturevalue("postgres_url"))

    return make


@pytest.fixture
def start(make_url):
    """Start servers without a network, each on an empty database; they are closed at the end."""
    started = []

    def start(**options):
        started.append(Harness(make_url(), **options))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def sqlite_start(tmp_path):
    """As ``start``, on SQLite alone, for what does not depend on the database."""
    started = []

    def start(**options):
        url = f"sqlite:///{tmp_path}/games_{len(started)}.sqlite3"
        started.append(Harness(url, **options))
        return started[-1]

    yield start
    for server in started:
        server.close()
