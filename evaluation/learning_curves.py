"""The learning curves of a training run, read from its TensorBoard events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from envs.errors import InputError

Points = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]

BASELINE_PREFIX = "baselines/"
_TRAIN_TAGS = {"train (PPO)": "rollout/win_rate"}


@dataclass(frozen=True)
class LearningCurves:
    """Win rates of a run while it learned.

    Attributes
    ----------
    name : str
        The folder of the run.
    valid : tuple of ndarray
        Steps and win rates on valid words.
    valid_interval : tuple of ndarray, or None
        Lower and upper bound of the 95% interval at each of these steps.
    train : dict of str to tuple of ndarray
        Steps and win rates of training games, by the phase.
    baselines : dict of str to float
        Win rates of other agents.
    baseline_split : str
        The words that the baselines played.
    ppo_start : int or None
        The step at which PPO began; None if the events do not tell.
    """

    name: str
    valid: Points
    valid_interval: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None
    train: dict[str, Points]
    baselines: dict[str, float]
    baseline_split: str
    ppo_start: int | None


def read_learning_curves(folder: str | Path) -> LearningCurves:
    """Read the curves of a run.

    The baselines are those that the run played on valid words; of a run without them, those of
    its final evaluation.

    Parameters
    ----------
    folder : str or Path
        A run directory.

    Raises
    ------
    InputError
        If it holds no events with win rates on valid words.
    """
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = Path(folder)
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 1})
    events.Reload()
    tags = set(events.Tags()["scalars"])
    if "valid/win_rate" not in tags:
        raise InputError(f"{folder}: no learning curve there (no events with valid/win_rate)")

    def points(tag: str) -> Points:
        scalars = events.Scalars(tag)
        return (
            np.array([scalar.step for scalar in scalars], dtype=np.int64),
            np.array([scalar.value for scalar in scalars]),
        )

    bounds = ("valid/win_rate_low", "valid/win_rate_high")
    interval = tuple(points(tag)[1] for tag in bounds) if tags.issuperset(bounds) else None
    train = {name: points(tag) for name, tag in _TRAIN_TAGS.items() if tag in tags}
    baselines = {
        tag.removeprefix(BASELINE_PREFIX): float(points(tag)[1][-1])
        for tag in sorted(tags)
        if tag.startswith(BASELINE_PREFIX)
    }
    split = "valid"
    if not baselines:
        baselines, split = _final_baselines(folder / "evaluation.json")
    fps = points("time/fps")[0] if "time/fps" in tags else np.zeros(0)
    return LearningCurves(
        name=folder.name,
        valid=points("valid/win_rate"),
        valid_interval=interval,
        train=train,
        baselines=baselines,
        baseline_split=split,
        ppo_start=int(fps[0]) if len(fps) else None,
    )


def _final_baselines(path: Path) -> tuple[dict[str, float], str]:
    if not path.is_file():
        return {}, "no"
    try:
        evaluation = json.loads(path.read_text(encoding="utf-8"))
        figures = {
            name: float(values["win_rate"])
            for name, values in evaluation["agents"].items()
            if name not in ("ppo", "posterior")
        }
        return figures, str(evaluation["split"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not the figures of an evaluation ({error})") from error
