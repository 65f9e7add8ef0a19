"""Running the command inside the tests' process, with lines typed into a pipe."""

import io
import sys

import pytest

from hangman_lab.playing.command_line import main
from tests.processes import run_main


@pytest.fixture
def run_command(monkeypatch, capsys):
    """Return a function of options and typed lines that returns the status and all output."""

    def run(options, typed, columns=80):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        done = run_main(main, capsys, *options)
        return done.returncode, done.stdout + done.stderr

    return run
