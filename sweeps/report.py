"""The report of a sweep as one HTML page that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from matplotlib.figure import Figure

from evaluation.report_page import inline_svg, render_page
from sweeps.results import points_table, trials_table
from sweeps.sweep_file import describe_point


def sweep_page(results: dict[str, Any], figures: dict[str, Figure]) -> str:
    """Return the page of what ``results.json`` holds, with the figures of ``draw_plots``."""
    return render_page(
        Path(__file__).parent / "report.html.j2",
        sweep=results["sweep"],
        caption=describe_results(results),
        points=points_table(results),
        trials=trials_table(results),
        plots={name: inline_svg(figure, name) for name, figure in figures.items()},
        described=yaml.safe_dump({key: results[key] for key in ("sweep", "base")}, sort_keys=False),
    )


def describe_results(results: dict[str, Any]) -> str:
    """Return in a line how many trials ended how, and the best point."""
    statuses = [trial["status"] for trial in results["trials"]]
    counts = ", ".join(f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses))
    line = f"{len(statuses)} trials ({counts}) of {len(results['points'])} points."
    if results["best"] is None:
        return f"{line} No point has all its trials finished."
    best = results["points"][results["best"]]
    options = describe_point(best["options"]) or "the base recipe"
    return f"{line} Best on valid words: point {best['point']}, {options}, {best['win_rate']:.2%}."
