"""Gains of look-ahead and of PPO on the same words.

    python -m benchmarks.ppo_gain --runs RUN_DIR ... [--split test] [--known 0.5]

Three agents of each run play the same words: greedy on the posterior, the look-ahead without
learning, and the policy after PPO. The p-values are those of two-sided sign-flip tests of the mean
difference in games won, clustered by word. By default 500 valid words of the pretrained policy are
played.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pandas as pd
from rich.console import Console
from scipy.stats import permutation_test

from hangman_lab.agents.posterior.posterior import LookAheadAgent
from hangman_lab.agents.posterior.prior import DEFAULT_KNOWN
from hangman_lab.envs.encoding import MAX_LENGTH
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import PARTS
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.statistics import mean_interval
from hangman_lab.run_files.agents import load_run_agent
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.run_files.words import draw_words, load_words
from hangman_lab.terminal.arguments import CommandParser, positive, real
from hangman_lab.terminal.tables import DataTable, print_table

NUM_FLIPS = 99_999
GREEDY, LOOK_AHEAD, PPO = PLAYERS = ("posterior", "look-ahead", "ppo")
CONTRASTS = ((PPO, GREEDY), (PPO, LOOK_AHEAD), (LOOK_AHEAD, GREEDY))


def main() -> None:
    """Play, and print the table and the differences."""
    parser = CommandParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", nargs="+", default=[PRETRAINED], metavar="RUN_DIR")
    parser.add_argument("--split", choices=PARTS, default="valid")
    parser.add_argument(
        "--known", type=partial(real, low=0, high=1), default=DEFAULT_KNOWN, metavar="P"
    )
    parser.add_argument("--games", type=positive, metavar="N", help="default: all words")
    parser.add_argument("--max-length", type=positive, default=MAX_LENGTH, metavar="N")
    options = parser.parse_args()
    number = options.games or (500 if options.runs == [PRETRAINED] else sys.maxsize)
    played = []
    for index, path in enumerate(options.runs):
        run = RunDirectory.open(path)
        part = load_words(run.load_config()).part(options.split)
        words = draw_words([word for word in part if len(word) <= options.max_length], number)
        if index and words != played[0]["word"].tolist():
            other = f"its {options.split} words are not those of {options.runs[0]}"
            raise InputError(f"{path}: {other}")
        policy = load_run_agent("ppo", run, (), known=options.known)
        looking_ahead = LookAheadAgent(policy.posterior, policy.network.look_ahead_lives)
        for player, agent in zip(PLAYERS, (policy.posterior, looking_ahead, policy), strict=True):
            played.append(play(agent, words).assign(run=f"{index}: {path}", player=player))
    console = Console(width=140)
    won = pd.concat(played).set_index(["run", "word", "player"])["won"].unstack() * 1.0
    title = f"games won, %, on {len(words):,} {options.split} words, prior {options.known}"
    rows = [
        (run, *(f"{100 * rate:.2f}" for rate in rates))
        for run, *rates in won.groupby("run")[list(PLAYERS)].mean().itertuples()
    ]
    print_table(console, DataTable(title, ("run", *PLAYERS), rows))
    for contrast in CONTRASTS:
        print_contrast(console, *contrast, won)


def print_contrast(console: Console, first: str, second: str, won: pd.DataFrame) -> None:
    """Print the difference between two agents with its interval and p-value."""
    difference = won[first] - won[second]
    by_word = difference.groupby("word").mean().to_numpy()
    mean, (low, high) = mean_interval(by_word, np.arange(len(by_word)))
    # Words without a difference do not affect the test.
    changed = by_word[by_word != 0]
    p_value = 1.0
    if len(changed) > 1:
        options = {"permutation_type": "samples", "vectorized": True, "batch": 1000}
        rng = np.random.default_rng(0)
        test = permutation_test((changed,), np.sum, n_resamples=NUM_FLIPS, rng=rng, **options)
        p_value = test.pvalue
    console.print(
        f"{first} minus {second}: {100 * mean:+.2f} points "
        f"({100 * low:+.2f} to {100 * high:+.2f}), won alone {(difference > 0).sum():,}, "
        f"lost alone {(difference < 0).sum():,}, "
        f"p = {p_value:.5f} ({NUM_FLIPS:,} sign flips by word)",
        highlight=False,
    )


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"ppo_gain.py: error: {error}")
