"""Running the command inside the tests' process."""

import json

import pytest

from hangman_lab.evaluation.command_line import main
from tests.processes import run_main


@pytest.fixture
def evaluate(capsys, tmp_path, monkeypatch):
    """Run the command; return (process-like result, content of --json or None)."""
    monkeypatch.setenv("COLUMNS", "160")

    def evaluate(*arguments):
        path = tmp_path / "results.json"
        path.unlink(missing_ok=True)
        done = run_main(main, capsys, *arguments, "--json", path)
        return done, json.loads(path.read_text()) if path.exists() else None

    return evaluate
