"""The command as a separate process, in a pipe."""

import signal
import subprocess
from contextlib import suppress

import pytest

from tests.processes import start


@pytest.mark.slow
def test_ctrl_c_ends_a_game_with_a_word_and_status_130(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("abcdefghijklmnopqrstuvwxyzabcdef\n")
    game = start("play.py", "--words", words, "--watch", "random", "--speed", 0.001)
    assert game.stdout is not None
    while "lives" not in game.stdout.readline():
        pass
    # A signal between Python's last check and its sleep is handled after the sleep.
    while game.poll() is None:
        game.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            game.wait(10)
    output, errors = game.communicate()
    assert (game.returncode, errors) == (130, "")
    assert output.endswith("Goodbye.\n")
