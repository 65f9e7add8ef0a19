"""How commands are started, and their streams when these are closed or full."""

import subprocess
import sys

import pytest

from hangman_lab.terminal.arguments import interpreter
from tests.processes import ROOT, command, environment, start

pytestmark = pytest.mark.slow


GAMES = ("evaluate.py", "--agents", "random", "--games", 9)


def test_a_full_output_is_one_line_and_status_2():
    with open("/dev/full", "w") as full:
        program = command(*GAMES)
        done = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, env=environment())
    assert done.returncode == 2
    assert done.stderr == b"evaluate.py: error: No space left on device\n"


def test_text_that_the_output_cannot_encode_is_replaced(tmp_path):
    secrets = tmp_path / "\u8a5e \u2603.txt"
    secrets.write_text("cat")
    program = command(*GAMES[:3], "--secrets", secrets)
    coding = {**environment(), "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(program, capture_output=True, cwd=ROOT, env=coding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? ?.txt" in done.stdout


def test_a_closed_pipe_ends_the_command_without_a_message():
    with start(*GAMES) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_the_interpreter_has_a_short_path_where_it_is_near(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv/bin/python"))
    assert interpreter() == str(tmp_path / ".venv/bin/python")
    monkeypatch.chdir(tmp_path)
    assert interpreter() == ".venv/bin/python"
