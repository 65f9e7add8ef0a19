"""Plots of an evaluation, for files and for the report page.

Each function draws one figure from what ``evaluate.py --json`` writes, so that a plot can be drawn
again from the file. Colours are those of Okabe and Ito, which colour-blind readers can tell apart;
agents differ in marker and line style besides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator, PercentFormatter

from envs.encoding import ALPHABET
from envs.errors import InputError
from evaluation.analysis import MAX_GAMES_WEIGHED
from evaluation.learning_curves import LearningCurves
from evaluation.statistics import win_rate
from evaluation.tables import describe_games, name_words

# M. Okabe and K. Ito, "Color Universal Design", 2008; without the yellow, too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINE_STYLES = ("-", "--", "-.", ":")
# Text and axes; the report page replaces it by the colour of its text.
INK = "#24292f"
STYLE = {
    "figure.figsize": (8.0, 4.8),
    "figure.dpi": 100,
    "font.size": 11,
    "axes.titlesize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "hangman",
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
    ),
}
_CAPTION_SIZE = 9
_PNG_DPI = 200
_MAX_TURNS_SHOWN = 16
_FEW_GAMES = 30


def caption(evaluation: dict[str, Any]) -> str:
    """Return the line that says what was played: words, prior, limit, games and seed."""
    games = {figures["games"] for figures in evaluation["agents"].values()}
    counts = " or ".join(f"{count:,}" for count in sorted(games))
    return f"{describe_games(evaluation)}, {counts} games per agent, seed {evaluation['seed']}"


def draw_plots(
    evaluation: dict[str, Any], learning_curves: LearningCurves | None = None
) -> dict[str, Figure]:
    """Return the plots for which there are figures, by the name of their file.

    Parameters
    ----------
    evaluation : dict
        What ``evaluate.py --json`` writes; :func:`evaluation.analysis.analyze` adds what most
        plots need.
    learning_curves : LearningCurves, optional
        Of a training run.
    """
    agents = evaluation["agents"]
    figures = {}
    with mpl.rc_context(STYLE):
        for name, needed, draw in _PLOTS:
            shown = {agent: values for agent, values in agents.items() if values.get(needed)}
            if shown:
                figures[name] = draw(shown, evaluation)
        if learning_curves is not None:
            figures["learning_curves"] = _draw_learning_curves(learning_curves, evaluation)
    return figures


def save_plots(figures: dict[str, Figure], folder: str | Path) -> list[Path]:
    """Write each figure as PNG and as SVG; return the files.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    folder = Path(folder)
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            for ending in ("png", "svg"):
                path = folder / f"{name}.{ending}"
                metadata = {"Date": None} if ending == "svg" else None
                with mpl.rc_context(STYLE):
                    figure.savefig(path, dpi=_PNG_DPI, metadata=metadata)
                files.append(path)
    except OSError as error:
        raise InputError(f"{folder}: cannot write the plots ({error.strerror})") from error
    return files


