"""The command ``sweep.py``."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence

from rich.console import Console

from envs.errors import InputError
from evaluation.arguments import CommandParser
from evaluation.console import say
from evaluation.plots import save_plots
from evaluation.ray_cluster import ray_cluster, require_ray
from evaluation.tables import print_table
from runs.config import SWEEP_DIRECTORY, find_config
from runs.directory import write_text
from sweeps.plots import draw_plots
from sweeps.report import describe_results, sweep_page
from sweeps.results import FAILED, collect, points_table, write_results
from sweeps.running import Running, continue_sweep, start_sweep
from sweeps.sweep_file import load_sweep

_NUM_POINTS_PRINTED = 20


def parser() -> CommandParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        prog="sweep.py",
        description="Train many runs on Ray: a recipe's options over a space, several seeds each.",
    )
    known = ", ".join(sorted(path.name for path in SWEEP_DIRECTORY.glob("*.yaml")))
    parser.add_argument(
        "sweep",
        nargs="?",
        metavar="SWEEP.yaml",
        help=f"a sweep file, or the name of one in configs/sweeps/ ({known})",
    )
    parser.add_words()
    parser.add_argument("--name", metavar="NAME", help="the sweep's name instead of the file's")
    parser.add_argument(
        "--address",
        metavar="ADDRESS",
        help="join a Ray cluster: auto, or HOST:PORT (default: this machine alone)",
    )
    parser.add_argument("--resume", metavar="DIR", help="go on with an interrupted sweep")
    parser.add_overrides("an option of the base recipe, or with sweep.key of the sweep file")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    command = parser()
    options = command.parse_args(arguments)
    console = Console()
    running: Running | None = None
    try:
        require_ray("sweep.py")
        running = _prepare(command, options)
        say(console, f"sweep directory: {running.storage.address}\n{running.describe()}")
        _run(running, options.address, console)
    except InputError as error:
        print(f"sweep.py: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        if running is not None:
            address = shlex.quote(running.storage.address)
            say(console, f"stopped; go on with: python sweep.py --resume {address}")
        return 130
    return 0


def _prepare(command: CommandParser, options: argparse.Namespace) -> Running:
    if options.resume is not None:
        why = "--resume goes on with the sweep's own files"
        command.refuse(options, ("words", "name", "set"), why)
        if options.sweep is not None:
            raise InputError(f"SWEEP.yaml: {why}")
        return continue_sweep(options.resume)
    if options.sweep is None:
        raise InputError("a sweep file is needed, or --resume DIR (see sweep.py --help)")
    path = find_config(options.sweep, "sweep")
    return start_sweep(load_sweep(path, options.set, options.words, options.name))


def _run(running: Running, address: str | None, console: Console) -> None:
    if running.is_done():
        trials = running.known_trials()
    else:
        with ray_cluster(address, "--address", object_store_bytes=2**27) as ray:
            trials = running.run(ray.cluster_resources().get("CPU", 0), console)
    folder = running.storage.folder
    results = collect(running.sweep, trials, folder)
    figures = draw_plots(results)
    write_results(running.sweep, results, folder)
    save_plots(figures, folder / "plots")
    write_text(folder / "report.html", sweep_page(results, figures))
    for name in ("results.json", "results.csv", "config.yaml", "plots", "report.html"):
        if (folder / name).exists():
            running.storage.send(name)
    print_table(console, points_table(results, _NUM_POINTS_PRINTED))
    quoted = shlex.quote(str(folder))
    lines = [
        describe_results(results),
        "",
        f"everything lies in {folder}",
        "  report     report.html, results.csv, results.json, plots/",
        f"  curves     tensorboard --logdir {quoted}",
    ]
    if results["best"] is not None:
        best = shlex.quote(str(folder / "config.yaml"))
        lines.append(f"  best       python train.py --config {best}")
    say(console, "\n".join(lines))
    failed = sum(trial["status"] == FAILED for trial in results["trials"])
    if failed:
        raise InputError(
            f"{failed} of {len(results['trials'])} trials failed; why is in their error.txt and "
            f"in results.json; to try them again: python sweep.py --resume {quoted}"
        )
