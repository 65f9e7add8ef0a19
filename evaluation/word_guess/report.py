"""The figures of a comparison of whole words as tables and as plots."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from rich.console import Console

from evaluation.plots import INK, STYLE, look, new_figure, set_caption
from evaluation.tables import DataTable, print_table
from evaluation.word_guess.comparison import MAX_SHARE

_TOUGHEST_SHOWN = 5
_BAR_WIDTH = 40
_COLUMNS = 2


def print_comparison(console: Console, evaluation: dict[str, Any]) -> None:
    """Print the table of agents, and of each its toughest words and its histogram of guesses."""
    print_table(console, _agents_table(evaluation))
    for name, figures in evaluation["agents"].items():
        toughest = ", ".join(
            f"{entry['word']} {entry['mean_guesses']:g}"
            for entry in figures["toughest"][:_TOUGHEST_SHOWN]
        )
        console.print(f"{name}: toughest {toughest}", highlight=False)
    for name, figures in evaluation["agents"].items():
        print_table(console, _histogram_table(name, figures))


def draw_plots(evaluation: dict[str, Any]) -> dict[str, Figure]:
    """Return the plots of an evaluation, by the name of their file.

    They are the share of games solved by guesses, and each agent's histogram of guesses.
    """
    with mpl.rc_context(STYLE):
        return {
            "word_guess_solved": _draw_solved(evaluation),
            "word_guess_histogram": _draw_histograms(evaluation),
        }


def _describe(evaluation: dict[str, Any]) -> str:
    words = evaluation["words"]
    lists = f"{words['lists']:,} lists of " if "lists" in words else ""
    return (
        f"{evaluation['env']}, {lists}{words['count']:,} words of {words['source']}, "
        f"{evaluation['max_guesses']} guesses at most"
    )


def _agents_table(evaluation: dict[str, Any]) -> DataTable:
    rows = []
    for name, figures in evaluation["agents"].items():
        interval = figures["mean_guesses_ci95"]
        rows.append(
            (
                name,
                f"{figures['games']:,}",
                f"{figures['solved_rate']:.2%}",
                f"{figures['mean_guesses']:.3f}",
                "" if interval is None else f"{interval[0]:.2f}-{interval[1]:.2f}",
                f"{figures['max_guesses']}",
                f"{figures['solved_within']['10']:.2%}",
                f"{figures['games_per_second']:,.0f}",
            )
        )
    return DataTable(
        _describe(evaluation),
        ("agent", "games", "solved", "mean", "95% CI", "worst", "in 10", "games/s"),
        rows,
        note="mean, worst: of guesses; in 10: solved within ten; 95% CI: Student's, of the mean",
    )


def _histogram_table(name: str, figures: dict[str, Any]) -> DataTable:
    """Return guesses and games as bars, with what took more than 20 guesses in one row."""
    over = f"over {MAX_SHARE}"
    counts = {str(number): 0 for number in range(1, MAX_SHARE + 1)} | {over: 0}
    for guesses, games in figures["histogram"].items():
        counts[guesses if guesses in counts else over] += games
    counts["unsolved"] = figures["games"] - figures["solved"]
    most = max(counts.values())
    width = len(f"{most:,}")
    rows = [
        (f"{label:>8}", f"{games:{width},}", "█" * max(1, round(_BAR_WIDTH * games / most)))
        for label, games in counts.items()
        if games
    ]
    return DataTable(name, ("guesses", "games", ""), rows, 3)


def _draw_solved(evaluation: dict[str, Any]) -> Figure:
    figure, axes = new_figure("Games solved within a number of guesses", _describe(evaluation))
    for index, (name, figures) in enumerate(evaluation["agents"].items()):
        limits = [int(limit) for limit in figures["solved_within"]]
        axes.plot(limits, list(figures["solved_within"].values()), label=name, **look(index))
    axes.set(xlabel="guesses", ylabel="games solved", ylim=(-0.03, 1.03))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(MAX_SHARE, integer=True))
    figure.legend(loc="outside right upper")
    return figure


def _draw_histograms(evaluation: dict[str, Any]) -> Figure:
    agents = evaluation["agents"]
    columns = min(_COLUMNS, len(agents))
    rows = -(-len(agents) // columns)
    figure = Figure(figsize=(4.6 * columns, 0.6 + 2.8 * rows), layout="constrained")
    figure.suptitle("Guesses per game", x=0.01, ha="left", fontsize=13)
    set_caption(figure, f"{_describe(evaluation)}; dashed: mean")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for panel, (name, figures) in zip(panels, agents.items(), strict=False):
        guesses = [int(number) for number in figures["histogram"]]
        panel.bar(guesses, list(figures["histogram"].values()), width=0.9, color=look(0)["color"])
        panel.axvline(figures["mean_guesses"], color=INK, linewidth=1, linestyle="--")
        panel.set_title(
            f"{name}: mean {figures['mean_guesses']:.2f}, worst {figures['max_guesses']}",
            loc="left",
            fontsize=10,
        )
        panel.set(xlabel="guesses", ylabel="games")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    for panel in panels[len(agents) :]:
        panel.set_visible(False)
    return figure
