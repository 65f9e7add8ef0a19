"""Likelihood of lists of words that people chose, by the weights of ``agents.common``.

    python -m benchmarks.common FILE [FILE ...]

Bits per word are the mean of -log2 of the prior probability of the words of a list, with ``known``
and ``common`` 0.9; the last column is their mean over the lists. The first row is that of
``common`` 0.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from rich.console import Console

from hangman_lab.agents.common import mixture, people_words
from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.envs.encoding import encode_words
from hangman_lab.envs.words import read_word_list
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.terminal.arguments import CommandParser, command_main
from hangman_lab.terminal.tables import DataTable, print_table

_EQUAL_SHARES = 0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0
_EXPONENTS = 0.35, 0.5, 0.65
_KNOWN = _COMMON = 0.9


@command_main("common")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("lists", nargs="+", metavar="FILE", help="a list of words, one per line")
    options = parser.parse_args(arguments)
    lists = {Path(file).stem: read_word_list(file).words for file in options.lists}
    posterior = load_posterior(RunDirectory.open(PRETRAINED).posterior)
    rows = []

    def add(label: str, probabilities: dict[str, np.ndarray]) -> None:
        bits = [-np.log2(each).mean() for each in probabilities.values()]
        rows.append((label, *(f"{value:.3f}" for value in (*bits, np.mean(bits)))))

    equal = posterior.with_prior(_KNOWN).prior
    add("common 0", {name: equal.probabilities(encode_words(lists[name])) for name in lists})
    prior = posterior.with_prior(_KNOWN, _COMMON).prior
    # All but the words that people choose have these probabilities with all weights.
    others = {name: prior.probabilities(encode_words(lists[name])) for name in lists}
    people = list(people_words())
    for equal_share, exponent in product(_EQUAL_SHARES, _EXPONENTS):
        weights = dict(zip(people, mixture(people, equal_share, exponent).tolist(), strict=True))
        by_list = {}
        for name, words in lists.items():
            chosen = np.array([weights.get(word, 0.0) for word in words])
            of_known = _KNOWN * ((1 - _COMMON) / prior.num_known + _COMMON * chosen)
            by_list[name] = np.where(np.isin(words, people), of_known, others[name])
        add(f"equal {equal_share:g}, exponent {exponent:g}", by_list)
    print_table(Console(), DataTable("bits per word", ("weights", *lists, "mean"), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
