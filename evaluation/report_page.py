"""The HTML report of an evaluation."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from matplotlib.figure import Figure

from hangman_lab.evaluation.tables import make_tables, name_words

_TEMPLATE = Path(__file__).parent / "report.html.j2"


def report_page(evaluation: dict[str, Any], figures: dict[str, Figure]) -> str:
    """Return a self-contained page of an evaluation, with the figures of ``draw_plots``."""
    first, *tables = make_tables(evaluation)
    names = list(evaluation["agents"])
    who = " and ".join(names) if len(names) < 3 else f"{len(names)} agents"
    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        title=f"{evaluation['env']}: {who} on {name_words(evaluation)}",
        evaluation=evaluation,
        first_table=first,
        tables=tables,
        plots={name: _encode_svg(figure) for name, figure in figures.items()},
    )


def _encode_svg(figure: Figure) -> str:
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    return base64.b64encode(file.getvalue()).decode()
