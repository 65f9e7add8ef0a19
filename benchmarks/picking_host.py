"""Bounds on the value of Hangman against a host who picks the word, by length.

    python -m benchmarks.picking_host [--words FILE] [--lengths 5 8] [--rounds 64 256] [--plot FILE]

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

from hangman_lab.agents.certainty import SearchWords, search_words
from hangman_lab.agents.robust import reply, solve
from hangman_lab.envs.encoding import encode_words
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import load_word_list
from hangman_lab.terminal.arguments import CommandParser, positive
from hangman_lab.terminal.tables import DataTable, print_table


def best_known_reply(words: SearchWords, host: np.ndarray, width: int) -> float:
    """Return the win rate of the best reply that searches 1 to ``width`` letters at each turn."""
    words = words._replace(weights=1 + (2**40 * host / host.max()).astype(np.int64))
    # Here all words that the host may draw are searched.
    return max(host @ reply(words, k, min_part=2**24) for k in range(1, width + 1))


def main() -> None:
    """Solve, and print the table."""
    parser = CommandParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", metavar="FILE", help="default: the default list")
    parser.add_argument("--lengths", nargs="+", type=positive, default=[5], metavar="N")
    parser.add_argument("--rounds", nargs="+", type=positive, default=[64], metavar="N")
    parser.add_argument("--width", type=positive, default=2, help="letters compared in rounds")
    parser.add_argument("--reply", type=positive, default=3, help="letters compared in the bound")
    parser.add_argument("--plot", metavar="FILE", help="draw the bounds by rounds")
    options = parser.parse_args()
    listed = load_word_list(options.words)
    figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
    rows, favorites = [], []
    for length in options.lengths:
        texts = np.array([word for word in listed.words if len(word) == length])
        if not len(texts):
            raise InputError(f"--lengths: the list has no words of {length} letters")
        words, bounds = search_words(encode_words(texts.tolist()).codes), []
        for rounds in options.rounds:
            start = time.perf_counter()
            solution = solve(words, rounds, options.width)
            seconds, rates = time.perf_counter() - start, solution.win_rates
            upper = best_known_reply(words, solution.host, options.reply)
            bounds.append((100 * rates.min(), 100 * upper))
            # Words that a host who plays each equally often would have, at the same entropy.
            host = solution.host[solution.host > 0]
            shares = [*bounds[-1], 100 * (upper - rates.min()), 100 * rates.mean()]
            cells = (f"{rounds:,}", *(f"{share:.1f}" for share in shares))
            played = f"{np.exp(-host @ np.log(host)):,.0f}"
            rows.append((str(length), f"{len(texts):,}", *cells, played, f"{seconds:.0f}"))
        favorites.append(f"{length}: {', '.join(texts[np.argsort(-solution.host)[:8]])}")
        lower, upper = np.transpose(bounds)
        (line,) = axes.plot(options.rounds, lower, marker="o", label=f"{length} letters")
        axes.plot(options.rounds, upper, marker="o", color=line.get_color())
        axes.fill_between(options.rounds, lower, upper, color=line.get_color(), alpha=0.2)
    headings = ("letters", "words", "rounds", "lower", "upper", "gap", "mean", "played", "s")
    title = "the host picks the word: bounds on the games won, %"
    note = "mean: of equally likely words; played: exp of the host's entropy. The host's favorites "
    print_table(Console(), DataTable(title, headings, rows, 0, note + "; ".join(favorites)))
    if options.plot is not None:
        axes.set(xscale="log", xlabel="rounds", ylabel="games won, %", ylim=(0, 100))
        axes.set_xticks(options.rounds, [f"{number:,}" for number in options.rounds])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(frameon=False, title="between the bounds")
        figure.savefig(options.plot, dpi=150)


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"picking_host.py: error: {error}")
