"""Bounds on the value of Hangman against a host who picks the word, by length.

    python -m benchmarks.picking_host [--lengths 5 8] [--rounds 64 256] [--plot FILE]

Lower bound: the win rate of the worst word of the guesser's mixture. Upper bound: what the best
known reply wins against the host's average, which is a bound for certain only if no reply wins
more. Their distance is what OpenSpiel calls exploitability, for the known replies.
"""

from __future__ import annotations

import sys
import time

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console

from hangman_lab.agents.minimax import search_words
from hangman_lab.agents.robust import reply, solve
from hangman_lab.envs.encoding import encode_words
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import load_word_list
from hangman_lab.terminal.arguments import CommandParser, positive
from hangman_lab.terminal.tables import DataTable, print_table


def main() -> None:
    """Solve, and print the table."""
    parser = CommandParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", metavar="FILE", help="default: the default list")
    parser.add_argument("--lengths", nargs="+", type=positive, default=[5], metavar="N")
    parser.add_argument("--rounds", nargs="+", type=positive, default=[64], metavar="N")
    parser.add_argument("--reply", type=positive, default=3, help="letters compared in the bound")
    parser.add_argument("--plot", metavar="FILE", help="draw the bounds by rounds")
    options = parser.parse_args()
    listed = load_word_list(options.words).words
    figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
    rows = []
    for length in options.lengths:
        texts, bounds = [word for word in listed if len(word) == length], []
        if not texts:
            raise InputError(f"--lengths: the list has no words of {length} letters")
        words = search_words(encode_words(texts).codes)
        for rounds in options.rounds:
            start = time.perf_counter()
            solution = solve(words, rounds)
            seconds, lower = time.perf_counter() - start, solution.win_rates.min()
            host = solution.host
            # Here all words that the host may draw are searched.
            words = words._replace(weights=1 + (2**40 * host / host.max()).astype(np.int64))
            replies = [reply(words, k, min_part=2**24) for k in range(1, options.reply + 1)]
            upper = max(replies @ host)
            bounds.append((100 * lower, 100 * upper))
            shares = (lower, upper, upper - lower, solution.win_rates.mean())
            cells = (f"{rounds:,}", *(f"{100 * share:.1f}" for share in shares), f"{seconds:.0f}")
            rows.append((str(length), f"{len(texts):,}", *cells))
        axes.fill_between(options.rounds, *np.transpose(bounds), alpha=0.4, label=length)
    headings = ("letters", "words", "rounds", "lower", "upper", "gap", "mean", "seconds")
    title, note = "bounds on the games won, %", "mean: of equally likely words"
    print_table(Console(), DataTable(title, headings, rows, 0, note))
    if options.plot is not None:
        axes.set(xscale="log", xlabel="rounds", ylabel="games won, %", ylim=(0, 100))
        axes.set_xticks(options.rounds, options.rounds)
        axes.minorticks_off()
        axes.legend(title="letters")
        figure.savefig(options.plot, dpi=150)


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"picking_host.py: error: {error}")
