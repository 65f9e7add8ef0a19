"""Servers as processes, load from clients, and checks of what is stored after a kill."""

import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

from hangman_lab.evaluation.remote_client import GameClient
from hangman_lab.server.players import add_player, make_token
from tests.processes import command, environment

# Frequent letters first, as most clients guess.
LETTERS = "esiarntolcdugpmhbyfvkwzxjq"


class ServerProcess:
    """``serve.py`` as a process that can be killed and started again at the same port."""

    process: subprocess.Popen[bytes]  # from `start` on

    def __init__(self, path, *options, words=()):
        self.path, self.options, self.port = path, options, 0
        if words:
            listed = path.with_suffix(".txt")
            listed.write_text("\n".join(words))
            self.options += ("--words", listed)
        # The output of every start, in a file: a full pipe would block the server.
        self.output = tempfile.TemporaryFile()  # noqa: SIM115

    def start(self):
        """Start it; return its address once it listens."""
        printed = len(self.read())
        self.process = subprocess.Popen(
            command("serve.py", "--db", self.path, "--port", self.port, *self.options),
            stdout=self.output,
            stderr=subprocess.STDOUT,
            env=environment(),
        )
        while True:
            ended = self.process.poll() is not None
            lines = self.read()[printed:]
            if found := re.search(r"^serving on (http://\S+:(\d+))\n", lines, re.MULTILINE):
                self.port = int(found[2])
                return found[1]
            assert not ended, f"the server did not start: {lines}"
            time.sleep(0.02)

    def read(self):
        """Return what it has printed."""
        size = os.fstat(self.output.fileno()).st_size
        return os.pread(self.output.fileno(), size, 0).decode()

    def end(self, number=signal.SIGTERM, seconds=60):
        """Send a signal; return the exit status. Raise TimeoutExpired if it takes longer."""
        self.process.send_signal(number)
        return self.process.wait(seconds)

    def close(self):
        """End it if it runs."""
        if hasattr(self, "process") and self.process.poll() is None:
            self.end(signal.SIGKILL)
        self.output.close()


@contextmanager
def serving(path, *options, words=()):
    """Run a server; yield it and its address."""
    server = ServerProcess(path, *options, words=words)
    try:
        yield server, server.start()
    finally:
        server.close()


def add_token(path, name):
    """Return the token of a new player, or of a new guest without a name."""
    token = make_token()
    with closing(sqlite3.connect(path)) as connection, connection:
        add_player(connection, name, token)
    return token


def play_while(act, address, token, clients, retries=900):
    """Let clients play until ``act`` has returned; return the games as the clients saw them.

    With retries, a client retries each request until it is answered, through restarts of the
    server. Without, its last guess may stay unanswered.
    """
    games = []
    stopping = threading.Event()
    remote = GameClient(address, token, retries)

    def play_on():
        while not stopping.is_set():
            games.append(game := remote.new_game(recorded=False))
            letters = iter(LETTERS)
            while game.status == "ongoing" and not stopping.is_set():
                remote.guess(game, next(letters))

    with ThreadPoolExecutor(clients) as threads:
        playing = [threads.submit(play_on) for _ in range(clients)]
        try:
            act()
        finally:
            stopping.set()
        for each in playing:
            # Without retries, clients fail when the server ends.
            if (error := each.exception()) and retries:
                raise error
    return games


def check_nothing_lost(path, games, all_answered=True):
    """Compare the database with what clients saw; return the number of answered guesses.

    Without ``all_answered``, the last guess and game of a client may be stored but unanswered.
    """
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT id, guesses, status, secret FROM games").fetchall()
    stored = {game_id: row for game_id, *row in rows}
    for game in games:
        # Fails for a game that is not stored, or was returned twice.
        guesses, status, secret = stored.pop(game.game_id)
        if not all_answered and guesses == LETTERS[: len(game.guesses) + 1]:
            continue
        assert guesses == game.guesses, game
        shown = "".join(letter if letter in guesses else "_" for letter in secret)
        wrong = sum(letter not in secret for letter in guesses)
        assert (game.pattern, game.tries, game.status) == (shown, 6 - wrong, status)
    # A game that no client saw was begun by a retry.
    assert not (all_answered and stored)
    return sum(len(game.guesses) for game in games)
