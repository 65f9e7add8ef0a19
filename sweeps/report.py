"""The results of a sweep: trials, means over seeds, plots and an HTML report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, PercentFormatter
from scipy.stats import t

from hangman_lab.evaluation.plots import COLORS, INK, STYLE, look, new_figure, set_caption
from hangman_lab.evaluation.report_page import inline_svg, render_page
from hangman_lab.evaluation.tables import DataTable
from hangman_lab.sweeps.sweep_file import Sweep, describe_point

if TYPE_CHECKING:
    from ray.tune import ResultGrid

# The final win rates of trials, with their headings.
_RATES = {
    "win_rate": "unseen",
    "known_win_rate": "known",
    "excluded_win_rate": "unseen, known 0",
    "look_ahead_win_rate": "look-ahead, unseen",
    "posterior_win_rate": "greedy, unseen",
}
_BASE = "the base recipe"
_REPORTED = ("step", *_RATES, "games")
# The number of learning curves in color; the rest are gray.
_NUM_COLORED = 6


class SweepResults:
    """The results of a sweep whose trials have all ended, from those of ``tune.Tuner.fit``.

    Attributes
    ----------
    trials : DataFrame
        A row per trial: ``trial`` (Tune's id), ``status`` (``finished``, ``stopped`` by the
        scheduler, or ``failed``), ``point`` (options as text), ``seed``, the options, and the last
        report; the number of ``games`` and most win rates are those of finished trials alone.
    points : DataFrame
        A row per point, the best first, indexed by ``point``: the means of its finished trials,
        ``half_width`` of Student's 95% interval over seeds (NaN for one seed), and the numbers of
        ``finished`` trials and of ``trials``.
    curves : DataFrame
        A row per validation of a trial: ``point``, ``seed``, ``step``, ``win_rate``.
    """

    def __init__(self, sweep: Sweep, results: ResultGrid) -> None:
        self.sweep = sweep
        rows, curves = [], []
        for result in results:
            # A trial that failed before its first report has no config.
            config = result.config or {}
            options = {key: config.get(key) for key in sweep.config.space}
            row = {
                "trial_id": result.metrics["trial_id"],
                "failed": result.error is not None,
                "point": describe_point(options) or _BASE,
                "seed": sweep.base.seed + config.get("seed", 0) + config.get("__trial_index__", 0),
            }
            rows.append(row | options)
            if result.metrics_dataframe is not None:
                curves.append(result.metrics_dataframe.assign(point=row["point"], seed=row["seed"]))
        last = results.get_dataframe().reindex(columns=["trial_id", *_REPORTED])
        trials = pd.DataFrame(rows).merge(last, "left", "trial_id")
        status = trials.pop("failed").map({True: "failed", False: "stopped"})
        trials.insert(1, "status", status.mask(trials["games"].notna(), "finished"))
        self.trials = trials.rename(columns={"trial_id": "trial"}).sort_values(["point", "seed"])
        self.points = self._over_seeds()
        columns = ["point", "seed", "step", "win_rate", "games"]
        reports = (pd.concat(curves) if curves else pd.DataFrame()).reindex(columns=columns)
        # A resumed trial repeats the reports since its checkpoint.
        reports = reports[reports.pop("games").isna()]
        self.curves = reports.drop_duplicates(["point", "seed", "step"], keep="last")

    def _over_seeds(self) -> pd.DataFrame:
        finished = self.trials[self.trials["status"] == "finished"].groupby("point")
        points = finished[list(_RATES)].mean()
        points["half_width"] = _half_widths(finished["win_rate"])
        points["finished"] = finished.size()
        points = points.reindex(self.trials["point"].unique())
        points["finished"] = points["finished"].fillna(0).astype(int)
        points["trials"] = self.trials.groupby("point").size()
        return points.sort_values("win_rate", ascending=False)

    @property
    def best(self) -> dict[str, Any] | None:
        """The options of the best point with all seeds finished, or None."""
        complete = self.points.index[self.points["finished"] == self.sweep.config.seeds]
        best = self.trials[self.trials["point"].isin(complete[:1])]
        return next(iter(best[list(self.sweep.config.space)].to_dict("records")), None)

    def describe(self) -> str:
        """Return a line with the numbers of trials by status, and the best point."""
        counts = self.trials["status"].value_counts()
        listed = ", ".join(f"{count} {status}" for status, count in counts.items())
        line = f"{len(self.trials)} trials ({listed}) of {len(self.points)} points."
        if self.best is None:
            return f"{line} No point has all its trials finished."
        best = describe_point(self.best) or _BASE
        return f"{line} Best on valid words: {best}, {self.points.loc[best, 'win_rate']:.2%}."

    def table(self, most: int | None = None) -> DataTable:
        """Return a table of the points, the best first."""
        rows = []
        for point, row in self.points[:most].iterrows():
            rates = ["" if pd.isna(row[name]) else f"{row[name]:.1%}" for name in _RATES]
            if pd.notna(row["half_width"]):
                rates[0] += f" ± {100 * row['half_width']:.1f}"
            rows.append((str(point), f"{row['finished']:.0f}/{row['trials']:.0f}", *rates))
        return DataTable(
            f"{self.sweep.config.name}, valid words of {self.sweep.base.words}",
            ("point", "finished", *_RATES.values()),
            rows,
            note="means over seeds, ± half of Student's 95% interval over them",
        )

    def draw(self) -> dict[str, Figure]:
        """Return the available plots by name."""
        figures = {}
        with mpl.rc_context(STYLE):
            if self.sweep.config.space and self.points["finished"].any():
                figures["win_rate_by_option"] = self._draw_by_option()
            if len(self.curves):
                figures["learning_curves"] = self._draw_curves()
        return figures

    def _draw_by_option(self) -> Figure:
        space = self.sweep.config.space
        figure = Figure(figsize=(8.0, 0.8 + 3.0 * len(space)), layout="constrained")
        set_caption(figure, "win rate by option, a dot per trial")
        trials = self.trials[self.trials["status"] == "finished"]
        panels = figure.subplots(len(space), squeeze=False, sharey=True).flat
        for panel, (key, described) in zip(panels, space.items(), strict=True):
            values = trials[key]
            if not pd.api.types.is_numeric_dtype(values):
                values = values.map(str)
            panel.plot(values, trials["win_rate"], "o", color=COLORS[0], alpha=0.6)
            panel.set(xlabel=key, ylabel="win rate")
            if next(iter(described)).startswith("log"):
                panel.set_xscale("log")
            panel.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1))
        return figure

    def _draw_curves(self) -> Figure:
        figure, axes = new_figure(
            "Learning curves",
            "mean win rate on valid words over seeds; bands: Student's 95% interval; in color: the "
            f"best {_NUM_COLORED} points",
        )
        for place, point in reversed(list(enumerate(self.points.index))):
            rates = self.curves[self.curves["point"] == point].groupby("step")["win_rate"]
            mean, half = rates.mean(), _half_widths(rates)
            style = {"color": INK, "alpha": 0.2, "linewidth": 0.8}
            if place < _NUM_COLORED:
                style = look(place) | {"markersize": 4, "linewidth": 1.6, "label": point}
                band = {"color": style["color"], "alpha": 0.15, "linewidth": 0}
                # After a seed was stopped, the mean is biased.
                half = half.where(rates.count() == rates.count().max())
                axes.fill_between(mean.index, mean - half, mean + half, **band)
            axes.plot(mean.index, mean, **style)
        axes.set(xlabel="steps of PPO", ylabel="win rate")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.13), reverse=True)
        figure.set_figheight(4.8 + 0.25 * min(len(self.points), _NUM_COLORED))
        return figure

    def page(self) -> str:
        """Return the report as a self-contained HTML page."""
        return render_page(
            Path(__file__).parent / "report.html.j2",
            name=self.sweep.config.name,
            caption=self.describe(),
            table=self.table(),
            plots=[inline_svg(figure, name) for name, figure in self.draw().items()],
            described=self.sweep.dump(),
        )


def _half_widths(groups: Any) -> pd.Series:
    """Return half of Student's 95% interval of each group's mean; NaN for a single value."""
    return groups.sem() * t.ppf(0.975, groups.count() - 1)
