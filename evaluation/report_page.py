"""The files of an evaluation: results, games, plots and an HTML report."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from hangman_lab.envs.errors import InputError
from hangman_lab.evaluation.plots import INK, caption, save_plots
from hangman_lab.evaluation.tables import make_tables
from hangman_lab.run_files.directory import write_text

_TEMPLATE = Path(__file__).parent / "report.html.j2"


def check_files(options: argparse.Namespace) -> None:
    """Raise InputError if a file of :func:`write_files` could not be written, before the games."""
    for name in ("json", "csv", "report", "plots"):
        if getattr(options, name) is None:
            continue
        path = Path(getattr(options, name)).resolve()
        folder = path.parent
        if name == "plots":  # is created with its parents
            folder = next(above for above in (path, *path.parents) if above.exists())
        elif path.is_dir():
            raise InputError(f"--{name}: {path} is a folder; a file is expected")
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise InputError(f"--{name}: {folder} is not a folder that can be written to")


def write_files(
    options: argparse.Namespace,
    evaluation: dict[str, Any],
    games: pd.DataFrame,
    draw: Callable[[], dict[str, Figure]],
    tell: Callable[[str], None],
) -> None:
    """Write the requested files; raise InputError if one cannot be written."""
    if options.json is not None:
        write_text(Path(options.json), json.dumps(evaluation, indent=2) + "\n")
        tell(f"results written to {options.json}")
    if options.csv is not None:
        write_text(Path(options.csv), games.to_csv(index=False, lineterminator="\n"))
        tell(f"games written to {options.csv}")
    if options.plots is not None:
        files = save_plots(draw(), options.plots)
        tell(f"{len(files)} plots written to {options.plots}")
    if options.report is not None:
        write_text(Path(options.report), report_page(evaluation, draw()))
        tell(f"report written to {options.report}")


def report_page(evaluation: dict[str, Any], figures: dict[str, Figure]) -> str:
    """Return a self-contained page of an evaluation, with the figures of ``draw_plots``."""
    first, *tables = make_tables(evaluation)
    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        evaluation=evaluation,
        caption=caption(evaluation),
        first_table=first,
        tables=tables,
        plots=[_inline_svg(figure, name) for name, figure in figures.items()],
    )


def _inline_svg(figure: Figure, name: str) -> Markup:
    """Return a figure as an ``svg`` element in the text color of its page.

    Ids are prefixed with the name, so that they are unique on the page.
    """
    file = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": name}):
        figure.savefig(
            file,
            format="svg",
            transparent=True,
            metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
        )
    text = file.getvalue()
    # Without the XML prolog, whose document type has a network address.
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|"#|url\(#)', rf"\g<1>{name}-", text)
    text = text.replace(INK, "currentColor")
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1))
