"""Learning curves of several runs, with the levels of the baselines.

    PYTHONPATH=. python benchmarks/learning_curve.py --runs RUN_DIR ... --plot FILE

Each thin line is a run, the thick one their mean; the words are those of ``validation.games``.
Without runs it trains one on a few words, to see that it works.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib import pyplot as plt
from rich.console import Console

from envs.errors import InputError
from envs.words import default_word_list
from evaluation.learning_curves import read_learning_curves
from runs.config import find_config, load_config
from training.run import train

SMALL = ("ppo.steps=65_536", "validation.every=16_384", "validation.games=500")


def train_small(folder: Path) -> Path:
    """Return a run of ``configs/scratch.yaml`` on every fiftieth word."""
    words = folder / "words.txt"
    words.write_text("\n".join(default_word_list().words[::50]) + "\n")
    config = load_config(find_config("scratch.yaml"), SMALL).with_words(str(words))
    return train(config, Console(), folder / "run")[0].path


def main() -> None:
    """Read the runs, print where they ended, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", nargs="+", metavar="RUN_DIR")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        runs = options.runs or [train_small(Path(folder))]
        curves = [read_learning_curves(run) for run in runs]
    for curve in curves:
        steps, rates = curve.valid
        print(f"{curve.name}: {rates[-1]:.1%} of unseen words after {steps[-1]:,} steps")
    if not options.plot:
        return
    steps = curves[0].valid[0]
    if any(not np.array_equal(curve.valid[0], steps) for curve in curves):
        raise InputError("--runs: their curves do not have the same steps")
    rates = 100 * np.array([curve.valid[1] for curve in curves])
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(steps / 1e6, rates.T, color="C0", linewidth=0.8, alpha=0.5)
    axes.plot(steps / 1e6, rates.mean(axis=0), color="C0", label=f"mean of {len(curves)} seeds")
    for number, (name, level) in enumerate(curves[0].baselines.items(), 1):
        axes.axhline(100 * level, color=f"C{number}", linestyle="--", label=name)
    axes.set(xlabel="million steps", ylabel="unseen words won, %", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(options.plot, dpi=100)


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"learning_curve.py: error: {error}")
