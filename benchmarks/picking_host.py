"""Bounds on the value of Hangman against a host who picks the word, by length.

    python -m benchmarks.picking_host [--lengths 5 8] [--rounds 64 256] [--plot FILE]

Lower bound: the win rate of the worst word of the guesser's mixture. Upper bound: what the best
known reply wins against the host's average, which is a bound for certain only if no reply wins
more. Their distance is what OpenSpiel calls exploitability, for the known replies.
"""

import sys
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console

from hangman_lab.agents.minimax import search_words
from hangman_lab.agents.robust import reply, solve
from hangman_lab.envs.words import SecretWords
from hangman_lab.terminal.arguments import CommandParser, command_main, positive
from hangman_lab.terminal.tables import DataTable, print_table


@command_main("picking_host")
def main(arguments: Sequence[str] | None = None) -> int:
    """Solve, and print the table."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--lengths", nargs="+", type=positive, default=[5], metavar="N")
    parser.add_argument("--rounds", nargs="+", type=positive, default=[64], metavar="N")
    parser.add_argument("--plot", metavar="FILE", help="draw the bounds by rounds")
    options = parser.parse_args(arguments)
    figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
    rows = []
    for length in options.lengths:
        words, bounds = search_words(SecretWords(None, length, length).encoded.codes), []
        for rounds in options.rounds:
            solution = solve(words, rounds)
            host, rates = solution.host, 100 * solution.win_rates
            # Here all words that the host may draw are searched.
            words = words._replace(weights=1 + (2**40 * host / host.max()).astype(np.int64))
            upper = 100 * max(reply(words, width, min_part=2**24) @ host for width in (1, 2, 3))
            bounds.append((rates.min(), upper))
            cells = (f"{rate:.1f}" for rate in (*bounds[-1], upper - rates.min(), rates.mean()))
            rows.append((f"{length}", f"{len(host):,}", f"{rounds:,}", *cells))
        axes.fill_between(options.rounds, *np.transpose(bounds), alpha=0.4, label=length)
    headings = ("letters", "words", "rounds", "lower", "upper", "gap", "mean")
    print_table(Console(), DataTable("bounds on the games won, %", headings, rows, 0))
    if options.plot is not None:
        axes.set(xscale="log", xlabel="rounds", ylabel="games won, %", ylim=(0, 100))
        axes.set_xticks(options.rounds, options.rounds)
        axes.minorticks_off()
        axes.legend(title="letters")
        figure.savefig(options.plot, dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main())
