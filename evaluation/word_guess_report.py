"""The figures of the games in which whole words are guessed, as tables and as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

_TOUGHEST_SHOWN = 5
_BAR_WIDTH = 40
# So that curves that lie on each other are both seen.
_LINE_STYLES = ("-", "--", ":", "-.")


def print_comparison(console: Console, evaluation: dict[str, Any]) -> None:
    """Print the table of agents and the histogram of guesses of each."""
    words = evaluation["words"]
    lists = f"{words['lists']:,} lists of " if "lists" in words else ""
    title = (
        f"{evaluation['env']}, {lists}{words['count']:,} words of {words['source']}, "
        f"{evaluation['max_guesses']} guesses at most"
    )
    table = Table(title=title, box=SIMPLE_HEAD)
    # The mean and the worst case are of guesses; "in 10" is the share solved within ten.
    table.add_column("agent", no_wrap=True)
    for heading in ("games", "solved", "mean", "95% CI", "worst", "in 10", "games/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, figures in evaluation["agents"].items():
        low, high = figures["mean_guesses_ci95"]
        table.add_row(
            name,
            f"{figures['games']:,}",
            f"{figures['solved_rate']:.2%}",
            f"{figures['mean_guesses']:.3f}",
            f"{low:.2f}-{high:.2f}",
            f"{figures['max_guesses']}",
            f"{figures['solved_within']['10']:.2%}",
            f"{figures['games_per_second']:,.0f}",
        )
    console.print(table)
    for name, figures in evaluation["agents"].items():
        toughest = ", ".join(
            f"{entry['word']} {entry['mean_guesses']:g}"
            for entry in figures["toughest"][:_TOUGHEST_SHOWN]
        )
        console.print(f"{name}: toughest {toughest}", highlight=False)
    for name, figures in evaluation["agents"].items():
        console.print(_histogram(name, figures))


def _histogram(name: str, figures: dict[str, Any]) -> Table:
    """Return guesses and games as bars, with what took more than 20 guesses in one row."""
    table = Table(title=name, box=SIMPLE_HEAD)
    table.add_column("guesses", justify="right")
    table.add_column("games", justify="right")
    table.add_column("")
    rows = {str(number): 0 for number in range(1, 21)} | {"over 20": 0, "unsolved": 0}
    for guesses, games in figures["histogram"].items():
        rows[guesses if guesses in rows else "over 20"] += games
    rows["unsolved"] = figures["games"] - figures["solved"]
    most = max(rows.values())
    for label, games in rows.items():
        if games:
            bar = "█" * max(1, round(_BAR_WIDTH * games / most))
            table.add_row(label, f"{games:,}", bar)
    return table


def save_plots(evaluation: dict[str, Any], directory: str | Path) -> list[Path]:
    """Draw the share of games solved by guesses, and the histogram; return the files' paths.

    The directory is made if it is not there.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    agents = evaluation["agents"]
    words = evaluation["words"]
    subject = f"{evaluation['env']}, {words['count']:,} words of {words['source']}"

    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for number, (name, figures) in enumerate(agents.items()):
        limits = [int(limit) for limit in figures["solved_within"]]
        shares = [100 * share for share in figures["solved_within"].values()]
        style = _LINE_STYLES[number % len(_LINE_STYLES)]
        axes.plot(limits, shares, style, marker="o", markersize=3, label=name)
    axes.set(xlabel="guesses", ylabel="games solved (%)", ylim=(0, 102), xlim=(1, 20))
    axes.set_xticks(range(1, 21))
    axes.set_title(f"Games solved within a number of guesses\n{subject}", fontsize=11)
    axes.grid(alpha=0.3)
    axes.legend()
    solved = directory / "word_guess_solved.png"
    figure.savefig(solved, dpi=120)
    pyplot.close(figure)

    columns = min(2, len(agents))
    rows = -(-len(agents) // columns)
    figure, grid = pyplot.subplots(
        rows, columns, figsize=(4.6 * columns, 2.8 * rows), layout="constrained", squeeze=False
    )
    for axes in grid.flat[len(agents) :]:
        axes.set_visible(False)
    for axes, (name, figures) in zip(grid.flat, agents.items(), strict=False):
        guesses = [int(number) for number in figures["histogram"]]
        axes.bar(guesses, list(figures["histogram"].values()), width=0.9)
        mean = figures["mean_guesses"]
        axes.axvline(mean, color="black", linewidth=1, linestyle="--")
        axes.set_title(f"{name}: mean {mean:.2f}, worst {figures['max_guesses']}", fontsize=10)
        axes.set(xlabel="guesses", ylabel="games")
        axes.xaxis.get_major_locator().set_params(integer=True)
    figure.suptitle(f"Guesses per game: {subject}", fontsize=11)
    histogram = directory / "word_guess_histogram.png"
    figure.savefig(histogram, dpi=120)
    pyplot.close(figure)
    return [solved, histogram]
