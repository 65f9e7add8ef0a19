r"""Which reward teaches PPO alone soonest? Learning curves over seeds, and a table.

    PYTHONPATH=. python benchmarks/reward_shaping.py --steps 1_500_000 --seeds 5 --jobs 2 \
        --folder runs/reward_shaping --plot docs/images/reward_shaping.png

Every run is ``configs/scratch.yaml`` with another reward, discount and seed, and one thread. Its
curve is kept in the folder, so that a run that is there is not done again. A figure is the
interquartile mean over seeds with its 95% bootstrap interval (Agarwal et al., "Deep reinforcement
learning at the edge of the statistical precipice", NeurIPS 2021). Without arguments: a few words
and steps, to see that it works.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numba
import numpy as np
import torch
from matplotlib import pyplot as plt
from rich.console import Console
from scipy.stats import bootstrap, trim_mean
from stable_baselines3.common.callbacks import BaseCallback

from agents.posterior.posterior import UniformPosterior
from agents.ppo.agent import PPOAgent
from evaluation.arena import play
from evaluation.tables import DataTable, print_table
from runs.config import find_config, load_config
from runs.words import load_words
from training.ppo import make_model

# (name, reward, discount); gae_lambda is the config's for all.
SETTINGS = (
    ("sparse", "sparse", 1.0),
    ("potential", "potential", 1.0),
    ("dense", "dense", 1.0),
    ("dense, discount 0", "dense", 0.0),
)
LEVELS = (0.4, 0.5)
POINTS = 20
GAMES_PER_POINT = 2000


class _Curve(BaseCallback):
    """Plays valid words at even distances of steps."""

    def __init__(self, agent: PPOAgent, words: list[str], every: int) -> None:
        super().__init__()
        self._agent, self._words, self._every = agent, words, every
        self.steps: list[int] = []
        self.win_rates: list[float] = []

    def _on_rollout_start(self) -> None:
        if not self.steps or self.num_timesteps >= self.steps[-1] + self._every:
            self.steps.append(self.num_timesteps)
            self.win_rates.append(float(play(self._agent, self._words).won.mean()))

    def _on_step(self) -> bool:
        return True


def learn(setting: int, seed: int, steps: int, share: int, path: Path) -> None:
    """Train on every ``share``-th train word, and write the curve."""
    torch.set_num_threads(1)
    numba.set_num_threads(1)
    _, reward, discount = SETTINGS[setting]
    config = load_config(
        find_config("scratch.yaml"),
        [
            *(f"reward={{name: {reward}}}", f"discount={discount}", f"seed={seed}"),
            *(f"ppo.steps={steps}", "threads=1"),
        ],
    )
    parts = load_words(config).parts
    valid = list(parts["valid"])
    model = make_model(config, UniformPosterior(), (), parts["train"][::share])
    agent = PPOAgent(UniformPosterior(), model.policy.network)
    some = np.random.default_rng(0).permutation(valid)[:GAMES_PER_POINT].tolist()
    curve = _Curve(agent, some, steps // POINTS)
    model.learn(steps, callback=curve)
    final = float(play(agent, valid).won.mean())
    path.write_text(
        json.dumps({"steps": curve.steps, "win_rates": curve.win_rates, "final": final}) + "\n"
    )


def over_seeds(values: np.ndarray) -> tuple[float, float, float]:
    """Return the interquartile mean and the bounds of its interval."""
    middle = float(trim_mean(values, 0.25))
    if np.ptp(values) == 0:
        return middle, middle, middle
    interval = bootstrap(
        (values,),
        lambda sample, axis: trim_mean(sample, 0.25, axis=axis),
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return middle, interval.low, interval.high


def steps_to(curve: dict, level: float) -> float:
    """Return the first steps at which the win rate is at the level; infinite if it never is."""
    reached = np.flatnonzero(np.array(curve["win_rates"]) >= level)
    return curve["steps"][reached[0]] if len(reached) else np.inf


def describe(runs: list[dict]) -> list[str]:
    """Return the cells of a setting's runs."""
    final = 100 * np.array([run["final"] for run in runs])
    cells = ["{:.1f} ({:.1f} to {:.1f})".format(*over_seeds(final))]
    cells.append(f"{final.min():.1f}, {final.max():.1f}")
    for level in LEVELS:
        steps = np.array([steps_to(run, level) for run in runs]) / 1e6
        reached = np.isfinite(steps).sum()
        if reached == len(runs):
            cells.append("{:.2f} ({:.2f} to {:.2f})".format(*over_seeds(steps)))
        else:
            cells.append(f"{reached} of {len(runs)} runs")
    return cells


def draw(curves: dict[str, list[dict]], path: Path) -> None:
    """Draw the interquartile mean of each setting's curves, with its interval."""
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for name, runs in curves.items():
        steps = np.array(runs[0]["steps"]) / 1e6
        points = np.array([run["win_rates"] for run in runs]).T
        middle, low, high = 100 * np.array([over_seeds(point) for point in points]).T
        (line,) = axes.plot(steps, middle, label=name)
        axes.fill_between(steps, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set(xlabel="million steps", ylabel="valid words won, %", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=100)


def main() -> None:
    """Train what is not there yet; print the table, draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=65_536)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--folder", type=Path, help="where curves are kept")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    options = parser.parse_args()
    temporary = TemporaryDirectory()
    folder = options.folder or Path(temporary.name)
    folder.mkdir(parents=True, exist_ok=True)
    paths = {
        (setting, seed): folder / f"{options.steps}_{setting}_{seed}.json"
        for seed in range(options.seeds)
        for setting in range(len(SETTINGS))
    }
    share = 1 if options.folder else 50
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        runs = [
            pool.submit(learn, *key, options.steps, share, path)
            for key, path in paths.items()
            if not path.exists()
        ]
        for run in runs:
            run.result()
    curves = {
        name: [json.loads(paths[setting, seed].read_text()) for seed in range(options.seeds)]
        for setting, (name, _, _) in enumerate(SETTINGS)
    }
    headings = ("reward", "valid words won, %", "lowest, highest seed")
    headings += tuple(f"million steps to {level:.0%}" for level in LEVELS)
    rows = [(name, *describe(runs)) for name, runs in curves.items()]
    title = f"{options.seeds} seeds, {options.steps:,} steps each"
    print_table(Console(width=120), DataTable(title, headings, rows))
    if options.plot:
        draw(curves, options.plot)


if __name__ == "__main__":
    main()
