"""The command ``sweep.py``."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import SWEEP_DIRECTORY, find_config
from hangman_lab.run_files.directory import create_folder, write_text
from hangman_lab.run_files.options import dump_config
from hangman_lab.sweeps.ray_cluster import ray_cluster
from hangman_lab.sweeps.results import best_point, make_table, mean_over_seeds
from hangman_lab.sweeps.sweep_file import SWEEP_FILE, Sweep, load_sweep, read_sweep
from hangman_lab.terminal.arguments import CommandParser, command_main, invocation, program, require
from hangman_lab.terminal.console import say
from hangman_lab.terminal.tables import print_table


def parser() -> CommandParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog=program("sweep"),
        description="Train a recipe over a search space and several seeds on Ray Tune.",
    )
    known = ", ".join(sorted(path.name for path in SWEEP_DIRECTORY.glob("*.yaml")))
    parser.add_argument(
        "sweep",
        nargs="?",
        metavar="SWEEP.yaml",
        help=f"a sweep file, or the name of one in configs/sweeps/ ({known})",
    )
    parser.add_words()
    parser.add_argument("--name", metavar="NAME", help="override the name of the sweep")
    parser.add_argument(
        "--address",
        metavar="ADDRESS",
        help="join a Ray cluster: auto, or HOST:PORT (default: this machine)",
    )
    parser.add_argument("--resume", metavar="DIR", help="resume an interrupted sweep")
    parser.add_overrides("an option of the base recipe, or sweep.key of the sweep file")
    return parser


@command_main("sweep")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    command = parser()
    options = command.parse_args(arguments)
    console = Console()
    folder: Path | None = None
    try:
        require(program("sweep"), "cluster", "ray")
        sweep, folder = _prepare(command, options)
        with ray_cluster(options.address) as ray:
            threads = max(recipe.threads for recipe in sweep.variants())
            cores = ray.cluster_resources().get("CPU", 0)
            if threads > cores:
                text = f"{threads} is more than the {cores:g} cores that Ray has; set fewer threads"
                raise InputError(f"threads: {text}")
            if folder is None:
                folder = create_folder(Path(sweep.config.storage).resolve() / sweep.config.name)
                write_text(folder / SWEEP_FILE, dump_config(sweep))
            say(console, f"sweep directory: {folder}\nat most {sweep.config.num_trials:,} trials")
            from hangman_lab.sweeps.tuning import run_sweep

            trials, num_failed = run_sweep(sweep, folder)
        _report(sweep, folder, trials, num_failed, console)
    except KeyboardInterrupt:
        if folder is None:
            raise
        resume = f"{invocation('sweep')} --resume {shlex.quote(str(folder))}"
        say(console, f"stopped; resume with: {resume}")
        return 130
    return 0


def _prepare(command: CommandParser, options: argparse.Namespace) -> tuple[Sweep, Path | None]:
    """Return the sweep and, if it is resumed, its folder."""
    if options.resume is not None:
        why = "--resume takes the sweep from its folder"
        command.refuse(options, ("words", "name", "set"), why)
        if options.sweep is not None:
            raise InputError(f"SWEEP.yaml: {why}")
        folder = Path(options.resume).resolve()
        if not os.path.isfile(folder / SWEEP_FILE):
            raise InputError(f"{folder}: not the folder of a sweep (it has no {SWEEP_FILE})")
        return read_sweep(folder / SWEEP_FILE), folder
    if options.sweep is None:
        raise InputError(f"a sweep file is needed, or --resume DIR (see {command.prog} --help)")
    path = find_config(options.sweep, "sweep")
    return load_sweep(path, options.set, options.words, options.name), None


def _report(
    sweep: Sweep, folder: Path, trials: pd.DataFrame, num_failed: int, console: Console
) -> None:
    """Write and print the results."""
    write_text(folder / "results.csv", trials.to_csv(index=False))
    points = mean_over_seeds(trials)
    print_table(console, make_table(sweep, points))
    quoted = shlex.quote(str(folder))
    say(console, f"results: {folder / 'results.csv'}\ncurves: tensorboard --logdir {quoted}")
    best = best_point(sweep, points)
    if best is not None:
        write_text(folder / "config.yaml", dump_config(sweep.recipe(best)))
        say(console, f"best: {invocation('train')} --config {quoted}/config.yaml")
    if num_failed:
        raise InputError(
            f"failed trials: {num_failed}, see {quoted}/tune/*/error.txt; "
            f"retry with: {invocation('sweep')} --resume {quoted}"
        )
