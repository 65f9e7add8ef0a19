"""The HTML report of an evaluation."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from hangman_lab.evaluation.plots import INK
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
