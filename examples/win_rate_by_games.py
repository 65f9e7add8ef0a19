"""Plot the win rate on unseen words by games played: a curve per recipe, with the range of seeds.

python -m examples.win_rate_by_games --runs "PPO alone=runs/scratch-0,runs/scratch-1" --plot a.png
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hangman_lab.run_files.directory import RunDirectory


def curve_of(path):
    """Return the win rates of a run on valid words, indexed by the number of games."""
    curves = RunDirectory(Path(path)).read_curves()
    # Steps of the folder "play" of learning from play are games.
    curves["games"] = curves.get("rollout/games", curves["step"])
    return curves.dropna(subset=["games", "valid/win_rate"]).set_index("games")["valid/win_rate"]


parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
parser.add_argument("--runs", nargs="+", required=True, metavar="NAME=RUN,RUN")
parser.add_argument("--levels", nargs="*", default=[], metavar="NAME=RATE", help="horizontal lines")
parser.add_argument("--plot", required=True, metavar="FILE")
options = parser.parse_args()

figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
for text in options.runs:
    name, _, paths = text.partition("=")
    curves = [curve_of(path) for path in paths.split(",")]
    # Rates are interpolated between validations, to average over seeds.
    games = np.unique(np.concatenate([curve.index for curve in curves]))
    games = games[games >= max(curve.index[0] for curve in curves)]
    games = games[games <= min(curve.index[-1] for curve in curves)]
    rates = np.stack([np.interp(games, curve.index, curve) for curve in curves])
    (line,) = axes.plot(games, rates.mean(axis=0), label=f"{name} (seeds: {len(curves)})")
    axes.fill_between(
        games, rates.min(axis=0), rates.max(axis=0), color=line.get_color(), alpha=0.2
    )
    print(f"{name}: {rates[:, -1].mean():.1%} after {games[-1]:,.0f} games")
for text in options.levels:
    name, _, level = text.partition("=")
    axes.axhline(float(level), color="gray", linestyle="--", label=name)
axes.set(xlabel="games played", ylabel="unseen (valid) words won", ylim=(0, 1))
axes.yaxis.set_major_formatter(lambda rate, _: f"{rate:.0%}")
axes.xaxis.set_major_formatter(lambda number, _: f"{number:,.0f}")
axes.grid(alpha=0.3)
axes.legend(frameon=False, loc="lower right")
figure.savefig(options.plot, dpi=150)
