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
from dataclasses import dataclass

from hangman_lab.evaluation.remote_client import GameClient, RemoteGame
from hangman_lab.server.players import add_player, make_token
from tests.processes import command, environment

# Frequent letters first, as most clients guess.
LETTERS = "esiarntolcdugpmhbyfvkwzxjq"


class ServerProcess:
    """``serve.py`` as a process that can be killed and started again at the same port."""

    process: subprocess.Popen[bytes]  # from `start` on

    def __init__(self, path, *options, words=()):
        self.path = path
        self.options = options
        if words:
            listed = path.with_suffix(".txt")
            listed.write_text("\n".join(words))
            self.options += ("--words", listed)
        self.port = 0
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

    def kill(self):
        """Send SIGKILL, and wait."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Send SIGINT; return the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait()

    def end_within(self, seconds):
        """Send SIGTERM; raise TimeoutExpired if it takes longer."""
        self.process.terminate()
        self.process.wait(seconds)

    def close(self):
        """End it if it runs."""
        if hasattr(self, "process") and self.process.poll() is None:
            self.kill()
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


@dataclass
class Witness:
    """What a client saw of one game."""

    game: RemoteGame
    # The answered guesses in order, and one that was not answered.
    answered: str = ""
    unanswered: str = ""


def play_while(act, address, token, clients, retries=900):
    """Let clients play until ``act`` has returned; return what they saw of games.

    With retries, a client retries each request until it is answered, through restarts of the
    server. Without, its last guess may stay unanswered.
    """
    witnesses = []
    stopping = threading.Event()
    remote = GameClient(address, token, retries)

    def play_on():
        while not stopping.is_set():
            game = remote.new_game(recorded=False)
            witnesses.append(witness := Witness(game))
            for letter in LETTERS:
                witness.unanswered = letter
                remote.guess(game, letter)
                witness.answered += letter
                witness.unanswered = ""
                if game.status != "ongoing" or stopping.is_set():
                    break

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
    return witnesses


def check_nothing_lost(path, witnesses, all_answered=True):
    """Compare the database with what clients saw; return the number of answered guesses.

    Without ``all_answered``, the last guess and game of a client may be stored but unanswered.
    """
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT id, guesses, status, secret FROM games").fetchall()
    stored = {game_id: row for game_id, *row in rows}
    for witness in witnesses:
        game = witness.game
        # Fails for a game that is not stored, or was returned twice.
        guesses, status, secret = stored.pop(game.game_id)
        if not all_answered and guesses == witness.answered + witness.unanswered:
            continue
        assert guesses == witness.answered, witness
        shown = "".join(letter if letter in guesses else "_" for letter in secret)
        wrong = sum(letter not in secret for letter in guesses)
        assert (game.pattern, game.tries, game.status) == (shown, 6 - wrong, status)
    # A game that no client saw was begun by a retry.
    assert not (all_answered and stored)
    return sum(len(witness.answered) for witness in witnesses)
