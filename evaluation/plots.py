"""Plots of an evaluation, for files and for the report page.

The colors are safe for color-blind readers; agents also differ in marker or line style.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.ticker import MaxNLocator, PercentFormatter

from hangman_lab.envs.errors import InputError
from hangman_lab.evaluation.calibration import MAX_WORDS
from hangman_lab.evaluation.tables import describe_games, name_words

# M. Okabe and K. Ito, "Color Universal Design", 2008; without yellow, which is too pale on white.
_COLORS = cycler(color=["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"])
# The styles of agents: each color has a marker; after six agents the line style changes.
_AGENT_STYLES = [
    *cycler(linestyle=["-", "--", "-.", ":"])
    * (_COLORS + cycler(marker=["o", "s", "^", "D", "v", "P"]))
]
# Lengths with fewer games are left out, unless all have fewer.
_MIN_GAMES = 30
_STYLE: dict[Any, Any] = {
    "figure.figsize": (8.0, 4.8),
    "font.size": 11,
    "axes.titlesize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "svg.hashsalt": "hangman",
}


def draw_plots(evaluation: dict[str, Any]) -> dict[str, Figure]:
    """Return the available plots by file name; one needs ``Comparison.calibrate``."""
    figures = {}
    with mpl.rc_context(_STYLE):
        for name, (needed, draw) in PLOTS.items():
            if any(agent.get(needed) for agent in evaluation["agents"].values()):
                figures[name] = Figure(layout="constrained")
                draw(figures[name], evaluation)
                figures[name].legend(loc="outside right upper")
    return figures


def save_plots(figures: dict[str, Figure], folder: str | Path) -> list[Path]:
    """Write figures as PNG and SVG, return the files; raise InputError if one cannot be written."""
    folder = Path(folder)
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            for ending in ("png", "svg"):
                path = folder / f"{name}.{ending}"
                metadata = {"Date": None} if ending == "svg" else None
                with mpl.rc_context(_STYLE):
                    figure.savefig(path, dpi=200, metadata=metadata)
                files.append(path)
    except OSError as error:
        raise InputError(f"{folder}: cannot write the plots ({error.strerror})") from error
    return files


def _make_axes(figure: Figure, title: str, evaluation: dict[str, Any], note: str) -> Axes:
    """Return new axes with a title, in a figure with a caption that ends with a note."""
    caption = f"{describe_games(evaluation)}, seed {evaluation['seed']}; {note}"
    figure.supxlabel(_plain(caption), fontsize=9, x=0.01, ha="left", wrap=True)
    axes = figure.add_subplot()
    axes.set_title(f"{title}, {name_words(evaluation)}", loc="left")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    return axes


def _plain(text: str) -> str:
    """Return a text whose dollar signs begin no formula."""
    return text.replace("$", r"\$")


def _draw_points(
    axes: Axes, x: npt.ArrayLike, points: pd.DataFrame, rate: str, number: int, label: str
) -> None:
    """Draw the column ``rate`` of an agent as a curve, with the intervals ``ci95`` as bars."""
    low, high = np.array(points["ci95"].tolist()).T
    # Rounding can put a value slightly outside of its interval.
    bars = np.maximum([points[rate] - low, high - points[rate]], 0)
    style = {"label": _plain(label), **_AGENT_STYLES[number % len(_AGENT_STYLES)]}
    axes.errorbar(x, points[rate], yerr=bars, capsize=2, elinewidth=0.9, **style)


def _draw_by_length(figure: Figure, evaluation: dict[str, Any]) -> None:
    drawn: dict[str, pd.DataFrame] = {}
    shortened = []  # agents with lengths that are left out
    for name, statistics in evaluation["agents"].items():
        lengths = pd.DataFrame.from_dict(statistics["by_length"], orient="index")
        lengths.index = lengths.index.astype(int)
        enough = lengths["games"] >= _MIN_GAMES
        drawn[name] = lengths[enough | ~enough.any()]
        shortened += [name] * (len(drawn[name]) < len(lengths))
    note = "bars: 95% Wilson intervals"
    if shortened:
        note += f"; without lengths of fewer than {_MIN_GAMES} games"
        # Against the evil host, agents that draw no letters have one game per length.
        note += f" of {', '.join(shortened)}" if len(shortened) < len(drawn) else ""
    axes = _make_axes(figure, "Win rate by word length", evaluation, note)
    # Side by side, so that no interval hides another.
    shift = min(0.12, 0.8 / len(drawn))
    for number, (name, lengths) in enumerate(drawn.items()):
        x = lengths.index + shift * (number - (len(drawn) - 1) / 2)
        _draw_points(axes, x, lengths, "win_rate", number, name)
    all_lengths = pd.concat(drawn.values()).index
    axes.set(xlabel="length of the word (letters)", ylabel="win rate", ylim=(-0.03, 1.03))
    axes.set_xlim(all_lengths.min() - 0.6, all_lengths.max() + 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def _draw_reliability(figure: Figure, evaluation: dict[str, Any]) -> None:
    note = (
        f"at most {MAX_WORDS:,} of the words; every letter not guessed, in every state of an "
        "agent's games, is a prediction; bars: 95% intervals, clustered by word"
    )
    axes = _make_axes(figure, "Reliability of letter probabilities", evaluation, note)
    axes.plot([0, 1], [0, 1], color="black", linewidth=0.9, alpha=0.6)
    for number, (name, agent) in enumerate(evaluation["agents"].items()):
        if statistics := agent.get("reliability"):
            bins = pd.DataFrame(statistics["bins"])
            label = (
                f"{name}\nBrier score {statistics['brier']:.4f}\n"
                f"calibration error {statistics['expected_calibration_error']:.4f}"
            )
            _draw_points(axes, bins["mean_probability"], bins, "share", number, label)
    axes.set(xlabel="predicted probability", ylabel="share of letters in the hidden part")
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))


# By name: the required statistics of an agent, and the drawing function.
PLOTS: dict[str, tuple[str, Callable[[Figure, dict[str, Any]], None]]] = {
    "win_rate_by_length": ("by_length", _draw_by_length),
    "reliability": ("reliability", _draw_reliability),
}
