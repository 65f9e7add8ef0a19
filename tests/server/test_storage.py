"""Kills and SIGTERM under load, and full disks."""

import os
import re
import signal
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest
import requests

from hangman_lab.evaluation.game_client import GameClient
from hangman_lab.server.database import open_database
from hangman_lab.server.players import add_player
from tests.processes import ROOT
from tests.server.harness import API, bearer
from tests.server.load import LETTERS, add_token, serving

pytestmark = pytest.mark.slow

# docs/server.md has the result of a hundred.
KILLS = 3
CLIENTS = 16
OPTIONS = ("--agent", "none", "--address-rate=1e9", "--kept-games", 10**6)


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


def wait_for(process, cause):
    """Wait until the log has a database failure with this cause."""
    give_up = time.monotonic() + 30
    while f"the database failed: {cause}" not in process.read():
        assert time.monotonic() < give_up, process.read()
        time.sleep(0.1)


def play_while(act, address, token):
    """Let clients play until ``act`` has returned; return the games as the clients saw them.

    They retry each request until it is answered, through restarts of the server.
    """
    games = []
    stopping = threading.Event()
    remote = GameClient(address, token, retries=60)

    def play_on():
        while not stopping.is_set():
            games.append(game := remote.new_game(recorded=False))
            letters = iter(LETTERS)
            while game.status == "ongoing" and not stopping.is_set():
                remote.guess(game, next(letters))

    with ThreadPoolExecutor(CLIENTS) as threads:
        playing = [threads.submit(play_on) for _ in range(CLIENTS)]
        try:
            act()
        finally:
            stopping.set()
        for each in playing:
            each.result()
    return games


def check_nothing_lost(path, games):
    """Compare the database with what clients saw; return the number of answered guesses."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT id, guesses, status, secret FROM games").fetchall()
    stored = {game_id: row for game_id, *row in rows}
    for game in games:
        # Fails for a game that is not stored, or was returned twice.
        guesses, status, secret = stored.pop(game.game_id)
        assert guesses == game.guesses, game
        shown = "".join(letter if letter in guesses else "_" for letter in secret)
        wrong = sum(letter not in secret for letter in guesses)
        assert (game.pattern, game.tries, game.status) == (shown, 6 - wrong, status)
    # A game that no client saw was begun by a retry.
    assert not stored
    return sum(len(game.guesses) for game in games)


def test_no_answered_guess_is_lost_or_counted_twice_through_restarts(path, real_words):
    with serving(path, *OPTIONS, words=real_words) as (process, address):

        def restart():
            for number in (*[signal.SIGKILL] * KILLS, signal.SIGTERM):
                time.sleep(0.7)
                process.end(number, seconds=10)
                process.start()
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                wait_for(process, "database is locked")
                assert process.end(seconds=10) == 0
            process.start()
            time.sleep(0.7)

        games = play_while(restart, address, add_token(path, "bob"))
    num_answered = check_nothing_lost(path, games)
    print(f"{KILLS} kills: {num_answered:,} answered guesses in {len(games):,} games")
    # Guesses were answered before, between and after the kills.
    assert num_answered > CLIENTS * KILLS


def test_the_backup_of_the_docs_is_a_dated_copy_and_makes_no_database(path, tmp_path):
    page = (ROOT / "docs/server.md").read_text()
    command = re.search(r"^    umask 077; .*\\\n.*", page, re.MULTILINE)[0]
    database = tmp_path / "hangman.sqlite3"
    (tmp_path / "elsewhere").mkdir()
    with closing(open_database(database)) as connection:
        add_player(connection, "alice", "hm_token")

        def back_up(folder):
            return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True)

        assert back_up(tmp_path).returncode == 0
        assert b"unable to open" in back_up(tmp_path / "elsewhere").stderr
    assert not [*(tmp_path / "elsewhere").iterdir()]
    (copy,) = tmp_path.glob("hangman-*.sqlite3")
    assert re.fullmatch(r"hangman-\d{8}-\d{6}", copy.stem)
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT name FROM players").fetchall() == [("alice",)]


def test_a_full_disk_is_reported_and_games_continue_when_there_is_room(disk, real_words):
    path, ballast = disk / "games.sqlite3", disk / "ballast"
    with serving(path, *OPTIONS, words=real_words) as (process, address):
        headers = bearer(add_token(path, "alice"))

        def post(path="", **body):
            return requests.post(f"{address}{API}/games{path}", json=body, headers=headers)

        game = post().json()["game_id"]
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * 4096):
                pass
        answers = (post() for _ in range(500))
        refused = next(answer for answer in answers if answer.status_code != 201)
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
        assert refused.json() == {"error": "the database is not available; try again"}
        wait_for(process, "database or disk is full")
        assert requests.get(f"{address}{API}/daily").status_code == 503
        ballast.unlink()
        assert requests.get(f"{address}{API}/daily").status_code == 200
        assert post(f"/{game}/guesses", letter="e").status_code == 200
        assert post().status_code == 201
