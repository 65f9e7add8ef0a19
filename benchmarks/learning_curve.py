"""Learning curves of several runs, with the levels of the baselines.

    PYTHONPATH=. python benchmarks/learning_curve.py --runs RUN_DIR ... --plot FILE

Each thin line is a run, the thick one their mean; the words are those of ``validation.games``.
Without arguments: what the runs of ``configs/scratch.yaml`` in ``runs/`` came to.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from envs.errors import InputError
from evaluation.learning_curves import read_learning_curves
from runs.directory import RUNS_DIRECTORY


def main() -> None:
    """Read the runs, print where they ended, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = sorted(RUNS_DIRECTORY.glob("Hangman-v0__scratch__*"))
    parser.add_argument("--runs", nargs="+", default=here, metavar="RUN_DIR")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    options = parser.parse_args()
    curves = [read_learning_curves(run) for run in options.runs]
    for curve in curves:
        steps, rates = curve.valid
        print(f"{curve.name}: {rates[-1]:.1%} of unseen words after {steps[-1]:,} steps")
    if not curves or not options.plot:
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
