import math
from types import SimpleNamespace

import pandas as pd
import pytest
from scipy import stats

from hangman_lab.sweeps.folder import SweepFolder
from hangman_lab.sweeps.report import SweepResults
from tests.evaluation.test_report_page import assert_self_contained

# The win rates of three seeds: the last trial is stopped, or fails.
RATES = {1: (0.50, 0.52, 0.54), 2: (0.60, 0.64, 0.62), 4: (0.70, 0.71, None)}


class Results(list):
    """What ``tune.Tuner.fit`` returns, as far as it is read."""

    def get_dataframe(self):
        return pd.DataFrame([result.metrics_dataframe.iloc[-1].to_dict() for result in self])


def result(epochs, seed, rate, error=None):
    trial = f"a_{epochs}{seed}"
    rows = [{"step": step, "win_rate": 0.3 + step / 1e4} for step in (0, 512, 512, 1024)]
    if rate is not None:
        figures = ("win_rate", "known_win_rate", "excluded_win_rate")
        figures += ("look_ahead_win_rate", "posterior_win_rate")
        rows.append({"step": 1024, "games": 50, **dict.fromkeys(figures, rate)})
    return SimpleNamespace(
        metrics={"trial_id": trial},
        config={"ppo.epochs": epochs, "ppo.learning_rate": epochs / 100, "seed": seed},
        error=error,
        metrics_dataframe=pd.DataFrame(rows).assign(trial_id=trial),
    )


@pytest.fixture
def make_results(make_sweep):
    space = {
        "ppo.epochs": {"grid_search": list(RATES)},
        "ppo.learning_rate": {"loguniform": [1e-3, 1e-1]},
    }
    sweep = make_sweep(space=space, seeds=3)

    def make(error=None):
        results = [
            result(epochs, seed, rate, error if rate is None else None)
            for epochs, rates in RATES.items()
            for seed, rate in enumerate(rates)
        ]
        return SweepResults(sweep, Results(results))

    return make


def test_the_best_point_has_the_highest_mean_and_all_seeds(make_results, tmp_path):
    results = make_results()
    assert results.best == {"ppo.epochs": 2, "ppo.learning_rate": 0.02}
    assert "8 finished, 1 stopped" in results.describe()
    assert "62.00%" in results.describe()
    assert list(results.points["finished"]) == [2, 3, 3]
    point = "ppo.epochs=2 ppo.learning_rate=0.02"
    assert results.table().rows[1][:3] == (point, "3/3", "62.0% ± 5.0")


def test_the_interval_over_seeds_is_students(make_results):
    low, high = stats.ttest_1samp(RATES[1], 0).confidence_interval(0.95)
    row = make_results().points.iloc[2]
    assert row["win_rate"] == pytest.approx((low + high) / 2)
    assert row["half_width"] == pytest.approx((high - low) / 2)


def test_a_stopped_trial_has_its_last_report(make_results):
    last = make_results().trials.iloc[-1]
    assert (last["status"], last["step"]) == ("stopped", 1024)
    assert last["win_rate"] == pytest.approx(0.4024)
    assert math.isnan(last["games"])
    assert make_results(error=ValueError()).trials.iloc[-1]["status"] == "failed"


def test_curves_have_each_validation_once_without_the_final_games(make_results):
    curves = make_results().curves
    assert len(curves) == 9 * 3
    assert set(curves["win_rate"]) == {0.3 + step / 1e4 for step in (0, 512, 1024)}


def test_the_page_is_self_contained_and_escapes_texts(make_results):
    results = make_results()
    object.__setattr__(results.sweep.config, "name", "<b>name</b>")
    page = results.page()
    assert_self_contained(page)
    assert "<b>name</b>" not in page
    assert page.count("<figure>") == 2
    assert all(point in page for point in results.points.index)


def test_a_sweep_in_which_every_trial_failed_has_a_page(make_sweep):
    failed = SimpleNamespace(
        metrics={"trial_id": "a_0"},
        config={"ppo.learning_rate": 0.1, "seed": 0},
        error=ValueError(),
        metrics_dataframe=None,
    )
    grid = Results([failed])
    grid.get_dataframe = pd.DataFrame
    results = SweepResults(make_sweep(), grid)
    assert results.best is None
    assert results.draw() == {}
    assert "No point has all its trials finished" in results.page()


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_an_existing_folder_is_not_reused(make_sweep, tmp_path, scheme):
    storage = f"{scheme}{tmp_path}/sweeps"
    sweep = make_sweep(storage=storage)
    folders = [SweepFolder.create(sweep) for _ in range(3)]
    assert [folder.address for folder in folders] == [
        f"{storage}/{name}" for name in ("tiny", "tiny-2", "tiny-3")
    ]
    assert folders[1].load_sweep() == sweep
