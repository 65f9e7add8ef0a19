"""The win rate of nearly optimal play on known words.

    python -m benchmarks.known_limit [--words FILE] [--widths 1 2 4 8]

The train words of a length are equally likely. The game tree is searched to the end, over the
likeliest letters of each state; their number is the width, and 1 is greedy play.
"""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.typed import Dict
from rich.console import Console

from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG
from hangman_lab.run_files.config import Config
from hangman_lab.run_files.words import load_words
from hangman_lab.terminal.arguments import CommandParser, positive
from hangman_lab.terminal.tables import DataTable, print_table


def most_won(words: list[str], width: int, lives: int = DEFAULT_MAX_WRONG) -> int:
    """Return the number of words, all of one length, that the best play wins."""
    letters = np.frombuffer("".join(words).encode(), np.uint8).reshape(len(words), -1) - ord("a")
    places = np.zeros((len(words), NUM_LETTERS), np.uint32)
    for place, column in enumerate(letters.T):
        places[np.arange(len(words)), column] |= np.uint32(1 << place)
    keys = np.random.default_rng(0).integers(2**64, size=len(words), dtype=np.uint64)
    values = Dict.empty(types.uint64, types.int64)
    return _search(np.arange(len(words)), lives, width, places, keys, values)


@njit
def _search(words, lives, width, places, keys, values):
    """Return how many of the matching ``words``, which are reordered, are won.

    These and the lives are the whole state, since guessing a letter with the same places in all
    words has no effect. ``places``, shape (all words, 26), has the places of each letter as bits;
    ``keys``, shape (all words,), are for Zobrist hashing of sets of words.
    """
    # Every miss with a letter of some word eliminates a word.
    if len(words) <= lives:
        return len(words)
    if lives == 0:
        return 0
    key = np.uint64(lives)
    for word in words:
        key ^= keys[word]
    if key in values:
        return values[key]
    counts = np.zeros(NUM_LETTERS, np.int64)
    for letter in range(NUM_LETTERS):
        looks = places[words, letter]
        if (looks != looks[0]).any():
            counts[letter] = np.count_nonzero(looks)
    most = 0
    for letter in np.argsort(-counts, kind="mergesort")[:width]:
        if counts[letter] == 0:
            break
        words[:] = words[np.argsort(places[words, letter])]
        looks = places[words, letter]
        # An upper bound, which decreases as branches lose words.
        won, begin = len(words), 0
        while begin < len(words) and won > most:
            end = np.searchsorted(looks, looks[begin], side="right")
            left = lives if looks[begin] else lives - 1
            won -= end - begin - _search(words[begin:end], left, width, places, keys, values)
            begin = end
        most = max(most, won)
        # A letter in every word costs nothing.
        if counts[letter] == len(words):
            break
    values[key] = most
    return most


def main() -> None:
    """Search, and print the table."""
    parser = CommandParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", metavar="FILE", help="default: the default list")
    parser.add_argument("--widths", nargs="+", type=positive, default=[1, 2, 4], metavar="N")
    options = parser.parse_args()
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


def _row(name: str, size: int, won: npt.ArrayLike) -> tuple[str, ...]:
    return (name, f"{size:,}", *(f"{100 * number / size:.2f}" for number in won))


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"known_limit.py: error: {error}")
