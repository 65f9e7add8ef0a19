"""The command ``sweep.py``."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence

from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.evaluation.arguments import CommandParser, command_main, invocation, program
from hangman_lab.evaluation.console import say
from hangman_lab.evaluation.ray_cluster import ray_cluster, require_ray
from hangman_lab.evaluation.tables import print_table
from hangman_lab.run_files.config import SWEEP_DIRECTORY, dump_config, find_config
from hangman_lab.sweeps.folder import SweepFolder
from hangman_lab.sweeps.sweep_file import Sweep, load_sweep

# Shared posteriors take 30 MB per seed; the excess is spilled to disk.
_OBJECT_STORE_BYTES = 2**28


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
    folder: SweepFolder | None = None
    try:
        require_ray(program("sweep"), "optuna")
        sweep, folder = _prepare(command, options)
        say(console, f"sweep directory: {folder.address}\n{sweep.num_trials:,} trials")
        _run(sweep, folder, options.address, console)
    except KeyboardInterrupt:
        if folder is not None:
            address = shlex.quote(folder.address)
            say(console, f"stopped; resume with: {invocation('sweep')} --resume {address}")
        return 130
    return 0


def _prepare(command: CommandParser, options: argparse.Namespace) -> tuple[Sweep, SweepFolder]:
    """Return the sweep and its folder."""
    if options.resume is not None:
        why = "--resume takes the sweep from its folder"
        command.refuse(options, ("words", "name", "set"), why)
        if options.sweep is not None:
            raise InputError(f"SWEEP.yaml: {why}")
        folder = SweepFolder(options.resume)
        return folder.load_sweep(), folder
    if options.sweep is None:
        raise InputError(f"a sweep file is needed, or --resume DIR (see {command.prog} --help)")
    path = find_config(options.sweep, "sweep")
    sweep = load_sweep(path, options.set, options.words, options.name)
    return sweep, SweepFolder.create(sweep)


def _run(sweep: Sweep, folder: SweepFolder, address: str | None, console: Console) -> None:
    """Run the unfinished trials, write and print the results."""
    threads = max(sweep.recipe(options).threads for options in sweep.corners())
    with ray_cluster(address, "--address", _OBJECT_STORE_BYTES) as ray:
        cpus = ray.cluster_resources().get("CPU", 0)
        if threads > cpus:
            raise InputError(
                f"threads: {threads} is more than the {cpus:g} cores that Ray has; set threads"
            )
        from hangman_lab.sweeps.report import SweepResults
        from hangman_lab.sweeps.tuning import run_sweep

        results = SweepResults(sweep, run_sweep(sweep, folder))
    folder.write("results.csv", results.trials.to_csv(index=False))
    folder.write("report.html", results.page())
    if results.best is not None:
        folder.write("config.yaml", dump_config(sweep.recipe(results.best)))
    print_table(console, results.table(most=20))
    quoted = shlex.quote(folder.address)
    say(console, f"{results.describe()}\nreport: {folder.address}/report.html, results.csv")
    say(console, f"curves: tensorboard --logdir {quoted}")
    if results.best is not None:
        say(console, f"best: {invocation('train')} --config {quoted}/config.yaml")
    failed = (results.trials["status"] == "failed").sum()
    if failed:
        raise InputError(
            f"{failed} of {len(results.trials)} trials failed; why is in their error.txt; to try "
            f"them again: {invocation('sweep')} --resume {quoted}"
        )
