"""The command as a process of its own, at a terminal and in a pipe."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CTRL_C, CTRL_D = b"\x03", b"\x04"
# Only so that a broken program does not hang the tests; nothing is measured.
PATIENCE = 300


def environment(**changes):
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "COLUMNS", "LINES", "TERM", "COLORTERM", "FORCE_COLOR")
    }
    return {**kept, "TERM": "xterm-256color", **changes}


class TerminalProcess:
    """``play.py`` at a pseudo-terminal of 24 lines and 80 columns."""

    def __init__(self, options, **changes):
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (24, 80))
        self.attributes = termios.tcgetattr(self.slave)
        self.output = ""
        # The shell opens the terminal as the leader of a new session, which makes it the
        # controlling one, so that Ctrl-C arrives as it does for a person.
        script = 'exec "$@" <"$TTY" >"$TTY" 2>&1'
        self.process = subprocess.Popen(
            ["sh", "-c", script, "sh", sys.executable, str(ROOT / "play.py"), *options],
            env=environment(TTY=os.ttyname(self.slave), **changes),
            start_new_session=True,
            cwd=ROOT,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def read_until(self, text, after=0):
        """Wait until ``text`` comes behind the first ``after`` characters; return its place."""
        while text not in self.output[after:]:
            ready, _, _ = select.select([self.master], [], [], PATIENCE)
            assert ready, f"{text!r} does not come after {self.output!r}"
            self.output += os.read(self.master, 65536).decode()
        return self.output.index(text, after)

    def type(self, keys):
        os.write(self.master, keys)

    def wait_for_input(self):
        """Wait until the process sleeps, where the system tells.

        A signal in the instant between Python's last look for one and its waiting for input is
        heeded with the next key only, whatever the program.
        """
        state = Path(f"/proc/{self.process.pid}/stat")
        while state.exists() and state.read_text().rpartition(")")[2].split()[0] == "R":
            time.sleep(0.01)

    def finish(self):
        """Return the status and all lines, and check that the terminal is as it was."""
        status = self.process.wait(PATIENCE)
        while select.select([self.master], [], [], 0)[0]:
            self.output += os.read(self.master, 65536).decode()
        assert termios.tcgetattr(self.slave) == self.attributes
        lines = ESCAPE.sub("", self.output).replace("\r\n", "\n").splitlines()
        assert max(map(len, lines)) <= 80
        assert lines.count("Goodbye.") == 1
        assert lines[-1] == "Goodbye."
        assert "Traceback" not in self.output
        return status, lines


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("abcdefghijklmnopqrstuvwxyzabcdef\n")
    return ["--words", str(path)]


@pytest.mark.parametrize(
    ("options", "changes", "keys", "status", "has_escapes"),
    [
        ([], {}, CTRL_C, 130, True),
        (["--no-color"], {}, CTRL_D, 0, False),
        ([], {"NO_COLOR": "1"}, CTRL_C, 130, False),
        (["--versus", "random"], {"TERM": "dumb"}, CTRL_D, 0, False),
        (["--assist"], {"NO_COLOR": "1"}, CTRL_C, 130, False),
    ],
)
def test_ctrl_c_and_end_of_input_leave_the_terminal_as_it_was(
    words, options, changes, keys, status, has_escapes
):
    prompt = "pattern: " if "--assist" in options else "letter: "
    with TerminalProcess([*words, *options], **changes) as game:
        game.read_until(prompt)
        game.type(b"a*\n")
        explained = game.read_until("'a*'")
        game.read_until(prompt, after=explained)
        game.wait_for_input()
        game.type(keys)
        ended, lines = game.finish()
    assert ended == status
    assert any("'a*'" in line for line in lines)
    assert ("\x1b" in game.output) == has_escapes


def test_ctrl_c_stops_an_agent_that_is_being_watched(words):
    with TerminalProcess([*words, "--watch", "dictionary", "--speed", "0.001"]) as game:
        game.read_until("it would guess a")
        game.type(CTRL_C)
        status, _ = game.finish()
    assert status == 130


def test_a_pipe_gets_what_was_typed_and_no_escape_codes(words):
    typed = "a\nz\n\xff\n".encode("latin-1")
    result = subprocess.run(
        [sys.executable, str(ROOT / "play.py"), *words, "--hint"],
        input=typed,
        capture_output=True,
        env=environment(),
        cwd=ROOT,
        check=True,
    )
    output = result.stdout.decode()
    assert result.stderr == b""
    assert "\x1b" not in output
    assert "letter: a\na is in the word, 2 times\n" in output
    assert "letter: z\nz is in the word, 1 time\n" in output
    assert "is not a letter a to z" in output
    assert max(map(len, output.splitlines())) <= 80
    assert output.endswith("letter: \nGoodbye.\n")


def test_it_ends_silently_when_nobody_reads(words):
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "play.py"), *words, "--watch", "random", "--speed", "999"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=ROOT,
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(PATIENCE) == 1
    assert errors == b""
