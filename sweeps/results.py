"""The results of a sweep: figures per trial, per point over its seeds, the best point."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envs.errors import InputError
from evaluation.statistics import mean_interval
from evaluation.tables import DataTable
from runs.config import dump_config
from runs.directory import RunDirectory, write_text
from sweeps.space import Point
from sweeps.sweep_file import Sweep, Trial, describe_point
from sweeps.trial import ERROR_NAME, STOPPED_NAME, TRIALS, read_reports

FINISHED, STOPPED, FAILED = "finished", "stopped", "failed"
INTERRUPTED, WAITING = "interrupted", "waiting"
# Of the win rates of a run's end: the policy's on unseen, on known and on unseen words that cannot
# be known, and the greedy posterior's on unseen words.
_FIGURES = {
    "known_win_rate": ("known", "ppo"),
    "excluded_win_rate": ("excluded", "ppo"),
    "posterior_win_rate": ("unseen", "posterior"),
}


def status_of(folder: Path) -> str:
    """Return how far the trial of a folder is."""
    if RunDirectory(folder).evaluation.is_file():
        return FINISHED
    if (folder / STOPPED_NAME).is_file():
        return STOPPED
    if (folder / ERROR_NAME).is_file():
        return FAILED
    return INTERRUPTED if RunDirectory(folder).config.is_file() else WAITING


def trial_value(folder: Path) -> float | None:
    """Return what a trial is judged by, its win rate on valid words.

    Of all of them if it finished; of those that were played last if it was stopped; NaN if it
    failed; None if it has not ended.
    """
    status = status_of(folder)
    if status == FINISHED:
        return _read(RunDirectory(folder).evaluation)["agents"]["ppo"]["win_rate"]
    if status == STOPPED:
        return _read(folder / STOPPED_NAME)["win_rate"]
    return math.nan if status == FAILED else None


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not readable ({error})") from error


def first_line_of_error(folder: Path) -> str:
    """Return the last line of what went wrong in a trial, empty if nothing did."""
    path = folder / ERROR_NAME
    return path.read_text(encoding="utf-8").strip().rpartition("\n")[2] if path.is_file() else ""


def collect(sweep: Sweep, trials: Sequence[Trial], folder: Path) -> dict[str, Any]:
    """Return the results as ``results.json`` holds them, of all trials of each point in order."""
    described = [_describe_trial(trial, folder / TRIALS / trial.name) for trial in trials]
    seeds = sweep.config.seeds
    points = [
        _describe_point(trials[first].options, described[first : first + seeds], first // seeds)
        for first in range(0, len(described), seeds)
    ]
    complete = [point for point in points if point["finished"] == seeds]
    best = max(complete, key=lambda point: point["win_rate"], default=None)
    return {
        "sweep": sweep.config.model_dump(mode="json", exclude={"base", "set"}),
        "base": sweep.base.model_dump(mode="json"),
        "words": {"source": sweep.base.words, "count": len(sweep.word_list), "split": "valid"},
        "trials": described,
        "points": points,
        "best": None if best is None else best["point"],
    }


def _describe_trial(trial: Trial, folder: Path) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "trial": trial.name,
        "point": trial.point,
        "seed": trial.seed,
        "options": trial.options,
        "status": status_of(folder),
        **dict.fromkeys(("win_rate", "ci95", "games", *_FIGURES)),
        "curve": [list(report) for report in sorted(read_reports(folder).items())],
    }
    if figures["status"] == FINISHED:
        evaluation = _read(RunDirectory(folder).evaluation)
        unseen = evaluation["agents"]["ppo"]
        figures |= {key: unseen[key] for key in ("win_rate", "ci95", "games")}
        for name, (kind, agent) in _FIGURES.items():
            part = evaluation if kind == "unseen" else evaluation[kind]
            figures[name] = part["agents"][agent]["win_rate"]
    elif figures["status"] == FAILED:
        figures["error"] = first_line_of_error(folder)
    return figures


def _describe_point(options: Point, trials: list[dict[str, Any]], number: int) -> dict[str, Any]:
    finished = [trial for trial in trials if trial["status"] == FINISHED]
    figures: dict[str, Any] = {
        "point": number,
        "options": options,
        "trials": len(trials),
        "finished": len(finished),
        "stopped": sum(trial["status"] == STOPPED for trial in trials),
    }
    for name in ("win_rate", *_FIGURES):
        mean, interval = None, None
        if finished:
            values = np.array([trial[name] for trial in finished])
            mean, interval = mean_interval(values, np.arange(len(values)))
        figures |= {name: mean, f"{name}_ci95": None if interval is None else list(interval)}
    return figures


def write_results(sweep: Sweep, results: dict[str, Any], folder: Path) -> None:
    """Write ``results.json``, ``results.csv`` and, if a point is complete, its ``config.yaml``."""
    write_text(folder / "results.json", json.dumps(results, indent=2) + "\n")
    keys = [domain.key for domain in sweep.domains]
    columns = ["trial", "point", "seed", "status", "win_rate", *_FIGURES, "games"]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, *keys])
    for trial in results["trials"]:
        row = [trial[column] for column in columns] + [trial["options"][key] for key in keys]
        writer.writerow(["" if value is None else value for value in row])
    write_text(folder / "results.csv", text.getvalue())
    if results["best"] is not None:
        best = sweep.recipe(results["points"][results["best"]]["options"])
        write_text(folder / "config.yaml", dump_config(best))


def points_table(results: dict[str, Any], most: int | None = None) -> DataTable:
    """Return the points as a table, the best first."""
    points = sorted(results["points"], key=lambda point: -(point["win_rate"] or -1.0))
    seeds = results["sweep"]["seeds"]
    rows = [
        (
            str(point["point"]),
            describe_point(point["options"]),
            f"{point['finished']}/{point['trials']}",
            _percent(point["win_rate"], point["win_rate_ci95"]),
            _percent(point["known_win_rate"]),
        )
        for point in points[:most]
    ]
    note = "unseen: all valid words; known: train words"
    if seeds > 1:
        note += f"; mean of {seeds} seeds, in brackets Student's 95% interval over them"
    shown = "" if most is None or len(points) <= most else f", the first {most} of {len(points)}"
    words = results["words"]
    return DataTable(
        f"{results['sweep']['name']}, valid words of {words['source']}{shown}",
        ("point", "options", "finished", "unseen", "known"),
        rows,
        2,
        note,
    )


def _percent(rate: float | None, interval: list[float] | None = None, digits: int = 1) -> str:
    if rate is None:
        return ""
    if interval is None:
        return f"{rate:.{digits}%}"
    low, high = (f"{100 * bound:.{digits}f}" for bound in interval)
    return f"{rate:.{digits}%} ({low}-{high})"


def trials_table(results: dict[str, Any]) -> DataTable:
    """Return the trials as a table."""
    rows = []
    for trial in results["trials"]:
        step, rate = trial["curve"][-1] if trial["curve"] else (None, None)
        rows.append(
            (
                trial["trial"],
                trial["status"],
                "" if step is None else f"{step:,}",
                _percent(rate, digits=2),
                "" if trial["games"] is None else f"{trial['games']:,}",
                _percent(trial["win_rate"], trial["ci95"], 2),
            )
        )
    return DataTable(
        "trials",
        ("trial", "", "steps", "last reported", "games", "unseen"),
        rows,
        2,
        note="last reported: valid words that are played while training; unseen: all valid words, "
        "in brackets the 95% Wilson interval of the trial's games",
    )
