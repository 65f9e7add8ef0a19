"""Gains of look-ahead and of PPO on the same words.

    python -m benchmarks.ppo_gain --runs RUN_DIR ... [--split test] [--known 0.5]

Three agents of each run play the same words: greedy on the posterior, the look-ahead without
learning, and the policy after PPO. Intervals and p-values are of the differences by word, the mean
over the runs (t-test). By default 500 valid words of the pretrained policy are played.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
from rich.console import Console
from scipy.stats import ttest_1samp

from hangman_lab.envs.words import DEFAULT_KNOWN, PARTS
from hangman_lab.evaluation.comparison import compare
from hangman_lab.run_files.directory import PRETRAINED
from hangman_lab.terminal.arguments import CommandParser, command_main, positive, real
from hangman_lab.terminal.tables import DataTable, print_table

AGENTS = ("posterior", "look-ahead", "ppo")
CONTRASTS = (("ppo", "posterior"), ("ppo", "look-ahead"), ("look-ahead", "posterior"))


@command_main("ppo_gain")
def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and print the table and the differences."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--runs", nargs="+", default=[PRETRAINED], metavar="RUN_DIR")
    parser.add_argument("--split", choices=PARTS, default="valid")
    known = partial(real, low=0, high=1)
    parser.add_argument("--known", type=known, default=DEFAULT_KNOWN, metavar="P")
    text = "default: all words; 500 of the pretrained run"
    parser.add_argument("--games", type=positive, metavar="N", help=text)
    options = parser.parse_args(arguments)
    games = options.games or (500 if options.runs == [PRETRAINED] else None)
    played = []
    for index, path in enumerate(options.runs):
        compared = compare(AGENTS, run=path, split=options.split, games=games, known=options.known)
        played.append(compared.games.assign(run=f"{index}: {path}"))
    won = pd.concat(played).set_index(["run", "word", "agent"])["won"].unstack() * 100.0
    rates = won.groupby("run")[list(AGENTS)].agg("mean").map("{:.2f}".format)
    title = f"games won, %, prior {options.known}"
    print_table(Console(width=140), DataTable(title, ("run", *AGENTS), [*rates.itertuples()]))
    for first, second in CONTRASTS:
        difference = won.loc[:, first] - won.loc[:, second]
        test: Any = ttest_1samp(difference.groupby("word").mean(), 0)
        low, high = test.confidence_interval()
        print(
            f"{first} minus {second}: {difference.mean():+.2f} points ({low:+.2f} to {high:+.2f}), "
            f"won alone {(difference > 0).sum():,}, lost alone {(difference < 0).sum():,}, "
            f"p = {test.pvalue:.5f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
