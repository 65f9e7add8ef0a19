"""Plots of a sweep, drawn from what ``results.json`` holds."""

from __future__ import annotations

import math
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator, NullFormatter, PercentFormatter

from evaluation.plots import COLOURS, INK, STYLE, look, new_figure, set_caption
from evaluation.statistics import mean_interval
from sweeps.sweep_file import describe_point

# Curves of more points than these cannot be told apart; the others are drawn grey.
_NUM_COLOURED = 6
_PANELS_ABREAST = 2


def draw_plots(results: dict[str, Any]) -> dict[str, Figure]:
    """Return the plots for which there are figures, by the name of their file."""
    finished = [point for point in results["points"] if point["win_rate"] is not None]
    kinds = {key: next(iter(domain)) for key, domain in results["sweep"]["space"].items()}
    figures = {}
    with mpl.rc_context(STYLE):
        if finished and kinds:
            figures["win_rate_by_option"] = _draw_by_option(finished, kinds, results)
        if any(trial["curve"] for trial in results["trials"]):
            figures["learning_curves"] = _draw_curves(results)
        if len(finished) > 1 and len(kinds) > 1:
            figures["parallel_coordinates"] = _draw_parallel(finished, kinds, results)
    return figures


def _caption(results: dict[str, Any]) -> str:
    sweep, words = results["sweep"], results["words"]
    games = {trial["games"] for trial in results["trials"] if trial["games"] is not None}
    counts = " or ".join(f"{count:,}" for count in sorted(games))
    return (
        f"sweep {sweep['name']}, valid words of {words['source']}, {counts or 'no'} games per "
        f"trial, {sweep['seeds']} {'seed' if sweep['seeds'] == 1 else 'seeds'} per point"
    )


def _positions(values: list[Any], kind: str) -> tuple[np.ndarray, list[str] | None]:
    """Return where values are on an axis, and their labels where it has no scale."""
    if kind in ("uniform", "loguniform"):
        return np.array(values, dtype=float), None
    labels = list(dict.fromkeys(map(str, sorted(values, key=_order))))
    return np.array([labels.index(str(value)) for value in values], dtype=float), labels


def _order(value: Any) -> tuple[bool, float, str]:
    is_number = isinstance(value, int | float)
    return not is_number, float(value) if is_number else 0.0, str(value)


def _draw_by_option(
    points: list[dict[str, Any]], kinds: dict[str, str], results: dict[str, Any]
) -> Figure:
    columns = min(_PANELS_ABREAST, len(kinds))
    rows = -(-len(kinds) // columns)
    figure = Figure(figsize=(8.0, 1.0 + 3.4 * rows), layout="constrained")
    figure.suptitle("Win rate by option", x=0.01, ha="left", fontsize=13)
    set_caption(
        figure,
        f"{_caption(results)}; each point of the space once per panel; bars: Student's 95% "
        "interval over seeds",
    )
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True)
    rates = np.array([point["win_rate"] for point in points])
    for panel, (key, kind) in zip(panels.flat, kinds.items(), strict=False):
        x, labels = _positions([point["options"][key] for point in points], kind)
        if labels is not None:
            x = _spread(x, len(labels))
        bars = None
        if all(point["win_rate_ci95"] is not None for point in points):
            low, high = np.array([point["win_rate_ci95"] for point in points]).T
            bars = [np.maximum(rates - low, 0), np.maximum(high - rates, 0)]
        panel.errorbar(
            x, rates, yerr=bars, fmt="o", color=COLOURS[0], capsize=2, elinewidth=0.9, alpha=0.8
        )
        panel.set_xlabel(key)
        if labels is not None:
            panel.set_xticks(range(len(labels)), labels)
            panel.set_xlim(-0.5, len(labels) - 0.5)
        elif kind == "loguniform":
            panel.set_xscale("log")
            ticks = _log_ticks(x.min(), x.max())
            panel.set_xticks(ticks, [f"{tick:.3g}" for tick in ticks])
            panel.xaxis.set_minor_formatter(NullFormatter())
        panel.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1))
    for panel in panels[:, 0]:
        panel.set_ylabel("win rate")
    for panel in list(panels.flat)[len(kinds) :]:
        panel.set_visible(False)
    return figure


