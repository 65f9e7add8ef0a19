"""Pooling of lengths, and learning curves of a run."""

import json

import numpy as np

from hangman_lab.evaluation.plots import draw_plots, pool_lengths
from hangman_lab.evaluation.statistics import win_rate
from hangman_lab.run_files.directory import RunDirectory


def by_length(games):
    return {str(length): win_rate(count // 2, count) for length, count in games.items()}


def test_lengths_of_few_games_are_pooled_only_at_both_ends():
    games = {1: 2, 2: 20, 3: 10, 4: 100, 5: 5, 6: 50, 7: 40, 8: 4, 21: 2}
    pooled = pool_lengths(by_length(games))
    assert list(pooled) == ["1-3", "4", "5", "6", "7-21"]
    assert [cell["games"] for cell in pooled.values()] == [32, 100, 5, 50, 46]
    assert pooled["1-3"] == win_rate(16, 32)
    assert pool_lengths(by_length({3: 4, 5: 2})) == {"3-5": win_rate(3, 6)}


def test_the_curves_of_a_run_are_drawn(tmp_path):
    run = RunDirectory(tmp_path)
    assert "learning_curves" not in draw_plots({"agents": {}}, run)
    valid = {"valid/win_rate": 0.5, "valid/win_rate_low": 0.25, "valid/win_rate_high": 0.75}
    events = ({"step": 0, "baselines/random": 0.125}, {"step": 10} | valid,
              {"step": 10, "rollout/win_rate": 0.25})  # fmt: skip
    run.curves.write_text("".join(json.dumps(event) + "\n" for event in events))
    (axes,) = draw_plots({"agents": {}}, run)["learning_curves"].axes
    drawn = {line.get_label(): (list(line.get_xdata()), list(line.get_ydata()))
             for line in axes.lines}  # fmt: skip
    assert drawn["valid"] == ([10], [0.5])
    assert drawn["train (PPO)"] == ([10], [0.25])
    assert drawn["random"][1] == [0.125, 0.125]
    (band,) = axes.collections
    np.testing.assert_allclose(band.get_paths()[0].get_extents().intervaly, (0.25, 0.75))
