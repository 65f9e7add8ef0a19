"""Running the project's commands as processes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"hangman_lab"})


def environment():
    return {**os.environ, "PYTHONWARNINGS": "", "COLUMNS": "120", "TERM": "dumb"}


def command(script, *arguments):
    """The command line of a script as ``train.py``, or of a module as ``examples.ppo``."""
    program = [str(ROOT / script)] if script.endswith(".py") else ["-m", script]
    return [sys.executable, *program, *map(str, arguments)]


def run(script, *arguments, cwd=None):
    """Run a command to its end."""
    process = start(script, *arguments, cwd=cwd)
    output = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, *output)


def start(script, *arguments, cwd=None):
    """Start a command and return the process."""
    return subprocess.Popen(
        command(script, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd or ROOT,
        env=environment(),
    )


def run_main(main, capsys, *arguments):
    """Run the ``main`` of a command to its end in this process."""
    status: Any
    try:
        status = main([*map(str, arguments)])
    except SystemExit as ending:
        status = ending.code
    return subprocess.CompletedProcess(arguments, status, *capsys.readouterr())


def assert_refused(done, script, *said):
    """It ended with status 2 and one line on stderr that has all of ``said``."""
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"{script}: error: ")
    for part in said:
        assert str(part) in done.stderr
