"""Does PPO add to the warm start? Runs after PPO against runs with as many more states instead.

    PYTHONPATH=. python benchmarks/ppo_gain.py --runs RUN_DIR ... --controls RUN_DIR ...

The n-th control has the seed of the n-th run, and in place of its PPO as many more states of warm
start; it plays with the policy network as PPO began it, greedy on the posterior. All play the same
words. The p-value is that of a sign-flip test of the mean difference in games won, two-sided, in
which a word's games are flipped together.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import permutation_test

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
    parser.add_argument("--controls", nargs="+", required=True, metavar="RUN_DIR")
    parser.add_argument("--split", choices=PARTS, default="test")
    options = parser.parse_args()
    if len(options.runs) != len(options.controls):
        parser.error("--runs and --controls: as many of the one as of the other are expected")
    table = Table(title=f"games won on {options.split} words")
    for heading in (
        "run",
        "control",
        "words",
        "after PPO, %",
        "control, %",
        "only PPO",
        "only control",
    ):
        table.add_column(heading, justify="right")
    differences = []
    words: tuple[str, ...] = ()
    for run_path, control_path in zip(options.runs, options.controls, strict=True):
        run, control = RunDirectory.open(run_path), RunDirectory.open(control_path)
        check_pair(run, control)
        config = run.load_config()
        split = Split(config.split.seed, tuple(config.split.fractions))
        played_words = split.divide(load_word_list(config.words))[options.split]
        if words and played_words != words:
            raise InputError(f"{run_path}: its {options.split} words are not those of the others")
        words = played_words
        after = play(load_run_agent("ppo", run, ()), words).won
        without = play(load_run_agent("posterior", control, ()), words).won
        table.add_row(
            run_path,
            control_path,
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


def check_pair(run: RunDirectory, control: RunDirectory) -> None:
    """Refuse a control that is not the run with its PPO steps as states of warm start.

    Raises
    ------
    InputError
        It names the key that differs.
    """
    ours, theirs = run.load_config().model_dump(), control.load_config().model_dump()
    ours["warm_start"]["states"] += ours["ppo"]["steps"]
    ours["ppo"]["steps"] = 0
    for section in ("seed", "words", "split", "env", "warm_start"):
        mine, other = ours[section], theirs[section]
        if isinstance(mine, dict):
            # A control has no use for folds: they are for PPO's games.
            mine = {key: value for key, value in mine.items() if not key.startswith("fold")}
            other = {key: value for key, value in other.items() if not key.startswith("fold")}
        if mine != other:
            raise InputError(f"{control.path}: {section} is {other}; {run.path} needs {mine}")
    if theirs["ppo"]["steps"]:
        raise InputError(f"{control.path}: ppo.steps is {theirs['ppo']['steps']}, not 0")


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"ppo_gain.py: error: {error}")
