"""The files of an evaluation: results, games, plots and an HTML report."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.directory import RunDirectory, write_text
from hangman_lab.terminal.arguments import require
from hangman_lab.terminal.console import say


def check_files(parsed: argparse.Namespace) -> None:
    """Check before the games that :func:`write_files` can write.

    Raises InputError if it cannot, or if a package that draws plots is not installed.
    """
    inputs = [parsed.words, parsed.secrets, parsed.allowed, parsed.games_file]
    if parsed.run is not None:
        inputs += vars(RunDirectory(parsed.run)).values()
    used = {os.path.realpath(path) for path in inputs if path is not None}
    for name in ("json", "csv", "report", "plots"):
        given = getattr(parsed, name)
        if given is None:
            continue
        path, folder = os.path.realpath(given), os.path.dirname(os.path.realpath(given))
        if name in ("report", "plots"):
            require(f"--{name}", "report", "matplotlib", "jinja2")
        if path in used:
            raise InputError(f"--{name}: {path} is a file of the run, or of another option")
        used.add(path)
        if len(os.fsencode(os.path.basename(path))) > 200:  # a temporary file adds to it
            raise InputError(f"--{name}: {given} has a name that is longer than 200 bytes")
        if name == "plots":  # is created with its parents
            # The names of the files in it are those of the plots.
            images = [each for each in used if each.endswith((".png", ".svg"))]
            if any(os.path.dirname(each) == path for each in images):
                raise InputError(f"--plots: {path} has an image that another option writes")
            folder = next(above for above in (path, *Path(path).parents) if os.path.exists(above))
        elif os.path.exists(path) and not (os.path.isfile(path) and os.access(path, os.W_OK)):
            raise InputError(f"--{name}: {given!r} is not a regular file that can be written to")
        elif os.path.abspath(given).startswith(("/dev/std", "/dev/fd/", "/proc/")):
            raise InputError(f"--{name}: {given!r} is a stream, not a file")
        if not (os.path.isdir(folder) and os.access(folder, os.W_OK)):
            raise InputError(f"--{name}: {folder} is not a folder that can be written to")


def write_files(
    parsed: argparse.Namespace, evaluation: dict[str, Any], games: pd.DataFrame, console: Console
) -> None:
    """Write the requested files; raise InputError if one cannot be written."""
    if parsed.json is not None:
        write_text(Path(parsed.json), json.dumps(evaluation, indent=2) + "\n")
        say(console, f"results written to {parsed.json}")
    if parsed.csv is not None:
        write_text(Path(parsed.csv), games.to_csv(index=False, lineterminator="\n"))
        say(console, f"games written to {parsed.csv}")
    if parsed.plots is not None or parsed.report is not None:
        from hangman_lab.evaluation.plots import draw_plots, save_plots

        figures = draw_plots(evaluation)
    if parsed.plots is not None:
        files = save_plots(figures, parsed.plots)
        say(console, f"{len(files)} files of plots written to {parsed.plots}")
    if parsed.report is not None:
        from hangman_lab.evaluation.report_page import report_page

        write_text(Path(parsed.report), report_page(evaluation, figures))
        say(console, f"report written to {parsed.report}")
