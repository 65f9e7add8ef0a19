"""evaluate.py --workers on a real Ray."""

import pytest

from hangman_lab.evaluation import ray_cluster
from hangman_lab.evaluation.command_line import main
from tests.processes import run_main


@pytest.mark.slow
def test_workers_play_the_same_games(tiny_run, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ray_cluster, "DEFAULT_BATCH_SIZE", 64)
    arguments = ("--run", tiny_run[0].path, "--agents", "ppo", "dictionary", "random", "--csv")
    alone, workers = tmp_path / "alone.csv", tmp_path / "workers.csv"
    for path, option in ((alone, ()), (workers, ("--workers", "local"))):
        done = run_main(main, capsys, *arguments, path, *option)
        assert done.returncode == 0, done.stderr
    assert workers.read_text() == alone.read_text()
