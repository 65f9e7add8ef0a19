"""The command ``train.py``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

from rich.console import Console

from envs.errors import InputError
from evaluation.arguments import CommandParser, nonnegative
from evaluation.console import say
from runs.config import find_config, load_config
from training.interruption import Interrupted
from training.run import resume, train


def parser() -> CommandParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog="train.py",
        description="Train a PPO policy for Hangman and play it on words it has never seen.",
    )
    parser.add_argument(
        "--config",
        default="ppo.yaml",
        help="a YAML file, or the name of one in configs/ (default: %(default)s)",
    )
    parser.add_words()
    parser.add_argument("--run-dir", metavar="DIR", help="the folder of the run")
    parser.add_argument("--resume", metavar="RUN_DIR", help="go on with an interrupted run")
    parser.add_argument(
        "--seed", type=nonnegative, metavar="N", help="seed of everything but the split"
    )
    parser.add_overrides("an option of the config")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    command = parser()
    options = command.parse_args(arguments)
    console = Console()
    try:
        if options.resume:
            others = ("words", "run_dir", "seed", "set", "config")
            command.refuse(options, others, "--resume goes on with the run's own config")
            run, _ = resume(options.resume, console)
        else:
            config = load_config(find_config(options.config), options.set)
            if options.words is not None:
                config = config.with_words(options.words)
            if options.seed is not None:
                config = config.model_copy(update={"seed": options.seed})
            run, _ = train(config, console, options.run_dir)
    except InputError as error:
        print(f"train.py: error: {error}", file=sys.stderr)
        return 2
    except Interrupted as stop:
        say(
            console,
            f"stopped; go on with: python train.py --resume {shlex.quote(str(stop.args[0]))}",
        )
        return 130
    except KeyboardInterrupt:
        print("train.py: given up; the last checkpoint is still there", file=sys.stderr)
        return 130
    say(
        console,
        f"""
everything lies in {run.path}
  curves            tensorboard --logdir {shlex.quote(str(run.path.parent))}
  play other words  python evaluate.py --run {shlex.quote(str(run.path))} --split valid
""",
    )
    return 0
