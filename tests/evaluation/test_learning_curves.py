"""Learning curves from the events of a run."""

import json

import numpy as np
import pytest
from torch.utils.tensorboard import SummaryWriter

from envs.errors import InputError
from evaluation.learning_curves import read_learning_curves
from evaluation.plots import draw_plots


def write_events(folder, tags):
    with SummaryWriter(str(folder)) as writer:
        for tag, points in tags.items():
            for step, value in points:
                writer.add_scalar(tag, value, step)


VALID = {
    "valid/win_rate": [(10, 0.25), (20, 0.5)],
    "valid/win_rate_low": [(10, 0.125), (20, 0.375)],
    "valid/win_rate_high": [(10, 0.375), (20, 0.625)],
}


def test_curves_are_read_as_they_were_written(tmp_path):
    write_events(
        tmp_path,
        VALID
        | {
            "rollout/win_rate": [(15, 0.5), (20, 0.75)],
            "baselines/random": [(0, 0.0625), (20, 0.0625)],
            "time/fps": [(15, 100)],
        },
    )
    curves = read_learning_curves(tmp_path)
    np.testing.assert_array_equal(curves.valid, ([10, 20], [0.25, 0.5]))
    np.testing.assert_array_equal(curves.valid_interval, ([0.125, 0.375], [0.375, 0.625]))
    assert list(curves.train) == ["train (PPO)"]
    np.testing.assert_array_equal(curves.train["train (PPO)"], ([15, 20], [0.5, 0.75]))
    assert curves.baselines == {"random": 0.0625}
    assert curves.baseline_split == "valid"
    assert curves.ppo_start == 15


def test_a_run_without_baselines_has_those_of_its_end(tmp_path):
    write_events(tmp_path, VALID)
    agents = {"ppo": {"win_rate": 0.5}, "dictionary": {"win_rate": 0.25}}
    (tmp_path / "evaluation.json").write_text(json.dumps({"split": "test", "agents": agents}))
    curves = read_learning_curves(tmp_path)
    assert curves.baselines == {"dictionary": 0.25}
    assert curves.baseline_split == "test"


def test_the_curves_are_drawn(tmp_path):
    write_events(tmp_path, {"valid/win_rate": [(10, 0.25)], "baselines/random": [(0, 0.125)]})
    figures = draw_plots({"agents": {}}, read_learning_curves(tmp_path))
    (axes,) = figures["learning_curves"].axes
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert list(drawn["valid"]) == [0.25]
    assert list(drawn["random"]) == [0.125, 0.125]


def test_a_folder_without_curves_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no learning curve"):
        read_learning_curves(tmp_path)


def test_a_damaged_evaluation_is_an_error(tmp_path):
    write_events(tmp_path, VALID)
    (tmp_path / "evaluation.json").write_text("[]")
    with pytest.raises(InputError, match="not the figures"):
        read_learning_curves(tmp_path)
