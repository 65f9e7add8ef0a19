"""The results of a sweep: the means over the seeds of each point."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from hangman_lab.sweeps.sweep_file import Sweep
from hangman_lab.terminal.tables import DataTable

METRIC = "win_rate"
# Further final win rates: the kind of words, and the agent, None for the policy.
FINAL_RATES = {
    "known_win_rate": ("known", None),
    "excluded_win_rate": ("excluded", None),
    "look_ahead_win_rate": ("unseen", "look-ahead"),
    "posterior_win_rate": ("unseen", "posterior"),
}


def final_rates(evaluation: dict[str, Any], algorithm: str) -> dict[str, float]:
    """Return the win rates of ``FINAL_RATES`` that the evaluation of a run has."""
    final = {"unseen": evaluation, **evaluation["tables"]}
    return {
        name: final[kind]["agents"][agent or algorithm]["win_rate"]
        for name, (kind, agent) in FINAL_RATES.items()
        # PPO alone has no posterior, and no games with known words excluded.
        if (agent or algorithm) in final.get(kind, {}).get("agents", {})
    }


def mean_over_seeds(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the mean win rates of each point's finished trials, the best point first.

    ``trials`` has the last report of each trial; a point, the index, is its options as JSON. Also
    ``std``, the standard deviation of ``win_rate``, and ``seeds``, the number of these trials.
    """
    trials = trials.reindex(columns=["point", "games", METRIC, *FINAL_RATES])
    finished = trials.loc[trials.pop("games").notna()].groupby("point")
    points = finished.agg("mean").assign(std=finished[METRIC].std(), seeds=finished.size())
    return points.sort_values(METRIC, ascending=False)


def best_point(sweep: Sweep, points: pd.DataFrame) -> dict[str, Any] | None:
    """Return the options of the best point with all its seeds finished, or None."""
    complete = points.index[points.seeds >= sweep.config.seeds]
    return json.loads(complete[0]) if len(complete) else None


def make_table(sweep: Sweep, points: pd.DataFrame) -> DataTable:
    """Return a table of the points."""
    rows = []
    for point, row in points.iterrows():
        rates = ["" if pd.isna(rate) else f"{rate:.1%}" for rate in row[[METRIC, *FINAL_RATES]]]
        if pd.notna(row.loc["std"]):
            rates[0] += f" ± {100 * row['std']:.1f}"
        # With spaces: a narrow table breaks lines there, and not within numbers.
        described = "\n".join(
            f"{key.removeprefix('learner.')} {f'{value:.6g}' if type(value) is float else value}"
            for key, value in json.loads(str(point)).items()
        )
        rows.append((described or "the base recipe", f"{row['seeds']:.0f}", *rates))
    names = (name.removesuffix("_win_rate").replace("_", "-") for name in FINAL_RATES)
    return DataTable(
        f"{sweep.config.name}, valid words of {sweep.base.words}",
        ("point", "seeds", "unseen", *names),
        rows,
        note="win rates: means over seeds ± standard deviation",
    )
