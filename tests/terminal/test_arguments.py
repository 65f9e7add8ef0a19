"""How commands are started, and their streams when these are closed or full."""

import subprocess
import sys

import pytest

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.terminal.arguments import interpreter
from tests.processes import ROOT, command, environment, start

pytestmark = pytest.mark.slow


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "\u8a5e \u2603.txt"
    # Enough for every part of the split.
    path.write_text("\n".join(first + second for first in ALPHABET for second in ALPHABET))
    return ("--words", path)


def test_a_full_output_is_one_line_and_status_2(words):
    with open("/dev/full", "w") as full:
        program = command("evaluate.py", *words)
        done = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, env=environment())
    assert done.returncode == 2
    assert done.stderr == b"evaluate.py: error: No space left on device\n"


def test_text_that_the_output_cannot_encode_is_replaced(words):
    program = command("evaluate.py", *words)
    coding = {**environment(), "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(program, capture_output=True, cwd=ROOT, env=coding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? ?.txt" in done.stdout


def test_a_closed_pipe_ends_the_command_without_a_message(words):
    with start("evaluate.py", *words) as process:
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
