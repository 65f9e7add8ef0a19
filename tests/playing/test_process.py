"""The command as a separate process, at a terminal and in a pipe."""

import io
import re
import subprocess
import termios

import pexpect
import pytest

from tests import processes

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CTRL_C, CTRL_D = "\x03", "\x04"
# Only so that a broken program does not hang the tests; nothing is measured.
PATIENCE = 120


def environment(**changes):
    names = ("NO_COLOR", "COLUMNS", "LINES", "COLORTERM", "FORCE_COLOR")
    kept = {name: text for name, text in processes.environment().items() if name not in names}
    return {**kept, "TERM": "xterm-256color", **changes}


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("abcdefghijklmnopqrstuvwxyzabcdef\n")
    return ["--words", str(path)]


@pytest.fixture
def play(words):
    """Return a function that starts the command at a terminal of 24 lines and 80 columns."""
    games = []

    def start(*options, **changes):
        program, *arguments = processes.command("play.py", *words, *options)
        game = pexpect.spawn(
            program,
            arguments,
            env=environment(**changes),
            cwd=processes.ROOT,
            dimensions=(24, 80),
            timeout=PATIENCE,
            encoding="utf-8",
        )
        game.logfile_read = io.StringIO()
        game.attributes = termios.tcgetattr(game.child_fd)
        games.append(game)
        return game

    yield start
    for game in games:
        game.close(force=True)


def finish(game, keys):
    """Type a key that ends the program; return the status and the whole output."""
    game.send(keys)
    # A key between Python's last look for signals and its waiting is heeded after that wait only.
    while game.expect_exact(["Goodbye.", pexpect.TIMEOUT], timeout=30):
        game.send(keys)
    assert termios.tcgetattr(game.child_fd) == game.attributes
    game.expect(pexpect.EOF)
    game.wait()
    output = game.logfile_read.getvalue()
    lines = ESCAPE.sub("", output).replace("\r\n", "\n").splitlines()
    assert max(map(len, lines)) <= 80
    assert lines.count("Goodbye.") == 1
    assert lines[-1] == "Goodbye."
    assert "Traceback" not in output
    return game.exitstatus, output


@pytest.mark.parametrize(
    ("options", "changes", "keys", "status", "has_escapes"),
    [
        ([], {}, CTRL_C, 130, True),
        (["--no-color"], {}, CTRL_D, 0, False),
        (["--versus", "random"], {"TERM": "dumb"}, CTRL_D, 0, False),
        (["--assist"], {"NO_COLOR": "1"}, CTRL_C, 130, False),
    ],
)
def test_ctrl_c_and_end_of_input_leave_the_terminal_as_it_was(
    play, options, changes, keys, status, has_escapes
):
    prompt = "pattern: " if "--assist" in options else "letter: "
    game = play(*options, **changes)
    game.expect_exact(prompt)
    game.sendline("a*")
    game.expect(r"'a\*'.*\n")
    game.expect_exact(prompt)
    ended, output = finish(game, keys)
    assert ended == status
    assert ("\x1b" in output) == has_escapes


def test_ctrl_c_stops_an_agent_that_is_being_watched(play):
    game = play("--watch", "dictionary", "--speed", "0.001")
    game.expect_exact("its guess: a")
    assert finish(game, CTRL_C)[0] == 130


def test_piped_output_echoes_the_input_without_escape_codes(words):
    result = subprocess.run(
        processes.command("play.py", *words, "--hint"),
        input="a\nz\n\xff\n".encode("latin-1"),
        capture_output=True,
        env=environment(),
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


def test_a_closed_output_ends_the_program_silently(words):
    process = subprocess.Popen(
        processes.command("play.py", *words, "--watch", "random", "--speed", "999"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(PATIENCE) == 1
    assert errors == b""