def new_figure(title: str, note: str, height: float = 4.8) -> tuple[Figure, Axes]:
    """Return a figure with one panel, its title and its caption."""
    figure = Figure(figsize=(8.0, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left")
    set_caption(figure, note)
    return figure, axes


def set_caption(figure: Figure, note: str) -> None:
    """Write the line below a figure that says what it shows."""
    figure.supxlabel(note, fontsize=_CAPTION_SIZE, x=0.01, ha="left", wrap=True)


def look(number: int) -> dict[str, Any]:
    """Return colour, marker and line style of a curve; no two of the first 24 agree in both."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": LINE_STYLES[number // len(COLOURS) % len(LINE_STYLES)],
        # Curves that lie on each other stay visible: the earlier ones are the wider ones.
        "markersize": max(9 - number, 4),
        "linewidth": max(3.4 - 0.6 * number, 1.4),
    }


def _looks(agents: dict[str, Any], evaluation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the look of each agent, the same in every plot."""
    order = list(evaluation["agents"])
    return {name: look(order.index(name)) for name in agents}


def _draw_rates(
    axes: Axes, x: Sequence[float], cells: list[dict[str, Any]], label: str, look: dict[str, Any]
) -> None:
    rates = np.array([cell["win_rate"] for cell in cells])
    low, high = np.array([cell["ci95"] for cell in cells]).T
    axes.errorbar(
        x,
        rates,
        # The interval holds the rate but for rounding.
        yerr=[np.maximum(rates - low, 0), np.maximum(high - rates, 0)],
        label=label,
        capsize=2,
        elinewidth=0.9,
        **look,
    )


def _finish_rates(axes: Axes, label: str) -> None:
    axes.set_xlabel(label)
    axes.set_ylabel("win rate")
    axes.set_ylim(-0.03, 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(13, integer=True))
    axes.figure.legend(loc="outside right upper")


def _draw_by_length(agents: dict[str, Any], evaluation: dict[str, Any]) -> Figure:
    figure, axes = new_figure(
        f"Win rate by word length, {name_words(evaluation)}",
        f"{caption(evaluation)}; bars: 95% Wilson intervals; lengths of under {_FEW_GAMES} games "
        "are pooled at both ends",
    )
    looks = _looks(agents, evaluation)
    for index, (name, figures) in enumerate(agents.items()):
        pooled = pool_lengths(figures["by_length"])
        shift = 0.12 * (index - (len(agents) - 1) / 2)
        _draw_rates(
            axes,
            np.arange(len(pooled)) + shift,
            [cell for _, cell in pooled],
            name,
            looks[name],
        )
    _finish_rates(axes, "length of the word (letters)")
    axes.set_xticks(range(len(pooled)), [label for label, _ in pooled])
    return figure


def pool_lengths(by_length: dict[str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return labels and win rates by length, with lengths of few games pooled at both ends.

    Parameters
    ----------
    by_length : dict of str to dict
        Of an agent's figures: ``games`` and ``wins`` by length.
    """
    lengths = sorted(map(int, by_length))
    groups = [[length] for length in lengths]
    games = {length: by_length[str(length)]["games"] for length in lengths}
    for end in (0, -1):
        while len(groups) > 1 and sum(games[length] for length in groups[end]) < _FEW_GAMES:
            last = groups.pop(end)
            groups[end] = sorted(groups[end] + last)
    pooled = []
    for group in groups:
        label = str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}"
        cells = [by_length[str(length)] for length in group]
        wins, count = (sum(cell[key] for cell in cells) for key in ("wins", "games"))
        pooled.append((label, win_rate(wins, count)))
    return pooled


def _draw_by_limit(agents: dict[str, Any], evaluation: dict[str, Any]) -> Figure:
    games = {cell["games"] for figures in agents.values() for cell in figures["by_limit"].values()}
    counts = " or ".join(f"{count:,}" for count in sorted(games))
    figure, axes = new_figure(
        f"Win rate by wrong guesses, {name_words(evaluation)}",
        f"{caption(evaluation)}; with another limit {counts} games per agent; "
        "bars: 95% Wilson intervals",
    )
    looks = _looks(agents, evaluation)
    for name, figures in agents.items():
        cells = figures["by_limit"]
        _draw_rates(axes, [int(limit) for limit in cells], list(cells.values()), name, looks[name])
    axes.axvline(evaluation["max_wrong"], color=INK, linewidth=0.8, alpha=0.5)
    _finish_rates(axes, "wrong guesses allowed")
    return figure


def _draw_information(agents: dict[str, Any], evaluation: dict[str, Any]) -> Figure:
    weighed = max(figures["information_gain"][0]["guesses"] for figures in agents.values())
    figure, axes = new_figure(
        f"Information per guess, {name_words(evaluation)}",
        f"{caption(evaluation)}, at most {weighed:,} weighed; how many times the words of the full "
        "list that are still consistent were halved, mean of the games not over; bands: 95% "
        "intervals",
    )
    looks = _looks(agents, evaluation)
    for name, figures in agents.items():
        rows = figures["information_gain"]
        turns = [row["turn"] for row in rows]
        axes.plot(turns, [row["mean_bits"] for row in rows], label=name, **looks[name])
        known = [row for row in rows if row["ci95"] is not None]
        axes.fill_between(
            [row["turn"] for row in known],
            [max(row["ci95"][0], 0.0) for row in known],
            [row["ci95"][1] for row in known],
            color=looks[name]["color"],
            alpha=0.15,
            linewidth=0,
        )
    means = [row["mean_bits"] for figures in agents.values() for row in figures["information_gain"]]
    axes.set_ylim(0, 1.15 * max(max(means), 0.1))
    axes.set_xlabel("guess of the game (1 is the first)")
    axes.set_ylabel("information gained (bits)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.figure.legend(loc="outside right upper")
    return figure


def _draw_letters(agents: dict[str, Any], evaluation: dict[str, Any]) -> Figure:
    columns = 1 if len(agents) == 1 else 2
    rows = -(-len(agents) // columns)
    figure = Figure(figsize=(8.0, 0.9 + 4.4 * rows), layout="constrained")
    figure.suptitle(f"Letters by turn, {name_words(evaluation)}", x=0.01, ha="left", fontsize=13)
    set_caption(
        figure,
        f"{caption(evaluation)}; colour: share of the games not over at that turn that guess the "
        "letter (square-root scale)",
    )
    panels = figure.subplots(rows, columns, squeeze=False)
    image = None
    for panel, (name, figures) in zip(panels.flat, agents.items(), strict=False):
        counts = np.array(figures["letters_by_turn"][:_MAX_TURNS_SHOWN], dtype=float)
        playing = counts.sum(axis=1, keepdims=True)
        # A turn that no game reached stays empty.
        shares = np.divide(counts, playing, out=np.full_like(counts, np.nan), where=playing > 0)
        image = panel.imshow(
            shares.T,
            aspect="auto",
            cmap="cividis",
            norm=mpl.colors.PowerNorm(0.5, 0, 1),
            interpolation="nearest",
        )
        panel.set_title(name, loc="left", fontsize=11)
        panel.set_yticks(range(len(ALPHABET)), ALPHABET, fontsize=9)
        turns = range(0, len(shares), 1 if len(shares) < 8 else 2)
        panel.set_xticks(turns, [str(turn + 1) for turn in turns], fontsize=9)
        panel.set_xlabel("guess of the game")
        panel.set_ylabel("letter")
        panel.grid(visible=False)
    for panel in list(panels.flat)[len(agents) :]:
        panel.set_visible(False)
    bar = figure.colorbar(image, ax=panels, shrink=0.6, format=PercentFormatter(1.0))
    bar.set_label("share of games")
    return figure


def _draw_reliability(agents: dict[str, Any], evaluation: dict[str, Any]) -> Figure:
    return _reliability_diagram(
        {name: figures["reliability"] for name, figures in agents.items()},
        f"{caption(evaluation)}, at most {MAX_GAMES_WEIGHED:,} words weighed",
        _looks(agents, evaluation),
        f", {name_words(evaluation)}",
    )


def draw_reliability(figures: dict[str, dict[str, Any]], note: str) -> Figure:
    """Return the reliability diagram alone.

    Parameters
    ----------
    figures : dict of str to dict
        What :func:`evaluation.analysis.reliability` returned, by agent.
    note : str
        What was played, for the caption.
    """
    with mpl.rc_context(STYLE):
        looks = {name: look(number) for number, name in enumerate(figures)}
        return _reliability_diagram(figures, note, looks)


def _reliability_diagram(
    reliabilities: dict[str, dict[str, Any]],
    note: str,
    looks: dict[str, dict[str, Any]],
    words: str = "",
) -> Figure:
    figure = Figure(figsize=(8.0, 6.4), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    upper.set_title(f"Reliability of the posterior{words}", loc="left")
    set_caption(
        figure,
        f"{note}; every letter not guessed, in every state of an agent's games, is a prediction; "
        "bars: 95% intervals, the predictions of a word as one cluster",
    )
    upper.plot([0, 1], [0, 1], color=INK, linewidth=0.9, alpha=0.6)
    for name, figures in reliabilities.items():
        bins = figures["bins"]
        mean = [row["mean_probability"] for row in bins]
        share = np.array([row["share"] for row in bins])
        low, high = np.array([row["ci95"] for row in bins]).T
        brier = figures["brier"]
        error = figures["expected_calibration_error"]
        upper.errorbar(
            mean,
            share,
            yerr=[np.maximum(share - low, 0), np.maximum(high - share, 0)],
            label=f"{name}\nBrier score {brier:.4f}\ncalibration error {error:.4f}",
            capsize=2,
            elinewidth=0.9,
            **looks[name],
        )
        lower.plot(mean, [row["predictions"] for row in bins], **looks[name])
    upper.set_ylabel("share of letters that are in\nthe hidden part of the word")
    lower.set_ylabel("predictions")
    lower.set_yscale("log")
    lower.set_xlabel("probability that the agent gives the letter")
    for axes in (upper, lower):
        axes.set_xlim(-0.02, 1.02)
    upper.yaxis.set_major_formatter(PercentFormatter(1.0))
    lower.xaxis.set_major_formatter(PercentFormatter(1.0))
    figure.legend(loc="outside right upper", fontsize=10)
    return figure


def _draw_learning_curves(curves: LearningCurves, evaluation: dict[str, Any]) -> Figure:
    figure, axes = new_figure(
        "Learning curves",
        f"run {curves.name}; train: words of training games, with exploration; valid: words not "
        f"fitted on, band: 95% Wilson interval; lines: {curves.baseline_split} words",
    )
    axes.plot(*curves.valid, label="valid", **look(0))
    if curves.valid_interval is not None:
        axes.fill_between(
            curves.valid[0], *curves.valid_interval, color=COLOURS[0], alpha=0.15, linewidth=0
        )
    for number, (name, points) in enumerate(curves.train.items(), start=1):
        axes.plot(*points, label=name, **(look(number) | {"markersize": 3}))
    for number, (name, level) in enumerate(curves.baselines.items(), start=3):
        axes.axhline(level, label=name, color=COLOURS[number % len(COLOURS)], linestyle="--")
    if curves.ppo_start is not None:
        axes.axvline(curves.ppo_start, color=INK, linewidth=0.8, alpha=0.5)
        axes.text(curves.ppo_start, 1.0, " PPO begins", fontsize=_CAPTION_SIZE, va="top")
    _finish_rates(axes, "steps of PPO")
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    return figure


# The plot's name, the figures of an agent that it needs, and what draws it.
_PLOTS: tuple[tuple[str, str, Callable[[dict[str, Any], dict[str, Any]], Figure]], ...] = (
    ("win_rate_by_length", "by_length", _draw_by_length),
    ("win_rate_by_limit", "by_limit", _draw_by_limit),
    ("information_gain", "information_gain", _draw_information),
    ("letters_by_turn", "letters_by_turn", _draw_letters),
    ("reliability", "reliability", _draw_reliability),
)
PLOT_NAMES = (*(name for name, _, _ in _PLOTS), "learning_curves")
