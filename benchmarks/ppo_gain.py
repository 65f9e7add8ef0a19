"""Does PPO add to the posterior? Policies after PPO against greedy play on their own posteriors.

    PYTHONPATH=. python benchmarks/ppo_gain.py --runs RUN_DIR ... [--split test] [--known 0.5]

The runs, of several seeds, play the same words, each once by its policy and once by its posterior.
The p-value is that of a sign-flip test of the mean difference in games won, two-sided, in which a
word's games are flipped together.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import permutation_test

from agents.posterior.prior import DEFAULT_KNOWN
from envs.errors import InputError
from envs.words import PARTS, Split, load_word_list
from evaluation.arena import play
from evaluation.statistics import mean_interval
from training.run_agents import load_run_agent
from training.run_directory import RunDirectory

NUM_FLIPS = 99_999


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", nargs="+", required=True, metavar="RUN_DIR")
    parser.add_argument("--split", choices=PARTS, default="test")
    parser.add_argument(
        "--known", type=float, default=DEFAULT_KNOWN, help="prior of known words, 0 to 1"
    )
    options = parser.parse_args()
    if not 0 <= options.known <= 1:
        parser.error(f"--known: {options.known} is not in 0..1")
    table = Table(title=f"games won on {options.split} words, prior of known ones {options.known}")
    for heading in ("run", "words", "after PPO, %", "posterior, %", "only PPO", "only posterior"):
        table.add_column(heading, justify="right")
    differences = []
    words: tuple[str, ...] = ()
    for path in options.runs:
        run = RunDirectory.open(path)
        config = run.load_config()
        split = Split(config.split.seed, tuple(config.split.fractions))
        played_words = split.divide(load_word_list(config.words))[options.split]
        if words and played_words != words:
            raise InputError(f"{path}: its {options.split} words are not those of the others")
        words = played_words
        after, without = (
            play(load_run_agent(name, run, (), known=options.known), words).won
            for name in ("ppo", "posterior")
        )
        table.add_row(
            path,
            f"{len(words):,}",
            f"{100 * after.mean():.2f}",
            f"{100 * without.mean():.2f}",
            f"{(after & ~without).sum():,}",
            f"{(without & ~after).sum():,}",
        )
        differences.append(after.astype(float) - without)
    console = Console(width=140)
    console.print(table)
    by_word = np.mean(differences, axis=0)
    mean, interval = mean_interval(by_word, np.arange(len(words)))
    # Words without a difference change neither the mean nor its flips.
    test = permutation_test(
        (by_word[by_word != 0],),
        np.sum,
        permutation_type="samples",
        n_resamples=NUM_FLIPS,
        vectorized=True,
        batch=1000,
        rng=np.random.default_rng(0),
    )
    console.print(
        f"PPO's gain: {100 * mean:+.2f} points ({100 * interval[0]:+.2f} to "
        f"{100 * interval[1]:+.2f}), p = {test.pvalue:.5f} ({NUM_FLIPS:,} sign flips by word)",
        highlight=False,
    )


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"ppo_gain.py: error: {error}")
