"""Disks that are full or read-only, files that are locked or broken, and SIGTERM meanwhile."""

import asyncio
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
import requests
from sqlalchemy import event

from server.database import Database, open_engine
from tests.processes import ROOT
from tests.server.load import ServerProcess, add_token, check_nothing_lost, play_until

pytestmark = pytest.mark.slow

API = "api/v1"


@pytest.fixture
def words(tmp_path, real_words):
    path = tmp_path / "words.txt"
    path.write_text("\n".join(real_words))
    return path


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
def serve(words):
    """Start a server on a file; return its process, and a function that plays with a token."""
    started = []

    def serve(path):
        url = f"sqlite:///{path}"
        process = ServerProcess(url, "--words", words, "--agent", "none")
        started.append(process)
        address = process.start()
        session = requests.Session()
        session.headers["Authorization"] = f"Bearer {add_token(url, 'alice')}"

        def post(path, body):
            answer = session.post(f"{address}/{API}/{path}", json=body, timeout=30)
            return answer.status_code, answer.json()

        return process, address, post

    yield serve
    for process in started:
        process.close()


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


def test_a_database_that_becomes_read_only_is_told_and_play_goes_on_after_it(sqlite_start, caplog):
    server = sqlite_start(words=["banana"])
    token = server.token()
    game = server.new_game(token)
    is_read_only = [True]

    def check_out(connection, *_):
        connection.execute(f"PRAGMA query_only={int(is_read_only[0])}").close()

    event.listen(server.engine, "checkout", check_out)
    assert server.guess(token, game, "b").status_code == 503
    assert "attempt to write a readonly database" in {
        record.cause for record in caplog.records if record.message == "the database failed"
    }
    assert server.get("/readyz").status_code == 200
    is_read_only[0] = False
    assert server.guess(token, game, "b").json()["word"] == "b _ _ _ _ _ "


def test_a_disk_that_is_read_only_at_the_start_is_told(disk, words):
    url = f"sqlite:///{disk}/games.sqlite3"
    add_token(url, "alice")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    process = ServerProcess(url, "--words", words, "--agent", "none")
    try:
        with pytest.raises(AssertionError, match=r"serve.py: error: --db: .* cannot be used \(.*"):
            process.start()
    finally:
        process.close()


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


def test_sigterm_ends_a_server_under_load_and_what_was_answered_is_stored(tmp_path, serve):
    path = tmp_path / "games.sqlite3"
    process, address, _ = serve(path)
    token = add_token(f"sqlite:///{path}", "bob")

    def end():
        time.sleep(1.0)
        assert process.end_within(10)

    witnesses = asyncio.run(play_until(address, token, clients=32, end=end))
    counts = check_nothing_lost(f"sqlite:///{path}", witnesses, all_seen=False)
    assert counts["answered guesses"] > 32


def test_sigterm_ends_a_server_whose_database_is_locked(tmp_path, serve):
    path = tmp_path / "games.sqlite3"
    process, address, _ = serve(path)
    token = add_token(f"sqlite:///{path}", "bob")

    def end():
        time.sleep(0.5)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(3.0)
            assert "database is locked" in causes(process)
            assert process.end_within(10)
            other.execute("ROLLBACK")

    witnesses = asyncio.run(play_until(address, token, clients=32, end=end))
    check_nothing_lost(f"sqlite:///{path}", witnesses, all_seen=False)


def test_a_server_ends_when_another_one_has_begun_to_play(tmp_path, serve):
    path = tmp_path / "games.sqlite3"
    process, _, post = serve(path)
    _, game = post("games", {})
    engine = open_engine(f"sqlite:///{path}")
    other = Database(engine)
    try:
        status, answer = post(f"games/{game['game_id']}/guesses", {"letter": "e"})
        assert (status, answer["error"].split(";")[0]) == (503, "the games cannot be stored now")
        assert process.process.wait(10) == 2
    finally:
        other.close()
    assert "another server has begun to play" in process.read()


def test_it_starts_where_it_may_write_to_no_folder_but_that_of_its_games(tmp_path, words):
    """As a system user without a home does."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root gives up its rights by setpriv")
    root = tmp_path / "project"
    outputs = {path.name for path in (ROOT / "runs").iterdir() if path.is_dir()}
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".*", "__pycache__", *outputs))
    subprocess.run(["chmod", "-R", "a-w", str(root)], check=True)
    games = tmp_path / "games"
    games.mkdir()
    process = ServerProcess(
        f"sqlite:///{games}/games.sqlite3", "--words", words, "--agent", "none", root=root
    )
    try:
        process.start(
            "setpriv",
            "--bounding-set=-all",
            "--inh-caps=-all",
            HOME=str(root / "home"),
            PYTHONDONTWRITEBYTECODE="1",
            TMPDIR=str(games),
        )
        assert process.end_within(10)
    finally:
        process.close()
    assert [*games.glob("hangman-numba-*")]


def test_the_processes_of_the_agent_end_with_a_server_that_is_killed(tmp_path, words):
    url = f"sqlite:///{tmp_path}/games.sqlite3"
    process = ServerProcess(url, "--words", words, "--agent", "dictionary")
    process.start()
    pid = process.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert children
    process.close()
    give_up = time.monotonic() + 10
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < give_up, "a process goes on"
        time.sleep(0.05)
