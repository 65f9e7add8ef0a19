"""The command ``train.py``."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from envs.errors import InputError
from envs.words import DEFAULT_SOURCE
from evaluation.arguments import CommandParser, nonnegative
from runs.config import find_config, load_config
from training.run import Interrupted, resume, train

DEFAULT_CONFIG = "ppo.yaml"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog="train.py",
        description="Train a PPO policy for Hangman and play it on words it has never seen.",
    )
    parser.add_argument(
        "--config",
        default=DEFAULT_CONFIG,
        help="a YAML file, or the name of one in configs/ (default: %(default)s)",
    )
    parser.add_argument("--words", metavar="FILE", help="a word list, one word per line")
    parser.add_argument("--run-dir", metavar="DIR", help="the folder of the run")
    parser.add_argument("--resume", metavar="RUN_DIR", help="go on with an interrupted run")
    parser.add_argument(
        "--seed", type=nonnegative, metavar="N", help="seed of everything but the split"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="key.sub=value",
        help="override an option of the config; may be given more than once",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    options = parser().parse_args(arguments)
    console = Console()
    try:
        if options.resume:
            _refuse_with_resume(options)
            run, _ = resume(options.resume, console)
        else:
            overrides = list(options.overrides)
            if options.words is not None:
                # Quoted, since a path may hold what means something to YAML.
                words = options.words
                if words != DEFAULT_SOURCE:
                    words = str(Path(words).resolve())
                overrides.append(f"words={json.dumps(words, ensure_ascii=False)}")
            if options.seed is not None:
                overrides.append(f"seed={options.seed}")
            config = load_config(find_config(options.config), overrides)
            run, _ = train(config, console, options.run_dir)
    except InputError as error:
        print(f"train.py: error: {error}", file=sys.stderr)
        return 2
    except Interrupted as stop:
        console.print(
            f"stopped; go on with: python train.py --resume {shlex.quote(str(stop.args[0]))}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
        return 130
    except KeyboardInterrupt:
        print("train.py: given up; the last checkpoint is still there", file=sys.stderr)
        return 130
    console.print(
        f"""
everything lies in {run.path}
  curves            tensorboard --logdir {shlex.quote(str(run.path.parent))}
  play other words  python evaluate.py --run {shlex.quote(str(run.path))} --split valid
""",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    return 0


def _refuse_with_resume(options: argparse.Namespace) -> None:
    given = [
        name
        for name, value in (
            ("--words", options.words),
            ("--run-dir", options.run_dir),
            ("--seed", options.seed),
            ("--set", options.overrides or None),
        )
        if value is not None
    ]
    if given or options.config != DEFAULT_CONFIG:
        raise InputError(
            f"--resume goes on with the run's own config; {', '.join(given) or '--config'} "
            "cannot be given with it"
        )
