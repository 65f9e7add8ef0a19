"""Running the command inside the tests' process, with lines typed into a pipe."""

import io
import sys

import pytest

from hangman_lab.playing.command_line import main
from tests.processes import run_main


@pytest.fixture
def run_command(monkeypatch, capsys, tmp_path):
    """Return a function of options, typed lines and words; it returns the status and all output."""

    def run(options, typed, words=None, columns=80):
        if words is not None:
            (tmp_path / "words.txt").write_text("\n".join(words))
            options = ["--words", str(tmp_path / "words.txt"), *options]
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        done = run_main(main, capsys, *options)
        return done.returncode, done.stdout + done.stderr

    return run
