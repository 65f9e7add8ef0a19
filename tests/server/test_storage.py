"""Kills and SIGTERM under load, full disks, read-only folders and broken files."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest
import requests

from tests.server.harness import API, bearer
from tests.server.load import add_token, check_nothing_lost, play_while, serving

pytestmark = pytest.mark.slow

# docs/server.md has the result of a hundred.
KILLS = 3


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
    """Start a server on a file; return its process and its address."""
    options = ("--agent", "none", "--address-rate=1e9", "--kept-games", 10**6)
    with contextlib.ExitStack() as stack:
        yield lambda path: stack.enter_context(serving(path, *options, words=real_words))


def wait_for(process, cause):
    """Wait until the log has a database failure with this cause."""
    give_up = time.monotonic() + 30
    while f"the database failed: {cause}" not in process.read():
        assert time.monotonic() < give_up, process.read()
        time.sleep(0.1)


def test_no_answered_guess_is_lost_or_counted_twice_through_kills(path, serve):
    process, address = serve(path)

    def kill():
        for _ in range(KILLS):
            time.sleep(0.7)
            process.end(signal.SIGKILL)
            process.start()
        time.sleep(0.7)

    games = play_while(kill, address, add_token(path, "bob"), clients=16)
    num_answered = check_nothing_lost(path, games)
    print(f"{KILLS} kills: {num_answered:,} answered guesses in {len(games):,} games")
    # Guesses were answered before, between and after the kills.
    assert num_answered > 16 * KILLS
    # The check notices a loss.
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET guesses = SUBSTR(guesses, 2)")
    with pytest.raises(AssertionError):
        check_nothing_lost(path, games)


@pytest.mark.parametrize("locked", [False, True])
def test_sigterm_under_load_loses_no_answered_guess(path, serve, locked):
    process, address = serve(path)

    def end():
        time.sleep(1.0)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            if locked:
                other.execute("BEGIN IMMEDIATE")
                wait_for(process, "database is locked")
            process.end(seconds=10)

    games = play_while(end, address, add_token(path, "bob"), clients=32, retries=0)
    num_answered = check_nothing_lost(path, games, all_answered=False)
    assert locked or num_answered > 32


def test_a_full_disk_is_reported_and_games_continue_when_there_is_room(disk, serve):
    process, address = serve(disk / "games.sqlite3")
    headers = bearer(add_token(disk / "games.sqlite3", "alice"))

    def post(path="", **body):
        return requests.post(f"{address}{API}/games{path}", json=body, headers=headers)

    game = post().json()["game_id"]
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    answers = (post() for _ in range(500))
    refused = next(answer for answer in answers if answer.status_code != 201)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert refused.json() == {"error": "the database is not available; try again"}
    wait_for(process, "database or disk is full")
    ballast.unlink()
    assert [post(f"/{game}/guesses", letter="e").status_code, post().status_code] == [200, 201]
