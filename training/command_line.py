"""The command ``train.py``.

What takes seconds to import is imported after the options are read.
"""

from __future__ import annotations

import argparse
import json
import shlex
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.terminal.arguments import (
    CommandParser,
    command_main,
    interpreter,
    invocation,
    nonnegative,
    program,
)
from hangman_lab.terminal.console import say

if TYPE_CHECKING:
    from hangman_lab.run_files.directory import RunDirectory

# The option that ``--from`` sets.
_FIRST = "learner.play.first"


def parser() -> CommandParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog=program("train"),
        description="Train a PPO policy for Hangman and evaluate it on words it has never seen.",
    )
    parser.add_argument(
        "--config",
        default="ppo.yaml",
        help="a YAML file, or the name of one in configs/ (default: %(default)s)",
    )
    parser.add_words()
    parser.add_argument(
        "--from",
        metavar="RUN_DIR",
        help="with from_play.yaml: begin with the words that the games of another run uncovered",
    )
    parser.add_argument("--run-dir", metavar="DIR", help="the folder of the run")
    parser.add_argument("--resume", metavar="RUN_DIR", help="resume an interrupted run")
    parser.add_argument(
        "--seed", type=nonnegative, metavar="N", help="seed of everything but the split"
    )
    parser.add_overrides("a config option")
    return parser


@command_main("train")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    command = parser()
    options = command.parse_args(arguments)
    console = Console()
    # From Slurm, Docker or systemd.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run = _train(command, options, console)
    except KeyboardInterrupt as stop:
        if not stop.args:
            raise
        # training.checkpoint.Interrupted: the folder of the run
        folder = shlex.quote(str(stop.args[0]))
        say(console, f"stopped; resume with: {invocation('train')} --resume {folder}")
        return 130
    played, counts = run.load_config().final_split, json.loads(run.split.read_text())["counts"]
    other = next(part for part in ("valid", "test", "train") if part != played and counts[part])
    sample = f"--split {other} --games {min(1000, counts[other])}"
    say(
        console,
        f"""
results are in {run.path}
  curves            {interpreter()} -m tensorboard.main --logdir {shlex.quote(str(run.path.parent))}
  play other words  {invocation("evaluate")} --run {shlex.quote(str(run.path))} {sample}
""",
    )
    return 0


def _train(command: CommandParser, options: argparse.Namespace, console: Console) -> RunDirectory:
    """Train or resume the run that the options describe; return its directory."""
    with console.status("loading PyTorch"):
        from hangman_lab.run_files.config import find_config, load_config
        from hangman_lab.run_files.directory import RunDirectory
        from hangman_lab.training.run import resume, train

    if options.resume is not None:
        refused = ("words", "from", "run_dir", "seed", "set", "config")
        command.refuse(options, refused, "--resume uses the config of the run")
        if RunDirectory.open(options.resume).evaluation.is_file():
            again = f"{invocation('evaluate')} --run {shlex.quote(options.resume)}"
            raise InputError(f"{options.resume}: the run is finished; to play it: {again}")
        return resume(options.resume, console)[0]
    overrides, begin_with = list(options.set), getattr(options, "from")
    if begin_with is not None:
        overrides.append(f"{_FIRST}={json.dumps(str(Path(begin_with).resolve()))}")
    for key in {text.partition("=")[0] for text in overrides} & {"words", "seed"}:
        command.refuse(options, [key], f"--set has another {key}")
    given = {_FIRST: f"--from {begin_with}"} if begin_with is not None else {}
    path = find_config(options.config)
    config = load_config(path, overrides, given)
    say(console, f"config: {path}")
    if options.words is not None:
        config = config.with_words(options.words)
    if options.seed is not None:
        config = config.model_copy(update={"seed": options.seed})
    return train(config, console, options.run_dir)[0]
