"""Commands whose standard input or output is closed or full."""

import subprocess

import pytest

from tests.processes import ROOT, command, environment

pytestmark = pytest.mark.slow


def shell(redirection, script, *arguments):
    """Run a command with streams that a shell redirects."""
    program = ["sh", "-c", f'exec "$@" {redirection}', "sh", *command(script, *arguments)]
    return subprocess.run(program, capture_output=True, text=True, cwd=ROOT, env=environment())


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    # Enough for every part of the split.
    path.write_text("\n".join(f"{first}{second}at" for first in "bcdfgh" for second in "aeiou"))
    return ("--words", path)


def test_a_full_output_is_one_line_and_status_2(words):
    done = shell(">/dev/full", "evaluate.py", *words)
    assert done.returncode == 2
    assert done.stderr == "evaluate.py: error: No space left on device\n"


def test_a_closed_pipe_ends_the_command_without_a_message(words):
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command("evaluate.py", *words), **pipe, env=environment()) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
