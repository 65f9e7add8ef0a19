"""Servers as processes, clients that load them, and what is left when they are killed."""

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
from hangman_lab.server.players import add_player, hash_token, make_token
from tests.processes import command, environment

# Frequent letters first, as most clients guess.
LETTERS = "esiarntolcdugpmhbyfvkwzxjq"


class ServerProcess:
    """``serve.py`` as a process that can be killed and started again at the same port."""

    def __init__(self, path, *options, words=()):
        self.path = path
        self.options = options
        if words:
            listed = path.with_suffix(".txt")
            listed.write_text("\n".join(words))
            self.options += ("--words", listed)
        self.port = 0
        self.process = None
        # All that it printed, of every start; a pipe would stop it when nobody reads.
        self.output = tempfile.TemporaryFile()  # noqa: SIM115

    def start(self):
        """Start it; return its address when it listens."""
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
        """End it without a warning."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """End it as a person does; return its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait()

    def end_within(self, seconds):
        """End it as a service manager does; raise TimeoutExpired if that takes longer."""
        self.process.terminate()
        self.process.wait(seconds)

    def close(self):
        """End it if it runs."""
        if self.process is not None and self.process.poll() is None:
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
        add_player(connection, name, hash_token(token))
    return token


@dataclass
class Witness:
    """What a client saw of one game."""

    game: RemoteGame
    # The letters whose guess was answered, in order, and one whose answer did not come.
    answered: str = ""
    unanswered: str = ""


def play_while(act, address, token, clients, retries=900):
    """Let clients play until ``act`` has returned; return what they saw of games.

    With retries each client sends a request again until it is answered: it may find the server
    gone many times. Without, the letter whose answer did not come stays unanswered.
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
            # A server that ended answers no more.
            if (error := each.exception()) and retries:
                raise error
    return witnesses


def check_nothing_lost(path, witnesses, all_answered=True):
    """Compare the database with what clients saw; return the number of answered guesses.

    Without ``all_answered``, a last guess may be stored whose answer did not come, and a game.
    """
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT id, guesses, status, secret FROM games").fetchall()
    stored = {game_id: row for game_id, *row in rows}
    for witness in witnesses:
        game = witness.game
        # A game that is lost, or was answered as two, is not there.
        guesses, status, secret = stored.pop(game.game_id)
        if not all_answered and guesses == witness.answered + witness.unanswered:
            continue
        assert guesses == witness.answered, witness
        shown = "".join(letter if letter in guesses else "_" for letter in secret)
        wrong = sum(letter not in secret for letter in guesses)
        assert (game.pattern, game.tries, game.status) == (shown, 6 - wrong, status)
    # A game without a witness would be one that a repeated request began twice.
    assert not (all_answered and stored)
    return sum(len(witness.answered) for witness in witnesses)
