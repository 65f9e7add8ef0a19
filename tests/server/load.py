"""Servers as processes."""

import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing, contextmanager

from hangman_lab.server.players import add_player, make_token
from tests.processes import command, environment

# Frequent letters first, as most clients guess.
LETTERS = "esiarntolcdugpmhbyfvkwzxjq"


class ServerProcess:
    """``serve.py`` as a process that can be ended and started again at the same port."""

    process: subprocess.Popen[bytes]  # from `start` on

    def __init__(self, path, *options, words=(), log=subprocess.STDOUT):
        self.path, self.options, self.port = path, options, 0
        self.log = log
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
            stderr=self.log,
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


@contextmanager
def serving(path, *options, **arguments):
    """Run a server; yield it and its address."""
    server = ServerProcess(path, *options, **arguments)
    with server.output:
        try:
            yield server, server.start()
        finally:
            server.end(signal.SIGKILL)


def add_token(path, name):
    """Return the token of a new player, or of a new guest without a name."""
    token = make_token()
    with closing(sqlite3.connect(path)) as connection, connection:
        add_player(connection, name, token)
    return token