def _log_ticks(low: float, high: float) -> list[float]:
    """Return round values of a range, few enough for their labels to stand side by side."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5), range(1, 10)):
        ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) >= 3:
            return inside
    return sorted({low, high})


def _spread(x: np.ndarray, num_labels: int) -> np.ndarray:
    """Return places side by side for values that are alike, so that their bars are all seen."""
    spread = x.copy()
    for label in range(num_labels):
        same = np.flatnonzero(x == label)
        spread[same] += 0.5 * (np.arange(len(same)) - (len(same) - 1) / 2) / max(len(same), 4)
    return spread


def _draw_curves(results: dict[str, Any]) -> Figure:
    points = results["points"]
    order = sorted(range(len(points)), key=lambda number: -(points[number]["win_rate"] or -1.0))
    figure, axes = new_figure(
        "Learning curves",
        f"{_caption(results)}; mean of the seeds on the valid words that are played while "
        "training; bands: Student's 95% interval over seeds"
        + (f"; in colour the best {_NUM_COLOURED} points" if len(points) > _NUM_COLOURED else ""),
    )
    # The best ones last, on top.
    for place, number in reversed(list(enumerate(order))):
        curves = [dict(t["curve"]) for t in results["trials"] if t["point"] == number]
        _draw_curve(axes, curves, points[number], place)
    axes.set_xlabel("steps of PPO")
    axes.set_ylabel("win rate")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(0, -0.13), fontsize=9
    )
    figure.set_figheight(4.8 + 0.25 * len(labels))
    return figure


def _draw_curve(
    axes: Axes, curves: list[dict[int, float]], point: dict[str, Any], place: int
) -> None:
    steps = sorted({step for curve in curves for step in curve})
    values = [np.array([curve[step] for curve in curves if step in curve]) for step in steps]
    if place >= _NUM_COLOURED:
        axes.plot(steps, [v.mean() for v in values], color=INK, alpha=0.2, linewidth=0.8, zorder=1)
        return
    style = look(place) | {"markersize": 4, "linewidth": 1.6, "zorder": 3}
    label = describe_point(point["options"]) or "the base recipe"
    axes.plot(steps, [v.mean() for v in values], label=label, **style)
    # Only where all seeds are: the mean of those that go on is that of a choice.
    known = [
        (step, mean_interval(v, np.arange(len(v)))[1])
        for step, v in zip(steps, values, strict=True)
        if len(v) == len(curves)
    ]
    known = [(step, interval) for step, interval in known if interval is not None]
    if known:
        low, high = np.array([interval for _, interval in known]).T
        axes.fill_between(
            [step for step, _ in known], low, high, color=style["color"], alpha=0.15, linewidth=0
        )


def _draw_parallel(
    points: list[dict[str, Any]], kinds: dict[str, str], results: dict[str, Any]
) -> Figure:
    figure, axes = new_figure(
        "Parallel coordinates",
        f"{_caption(results)}; a line per point; each axis has its own scale",
    )
    rates = np.array([point["win_rate"] for point in points])
    heights, axis_labels = [], []
    for key, kind in kinds.items():
        x, labels = _positions([point["options"][key] for point in points], kind)
        if kind == "loguniform":
            x = np.log(x)
        low, high = (0, len(labels) - 1) if labels is not None else (x.min(), x.max())
        heights.append((x - low) / (high - low) if high > low else np.full(len(x), 0.5))
        if labels is None:
            ends = sorted((point["options"][key] for point in points), key=float)
            labels = [f"{ends[0]:.3g}", f"{ends[-1]:.3g}"]
        axis_labels.append(labels)
    low, high = float(rates.min()), float(rates.max())
    heights.append((rates - low) / (high - low) if high > low else np.full(len(rates), 0.5))
    axis_labels.append([f"{low:.1%}", f"{high:.1%}"])
    colours = ScalarMappable(Normalize(low, high if high > low else low + 1e-9), "cividis")
    lines = np.array(heights)
    for number in np.argsort(rates):
        axes.plot(lines[:, number], color=colours.to_rgba(rates[number]), linewidth=1.8, alpha=0.8)
    for place, labels in enumerate(axis_labels):
        axes.axvline(place, color=INK, linewidth=0.8)
        spots = np.linspace(0, 1, len(labels)) if len(labels) > 1 else [0.5]
        for spot, label in zip(spots, labels, strict=True):
            axes.annotate(
                label,
                (place, spot),
                xytext=(4, 0),
                textcoords="offset points",
                fontsize=9,
                va="center",
                bbox={"facecolor": "white", "alpha": 0.6, "linewidth": 0, "pad": 0.5},
            )
    axes.set_xticks(range(len(axis_labels)), [*kinds, "win rate"])
    axes.tick_params(axis="x", labelsize=9)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)
    bar = figure.colorbar(colours, ax=axes, shrink=0.8, format=PercentFormatter(1.0, decimals=1))
    bar.set_label("win rate")
    return figure
