"""The report of an evaluation as one HTML page that needs nothing else."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from evaluation.plots import INK, caption
from evaluation.tables import make_tables

_TEMPLATE = Path(__file__).parent / "report.html.j2"


def report_page(evaluation: dict[str, Any], figures: dict[str, Figure]) -> str:
    """Return the page: the tables, and the plots as inline SVG.

    Parameters
    ----------
    evaluation : dict
        What ``evaluate.py --json`` writes.
    figures : dict of str to Figure
        What :func:`evaluation.plots.draw_plots` returned.
    """
    first, *others = make_tables(evaluation)
    return render_page(
        _TEMPLATE,
        evaluation=evaluation,
        caption=caption(evaluation),
        first_table=first,
        tables=others,
        plots={name: inline_svg(figure, name) for name, figure in figures.items()},
    )


def render_page(template: Path, **values: Any) -> str:
    """Return a page of a template that extends ``page.html.j2``."""
    environment = Environment(
        loader=FileSystemLoader([template.parent, _TEMPLATE.parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template.name).render(values)


def inline_svg(figure: Figure, name: str) -> Markup:
    """Return a figure as an ``svg`` element, in the text colour of the page around it.

    Parameters
    ----------
    figure : Figure
    name : str
        Begins the ids in the element, so that those of two figures on a page differ.
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
    # Without the XML prolog, whose document type has an address on the network.
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|"#|url\(#)', rf"\g<1>{name}-", text)
    text = text.replace(INK, "currentColor")
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1))
