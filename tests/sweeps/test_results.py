import json

import pandas as pd
import pytest

from hangman_lab.sweeps.results import best_point, final_rates, make_table, mean_over_seeds

KEY = "learner.gae_lambda"


def trials_of(*rows):
    """Tune's table of last reports: the option, the win rate, and whether the trial finished."""
    return pd.DataFrame(
        {
            "point": [json.dumps({KEY: value}) for value, _, _ in rows],
            "win_rate": [rate for _, rate, _ in rows],
            "games": [50 if finished else None for _, _, finished in rows],
        }
    )


def test_each_column_has_the_win_rate_of_its_agent_and_words():
    def agents(**rates):
        return {name.replace("_", "-"): {"win_rate": rate} for name, rate in rates.items()}

    unseen = agents(ppo=0.5, look_ahead=0.6, posterior=0.7)
    evaluation = {"agents": unseen, "tables": {"known": {"agents": agents(ppo=0.9, posterior=0.8)}}}
    assert final_rates(evaluation, "ppo") == {
        "known_win_rate": 0.9, "look_ahead_win_rate": 0.6, "posterior_win_rate": 0.7
    }  # fmt: skip


def test_points_that_differ_in_the_fifth_digit_are_two_points(make_sweep):
    trials = trials_of((0.95001, 0.7, True), (0.95001, 0.6, True), (0.95002, 0.62, True))
    points = mean_over_seeds(trials)
    assert points["win_rate"].tolist() == pytest.approx([0.65, 0.62])
    assert points["seeds"].tolist() == [2, 1]
    sweep = make_sweep(space={KEY: {"uniform": [0.9, 1.0]}})
    assert best_point(sweep, points) == {KEY: 0.95001}
    rows = make_table(sweep, points).rows
    assert [row[:3] for row in rows] == [
        (f"{KEY.removeprefix('learner.')} 0.95001", "2", "65.0% ± 7.1"),
        (f"{KEY.removeprefix('learner.')} 0.95002", "1", "62.0%"),
    ]


def test_the_best_point_has_all_its_seeds_finished(make_sweep):
    # One of the highest win rates is of a trial that failed after its last validation.
    rows = [(1, 0.70, True), (1, 0.99, False), (2, 0.6, True), (2, 0.5, True), (3, 0.9, False)]
    points = mean_over_seeds(trials_of(*rows))
    assert points["win_rate"].tolist() == pytest.approx([0.7, 0.55])
    assert best_point(make_sweep(space={KEY: {"choice": [0.1]}}), points) == {KEY: 2}


@pytest.mark.parametrize("trials", [pd.DataFrame(), trials_of((0.9, 0.5, False))])
def test_without_a_finished_trial_there_is_no_best_point(make_sweep, trials):
    points = mean_over_seeds(trials)
    assert best_point(make_sweep(), points) is None
    assert make_table(make_sweep(), points).rows == []
