"""Speed and win rate of the dictionary agent on words of its list and outside it.

    PYTHONPATH=. python benchmarks/dictionary.py [--words FILE]

In the list: the agent is fitted on the whole list, and plays 5,000 of its words. Unseen: it is
fitted on the train split, and plays 5,000 words of the test split. One core.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

from agents.dictionary import DictionaryAgent
from envs.keyed_random import keyed_bits
from envs.words import Split, hash_words, load_word_list
from evaluation.arena import play
from evaluation.statistics import win_rate


def sample(words: Sequence[str], number: int, seed: int) -> list[str]:
    """Draw words without replacement, by a hash of each."""
    order = np.argsort(keyed_bits(seed, hash_words(words)))[:number]
    return [words[index] for index in order]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", metavar="FILE", help="a word list (default: web2)")
    parser.add_argument("--games", type=int, default=5000, metavar="N", help="default: 5000")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the words played")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    numba.set_num_threads(1)
    console = Console(width=120)
    word_list = load_word_list(options.words)
    console.print(word_list.describe(), highlight=False, markup=False, soft_wrap=True)
    parts = Split().divide(word_list)
    # Compiled before the clock runs.
    play(DictionaryAgent().fit(parts["valid"]), parts["valid"][:10])

    table = Table(title="dictionary agent, 6 wrong guesses lose, one core")
    table.add_column("secrets", no_wrap=True)
    for heading in ("list", "games", "win rate", "95% CI", "fit, s", "play, s", "games/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, listed, secrets in (
        ("in its list", word_list.words, word_list.words),
        ("unseen", parts["train"], parts["test"]),
    ):
        start = time.perf_counter()
        agent = DictionaryAgent().fit(listed)
        fitted = time.perf_counter() - start
        played = play(agent, sample(secrets, options.games, options.seed))
        figures = win_rate(played.won.sum(), len(played))
        low, high = figures["ci95"]
        table.add_row(
            name,
            f"{len(listed):,}",
            f"{len(played):,}",
            f"{figures['win_rate']:.1%}",
            f"{100 * low:.1f}-{100 * high:.1f}",
            f"{fitted:.1f}",
            f"{played.seconds:.1f}",
            f"{len(played) / played.seconds:,.0f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
