"""The fewest lives with which a guesser wins every word for certain, whatever the host does.

    python -m benchmarks.certain_win [--words FILE]

The host may change its word as long as a word of the list fits all that was shown. A range means
that the search was stopped: fewer lives are not enough, as many as its end are.
"""

import sys
import time
from collections.abc import Sequence

import numpy as np
from rich.console import Console

from hangman_lab.agents.dictionary import CandidateIndex
from hangman_lab.agents.minimax import NO_WIN, WIN, certain_win, search_words
from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.words import load_word_list
from hangman_lab.terminal.arguments import CommandParser, command_main
from hangman_lab.terminal.tables import DataTable, print_table

# The limits of searches, in words looked at: each for all numbers of lives that are open.
_EFFORTS = 2**25, 2**28, 2**31


def fewest_lives(rows, words, table):
    """Return a lower and an upper bound of the lives that win all words of ``rows`` for certain."""
    # Misses to spare: one less than the lives.
    low, high = 0, min(NUM_LETTERS, len(rows) - 1)
    for effort in _EFFORTS:
        for spare in range(high - 1, low - 1, -1):
            result = certain_win(rows, spare, words, table, np.array([effort, 0]))
            if result == WIN:
                high = spare
            elif result == NO_WIN:
                low = spare + 1
                break
    return low + 1, high + 1


@command_main("certain_win")
def main(arguments: Sequence[str] | None = None) -> int:
    """Search, and print the table."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_words()
    index = CandidateIndex(load_word_list(parser.parse_args(arguments).words).words)
    words, table = search_words(index.codes), np.zeros((2**23, 3), np.int64)
    fewest_lives(np.arange(min(3, len(words.keys))), words, table)  # compiles
    rows = []
    for length in np.flatnonzero(np.diff(index.words.first_word)):
        listed = np.arange(*index.words.first_word[length : length + 2])
        start = time.monotonic()
        low, high = fewest_lives(listed, words, table)
        lives = f"{low} to {high}" if low < high else f"{low}"
        rows.append((f"{length}", f"{len(listed):,}", lives, f"{time.monotonic() - start:.1f}"))
    headings = ("letters", "words", "lives", "seconds")
    print_table(Console(), DataTable("fewest lives that win for certain", headings, rows, 0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
