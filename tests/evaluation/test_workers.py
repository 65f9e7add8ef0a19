"""evaluate.py --workers on a real Ray."""

import pytest

from hangman_lab.evaluation.command_line import main
from tests.processes import run_main


@pytest.mark.slow
def test_workers_play_the_same_games(tmp_path, capsys):
    # More games than a batch has, and short ones.
    arguments = ("--agents", "ppo", "dictionary", "random", "--games", 5000, "--max-wrong", 1)
    alone, workers = tmp_path / "alone.csv", tmp_path / "workers.csv"
    for path, option in ((alone, ()), (workers, ("--workers", "local"))):
        done = run_main(main, capsys, *arguments, "--csv", path, *option)
        assert done.returncode == 0, done.stderr
        assert "dictionary: 5,000 games done" in done.stdout
    assert workers.read_text() == alone.read_text()
