import csv
import json
import re
from itertools import pairwise

import pytest
import yaml
from matplotlib.figure import Figure

from runs.config import load_config
from sweeps.plots import draw_plots
from sweeps.report import describe_results, sweep_page
from sweeps.results import collect, points_table, trial_value, write_results
from sweeps.sweep_file import load_sweep

RATES = {0: (0.50, 0.52, 0.54), 1: (0.60, 0.64, 0.62), 2: (0.70, 0.71, None)}


def write_trial(folder, config, rate, steps=(0, 512, 1024)):
    """Write what a trial leaves: finished with a win rate, or stopped without one."""
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("")
    lines = [json.dumps({"step": step, "win_rate": 0.3 + step / 1e4}) for step in steps]
    (folder / "reports.jsonl").write_text("\n".join(lines) + "\n")
    if rate is None:
        (folder / "stopped.json").write_text('{"step": 512, "win_rate": 0.35}\n')
        return
    agents = {
        name: {"win_rate": rate, "ci95": [rate - 0.1, rate + 0.1], "games": 50}
        for name in ("ppo", "posterior")
    }
    evaluation = {"agents": agents, "known": {"agents": agents}, "excluded": {"agents": agents}}
    (folder / "evaluation.json").write_text(json.dumps(evaluation))


@pytest.fixture
def swept(tmp_path, base_recipe, few_hundred_words):
    """A sweep of three points and three seeds: (sweep, folder, results)."""
    path = tmp_path / "sweep.yaml"
    space = {"ppo.epochs": {"grid": [1, 2, 4]}, "ppo.learning_rate": {"loguniform": [1e-3, 1e-1]}}
    described = {
        "name": "tiny",
        "base": str(base_recipe),
        "space": space,
        "seeds": 3,
        "trials": 9,
    }
    path.write_text(yaml.safe_dump(described))
    sweep = load_sweep(path, words=str(few_hundred_words))
    trials = [trial for n, point in enumerate(sweep.points) for trial in sweep.trials_of(n, point)]
    folder = tmp_path / "folder"
    for trial in trials:
        write_trial(folder / "trials" / trial.name, trial.config, RATES[trial.point][trial.seed])
    return sweep, folder, collect(sweep, trials, folder)


def test_the_best_point_has_the_highest_mean_of_those_with_all_seeds(swept):
    _, _, results = swept
    assert results["best"] == 1
    assert [point["finished"] for point in results["points"]] == [3, 3, 2]
    assert results["points"][1]["win_rate"] == pytest.approx(0.62)


def test_the_interval_over_seeds_is_students(swept):
    from scipy import stats

    low, high = swept[2]["points"][0]["win_rate_ci95"]
    interval = stats.ttest_1samp(RATES[0], 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((interval.low, interval.high))


def test_a_stopped_trial_is_judged_by_what_it_reported_last(swept):
    _, folder, results = swept
    assert results["trials"][8]["status"] == "stopped"
    assert trial_value(folder / "trials" / "point_002_seed_2") == 0.35


def test_the_best_config_is_a_recipe_of_train(swept):
    sweep, folder, results = swept
    write_results(sweep, results, folder)
    config = load_config(folder / "config.yaml")
    assert config == sweep.recipe(sweep.points[1])
    assert config.ppo.epochs == 2
    assert config.final_split == "test"


def test_the_csv_has_a_row_per_trial(swept):
    sweep, folder, results = swept
    write_results(sweep, results, folder)
    with open(folder / "results.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9
    assert [row["win_rate"] for row in rows[:3]] == ["0.5", "0.52", "0.54"]
    assert rows[8]["status"] == "stopped"
    assert rows[8]["win_rate"] == ""
    assert float(rows[0]["ppo.learning_rate"]) == sweep.points[0]["ppo.learning_rate"]


def test_failed_trials_say_why(swept):
    sweep, folder, _ = swept
    trial = sweep.trials_of(0, sweep.points[0])[0]
    (folder / "trials" / trial.name / "evaluation.json").unlink()
    (folder / "trials" / trial.name / "error.txt").write_text("Traceback\nMemoryError: too much\n")
    results = collect(sweep, [trial], folder)
    assert results["trials"][0]["error"] == "MemoryError: too much"
    assert results["best"] is None
    assert "1 failed" in describe_results(results)


def test_tables_have_the_best_point_first(swept):
    table = points_table(swept[2])
    # Two of its three trials finished, and these won most.
    assert [row[0] for row in table.rows] == ["2", "1", "0"]
    assert "2/3" in table.rows[0]


def test_every_plot_is_drawn(swept):
    figures = draw_plots(swept[2])
    assert list(figures) == ["win_rate_by_option", "learning_curves", "parallel_coordinates"]
    assert all(isinstance(figure, Figure) for figure in figures.values())


def test_labels_of_a_logarithmic_axis_stand_side_by_side(swept):
    results = swept[2]
    points = results["points"]
    for lowest in (1e-5, 1e-3, 0.009):
        for place, point in enumerate(points):
            point["options"]["ppo.learning_rate"] = lowest * (0.01 / lowest) ** (place / 2)
        figure = draw_plots(results)["win_rate_by_option"]
        figure.draw_without_rendering()
        labels = [
            label.get_window_extent() for label in figure.axes[1].get_xticklabels(which="both")
        ]
        shown = sorted((box for box in labels if box.width > 0), key=lambda box: box.x0)
        assert len(shown) >= 2
        assert all(left.x1 < right.x0 for left, right in pairwise(shown))


def test_a_sweep_without_an_option_or_a_finished_trial_has_the_plots_that_it_can_have(swept):
    results = swept[2]
    for trial in results["trials"]:
        trial["curve"] = []
    for point in results["points"]:
        point["win_rate"] = None
    assert draw_plots(results) == {}


def test_the_page_needs_nothing_from_elsewhere_and_shows_texts_as_they_are(swept):
    results = swept[2]
    results["sweep"]["name"] = "<b>name</b>"
    page = sweep_page(results, draw_plots(results))
    addresses = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert "<b>name</b>" not in page
    assert page.count("<figure>") == 3
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    for trial in results["trials"]:
        assert trial["trial"] in page
