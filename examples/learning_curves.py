"""Plot win rates during training: a curve per recipe, with the range of its seeds.

python -m examples.learning_curves --runs "PPO=runs/ppo-0,runs/ppo-1" --plot curves.png

Seeds are separated by commas, and the parts of a run, such as RUN/first and RUN/play, joined by +.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import EngFormatter

from hangman_lab.run_files.directory import RunDirectory

KINDS = {
    "eval/win_rate": "best letter, unseen words",
    "rollout/win_rate": "letters drawn, training words",
}


def curve_of(paths, kind, by_games):
    """Return the win rates of the parts of a run, indexed by steps or by games."""
    parts = []
    for path in paths.split("+"):
        curves = RunDirectory(Path(path)).read_curves()
        # Steps of the folder "play" of learning from play are games.
        x = curves.get("rollout/games", curves["step"]) if by_games else curves["step"]
        parts.append(curves.assign(x=x).dropna(subset=["x", kind]).set_index("x")[kind])
    return pd.concat(parts).groupby(level=0).last()


parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
parser.add_argument("--runs", nargs="+", required=True, metavar="NAME=RUN,RUN")
parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["eval/win_rate"])
parser.add_argument("--by-games", action="store_true", help="by games played instead of steps")
parser.add_argument("--log", action="store_true", help="a logarithmic axis, linear up to 100")
parser.add_argument("--levels", nargs="*", default=[], metavar="NAME=RATE", help="horizontal lines")
parser.add_argument("--baselines", action="store_true", help="also those of the first runs, means")
parser.add_argument("--plot", required=True, metavar="FILE")
options = parser.parse_args()

figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
levels = dict(level.split("=") for level in options.levels)
if options.baselines:
    runs = [paths.split("+")[0] for paths in options.runs[0].partition("=")[2].split(",")]
    tables = [RunDirectory(Path(path)).read_curves() for path in runs]
    for name in tables[0].filter(like="baselines/"):
        rates = [table[name].dropna().iloc[-1] for table in tables]
        levels[name.partition("/")[2]] = np.mean(rates)
for text in options.runs:
    name, _, paths = text.partition("=")
    for kind in options.kinds:
        curves = [curve_of(path, kind, options.by_games) for path in paths.split(",")]
        # Rates are interpolated between points, to average over seeds.
        x = np.unique(np.concatenate([curve.index for curve in curves]))
        x = x[x >= max(curve.index[0] for curve in curves)]
        x = x[x <= min(curve.index[-1] for curve in curves)]
        rates = np.stack([np.interp(x, curve.index, curve) for curve in curves])
        label = f"{name}, {KINDS[kind]}" if len(options.kinds) > 1 else name
        (line,) = axes.plot(x, rates.mean(axis=0), ".-", markersize=4)
        line.set_label(f"{label} (seeds: {len(curves)})")
        low, high = rates.min(axis=0), rates.max(axis=0)
        axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2)
        unit = "games" if options.by_games else "steps"
        print(f"{label}: {rates[:, -1].mean():.1%} after {x[-1]:,.0f} {unit}")
place = -1.0
for name, level in sorted(levels.items(), key=lambda item: float(item[1])):
    axes.axhline(float(level), color="gray", linestyle=":", linewidth=1)
    place = max(place + 0.03, float(level) - 0.01)
    axes.text(1.01, place, name, transform=axes.get_yaxis_transform(), fontsize=9)
axes.set(xlabel="games played" if options.by_games else "environment steps", ylabel="games won")
axes.set_ylim(0, 1)
if options.log:
    axes.set_xscale("symlog", linthresh=100)
    axes.set_xlim(left=0)
axes.yaxis.set_major_formatter(lambda rate, _: f"{rate:.0%}")
axes.xaxis.set_major_formatter(EngFormatter(sep=""))
axes.grid(alpha=0.3)
axes.legend(frameon=False, loc="lower right")
figure.savefig(options.plot, dpi=150)
