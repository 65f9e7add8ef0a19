"""A PostgreSQL server for tests, in a folder of its own that goes with it.

    python tests/server/throwaway_postgres.py

starts one, prints its URL for ``serve.py --db``, and removes it after Ctrl-C. It needs the
programs of PostgreSQL (Debian: ``postgresql``), not a server that runs already.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

_USER = "hangman"
# PostgreSQL refuses to run as root.
_UNPRIVILEGED = ("postgres", "nobody")


def find_programs():
    """Return the folder of initdb and pg_ctl, or None."""
    found = shutil.which("pg_ctl")
    if found and shutil.which("initdb"):
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((folder for folder in folders[::-1] if (folder / "initdb").exists()), None)


@contextmanager
def throwaway_postgres(durable=True):
    """Run a server; yield the URL of its database.

    One that is not durable forgets games when the machine loses its power, and is faster.
    """
    programs = find_programs()
    folder = Path(tempfile.mkdtemp(prefix="hangman-postgres-"))
    prefix = []
    if os.geteuid() == 0:
        user = next(user for user in _UNPRIVILEGED if _has_user(user))
        shutil.chown(folder, user)
        prefix = ["runuser", "-u", user, "--"]
    port = _free_port()

    def run(program, *arguments):
        subprocess.run(
            [*prefix, str(programs / program), "-D", str(folder / "data"), *arguments],
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )

    try:
        run("initdb", "-U", _USER, "--auth=trust", "--encoding=UTF8", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
        options += "" if durable else " -c fsync=off"
        run("pg_ctl", "start", "-w", "-s", "-l", str(folder / "log"), "-o", options)
        try:
            yield f"postgresql://{_USER}@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "stop", "-s", "-m", "immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def empty_database(url):
    """Drop what is in a database; return its URL."""
    from sqlalchemy import create_engine, make_url, text

    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return url


def _has_user(name):
    import pwd

    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def main():
    if find_programs() is None:
        raise SystemExit("the programs of PostgreSQL are not installed (Debian: postgresql)")
    with throwaway_postgres() as url:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        print(f"{url}\nCtrl-C removes it", flush=True)
        # A shell lets programs in its background ignore Ctrl-C; it ends them by SIGTERM.
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
