"""Speed and win rate of the dictionary agent on words of its list and outside it.

    PYTHONPATH=. python benchmarks/dictionary.py [--words FILE]

In the list: the agent is fitted on the whole list, and plays 5,000 of its words. Unseen: it is
fitted on the train split, and plays 5,000 words of the test split. One core.
"""

from __future__ import annotations

import os
import time

import numba
from rich.console import Console

from agents.dictionary import DictionaryAgent
from envs.words import Split, load_word_list
from evaluation.arena import play
from evaluation.arguments import CommandParser
from evaluation.console import say
from evaluation.statistics import win_rate
from evaluation.tables import DataTable, print_table
from runs.words import draw_words

GAMES = 5000


def main() -> None:
    """Measure and print the table."""
    parser = CommandParser(description=__doc__.splitlines()[0])
    parser.add_words()
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    numba.set_num_threads(1)
    console = Console(width=120)
    word_list = load_word_list(options.words)
    say(console, word_list.describe())
    parts = Split().divide(word_list)
    # Compiled before the clock runs.
    play(DictionaryAgent().fit(parts["valid"]), parts["valid"][:10])

    rows = []
    for name, listed, secrets in (
        ("in its list", word_list.words, word_list.words),
        ("unseen", parts["train"], parts["test"]),
    ):
        start = time.perf_counter()
        agent = DictionaryAgent().fit(listed)
        fitted = time.perf_counter() - start
        played = play(agent, draw_words(secrets, GAMES, 0))
        figures = win_rate(played.won.sum(), len(played))
        low, high = figures["ci95"]
        rows.append(
            (
                name,
                f"{len(listed):,}",
                f"{len(played):,}",
                f"{figures['win_rate']:.1%}",
                f"{100 * low:.1f}-{100 * high:.1f}",
                f"{fitted:.1f}",
                f"{played.seconds:.1f}",
                f"{len(played) / played.seconds:,.0f}",
            )
        )
    headings = ("secrets", "list", "games", "win rate", "95% CI", "fit, s", "play, s", "games/s")
    print_table(
        console, DataTable("dictionary agent, 6 wrong guesses lose, one core", headings, rows)
    )


if __name__ == "__main__":
    main()
