"""Kills and SIGTERM under load, disks that are full, files that are read-only, locked or broken."""

import asyncio
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import requests

from hangman_lab.server.database import open_database
from tests.processes import assert_refused, command, environment
from tests.server.load import add_token, check_nothing_lost, play_while, serving

pytestmark = pytest.mark.slow

API = "api/v1"


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own, which can be filled and mounted read-only."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root mounts disks")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def serve(real_words):
    """Start a server on a file; return its process, and a function that plays with a token."""
    stack = contextlib.ExitStack()

    def serve(path):
        server = serving(path, "--agent", "none", words=real_words)
        process, address = stack.enter_context(server)
        session = requests.Session()
        session.headers["Authorization"] = f"Bearer {add_token(path, 'alice')}"

        def post(path, body):
            answer = session.post(f"{address}/{API}/{path}", json=body, timeout=30)
            return answer.status_code, answer.json()

        return process, address, post

    with stack:
        yield serve


def fill_disk(path):
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass


def causes(process):
    lines = (json.loads(line) for line in process.read().splitlines() if line.startswith("{"))
    return {line["cause"] for line in lines if line["message"] == "the database failed"}


def test_a_full_disk_is_told_and_play_goes_on_when_there_is_room(disk, serve):
    process, _, post = serve(disk / "games.sqlite3")
    _, game = post("games", {})
    ballast = disk / "ballast"
    fill_disk(ballast)
    status, answer = 201, {}
    for _ in range(200):
        status, answer = post("games", {})
        if status != 201:
            break
    assert (status, answer) == (503, {"error": "the games cannot be stored now; try again"})
    assert causes(process) == {"database or disk is full"}
    ballast.unlink()
    assert post(f"games/{game['game_id']}/guesses", {"letter": "e"})[0] == 200
    assert post("games", {})[0] == 201


def test_a_folder_that_is_read_only_is_told(tmp_path):
    folder = tmp_path / "read_only"
    folder.mkdir()
    path = folder / "games.sqlite3"
    open_database(path).close()
    folder.chmod(0o555)
    # Root writes everywhere, unless it gives that right up.
    unprivileged = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        unprivileged = []
    for options in (("--port", "0", "--agent", "none"), ("token", "alice")):
        done = subprocess.run(
            [*unprivileged, *command("serve.py", "--db", path, *options)],
            capture_output=True,
            text=True,
            env=environment(),
        )
        assert_refused(done, "serve.py", "--db", path, "cannot be used")
    folder.chmod(0o755)


def test_a_file_that_breaks_is_told(tmp_path, serve):
    path = tmp_path / "games.sqlite3"
    process, address, post = serve(path)
    for _ in range(200):
        post("games", {})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    assert post("games", {})[0] == 503
    assert requests.get(f"{address}/readyz", timeout=10).status_code == 503
    assert "database disk image is malformed" in causes(process)


def test_no_answered_guess_is_lost_or_counted_twice_through_kills(tmp_path, real_words):
    path = tmp_path / "games.sqlite3"

    def kill(server):
        for _ in range(3):
            time.sleep(0.7)
            server.kill()
            server.start()
        time.sleep(0.7)

    with serving(path, "--agent", "none", words=real_words) as (server, address):
        token = add_token(path, "alice")
        witnesses = asyncio.run(play_while(partial(kill, server), address, token, clients=16))
    num_answered = check_nothing_lost(path, witnesses)
    # Guesses were answered before, between and after the kills.
    assert num_answered > 16 * 3
    # What is lost is noticed.
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM guesses WHERE number = 1")
    with pytest.raises(AssertionError):
        check_nothing_lost(path, witnesses)


@pytest.mark.parametrize("locked", [False, True])
def test_sigterm_ends_a_server_under_load_and_what_was_answered_is_stored(tmp_path, serve, locked):
    path = tmp_path / "games.sqlite3"
    process, address, _ = serve(path)
    token = add_token(path, "bob")

    def end():
        time.sleep(1.0)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            if locked:
                other.execute("BEGIN IMMEDIATE")
                give_up = time.monotonic() + 30
                while "database is locked" not in causes(process):
                    assert time.monotonic() < give_up, "no request has waited for the lock"
                    time.sleep(0.1)
            process.end_within(10)

    witnesses = asyncio.run(play_while(end, address, token, clients=32, patience=0.0))
    num_answered = check_nothing_lost(path, witnesses, all_seen=False)
    assert locked or num_answered > 32


def test_the_processes_of_the_agent_end_with_a_server_that_is_killed(tmp_path, real_words):
    path = tmp_path / "games.sqlite3"
    with serving(path, "--agent", "dictionary", words=real_words) as (process, _):
        pid = process.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        assert children
    give_up = time.monotonic() + 10
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < give_up, "a process goes on"
        time.sleep(0.05)
