"""The win rate of nearly optimal play on known words.

    python -m benchmarks.known_limit [--words FILE] [--widths 1 2 4 8]

The train words of a length are equally likely. The game tree is searched to the end, over the
likeliest letters of each state; their number is the width, and 1 is greedy play.
"""

import sys
from collections.abc import Iterable, Sequence

import numpy as np
from rich.console import Console

from hangman_lab.agents.minimax import search_words
from hangman_lab.agents.robust import reply
from hangman_lab.envs.encoding import encode_words
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.words import load_words
from hangman_lab.terminal.arguments import CommandParser, command_main, positive
from hangman_lab.terminal.tables import DataTable, print_table


def most_won(words: list[str], width: int, lives: int = DEFAULT_MAX_WRONG) -> int:
    """Return the number of words, all of one length, that the best play wins."""
    return reply(search_words(encode_words(words).codes), width, lives, len(words) + 1).sum()


@command_main("known_limit")
def main(arguments: Sequence[str] | None = None) -> int:
    """Search, and print the table."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_words()
    parser.add_argument("--widths", nargs="+", type=positive, default=[1, 2, 4], metavar="N")
    options = parser.parse_args(arguments)
    by_length: dict[int, list[str]] = {}
    for word in load_words(Config(), options.words).part("train"):
        by_length.setdefault(len(word), []).append(word)
    sizes = {length: len(words) for length, words in sorted(by_length.items())}
    won = {length: [most_won(by_length[length], k) for k in options.widths] for length in sizes}
    rows = [_row(str(length), sizes[length], won[length]) for length in sizes]
    rows.append(_row("all", sum(sizes.values()), np.sum(list(won.values()), axis=0)))
    widths = (f"{k} wide" if k > 1 else "greedy" for k in options.widths)
    title = "known words won, %"
    print_table(Console(), DataTable(title, ("letters", "words", *widths), rows, 0))
    return 0


def _row(name: str, size: int, won: Iterable[int]) -> tuple[str, ...]:
    return (name, f"{size:,}", *(f"{100 * number / size:.2f}" for number in won))


if __name__ == "__main__":
    sys.exit(main())
