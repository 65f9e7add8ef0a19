"""Kills and SIGTERM under load, full disks, read-only folders and broken files."""

import contextlib
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
import requests

from tests.server.load import add_token, check_nothing_lost, play_while, serving

pytestmark = pytest.mark.slow

# docs/server.md has the result of a hundred.
KILLS = 3
GAMES = "api/v1/games"


@pytest.fixture
def disk(tmp_path):
    """A small disk that can be filled."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root mounts disks")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def serve(real_words):
    """Start a server on a file; return its process, its address and a session with a token."""
    stack = contextlib.ExitStack()

    def serve(path):
        options = ("--agent", "none", "--address-rate=1e9", "--kept-games", 10**6)
        process, address = stack.enter_context(serving(path, *options, words=real_words))
        session = stack.enter_context(requests.Session())
        session.headers["Authorization"] = f"Bearer {add_token(path, 'alice')}"
        return process, address, session

    with stack:
        yield serve


def wait_for(process, cause):
    """Wait until the log has a database failure with this cause."""
    give_up = time.monotonic() + 30
    while f"the database failed: {cause}" not in process.read():
        assert time.monotonic() < give_up, process.read()
        time.sleep(0.1)


def test_no_answered_guess_is_lost_or_counted_twice_through_kills(tmp_path, serve):
    path = tmp_path / "games.sqlite3"
    process, address, _ = serve(path)

    def kill():
        for _ in range(KILLS):
            time.sleep(0.7)
            process.kill()
            process.start()
        time.sleep(0.7)

    witnesses = play_while(kill, address, add_token(path, "bob"), clients=16)
    num_answered = check_nothing_lost(path, witnesses)
    print(f"{KILLS} kills: {num_answered:,} answered guesses in {len(witnesses):,} games")
    # Guesses were answered before, between and after the kills.
    assert num_answered > 16 * KILLS
    # The check notices a loss.
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET guesses = SUBSTR(guesses, 2)")
    with pytest.raises(AssertionError):
        check_nothing_lost(path, witnesses)


@pytest.mark.parametrize("locked", [False, True])
def test_sigterm_under_load_loses_no_answered_guess(tmp_path, serve, locked):
    path = tmp_path / "games.sqlite3"
    process, address, _ = serve(path)

    def end():
        time.sleep(1.0)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            if locked:
                other.execute("BEGIN IMMEDIATE")
                wait_for(process, "database is locked")
            process.end_within(10)

    witnesses = play_while(end, address, add_token(path, "bob"), clients=32, retries=0)
    num_answered = check_nothing_lost(path, witnesses, all_answered=False)
    assert locked or num_answered > 32


def test_a_full_disk_is_reported_and_games_continue_when_there_is_room(disk, serve):
    process, address, session = serve(disk / "games.sqlite3")
    game = session.post(f"{address}/{GAMES}", json={}).json()["game_id"]
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    answers = (session.post(f"{address}/{GAMES}", json={}) for _ in range(500))
    refused = next(answer for answer in answers if answer.status_code != 201)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert refused.json() == {"error": "the database is not available; try again"}
    wait_for(process, "database or disk is full")
    ballast.unlink()
    guess = session.post(f"{address}/{GAMES}/{game}/guesses", json={"letter": "e"})
    assert guess.status_code == 200
    assert session.post(f"{address}/{GAMES}", json={}).status_code == 201


def test_the_processes_of_the_agent_end_with_a_server_that_is_killed(tmp_path, real_words):
    options = ("--agent", "dictionary", "--agent-processes", 2)
    with serving(tmp_path / "games.sqlite3", *options, words=real_words) as (process, _):
        pid = process.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        # Both are loaded before the server listens.
        assert len(children) > 2
    give_up = time.monotonic() + 10
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < give_up, "a process still runs"
        time.sleep(0.05)
