"""Likelihood of lists of words that people chose, by the weights of ``agents.common``.

    python -m benchmarks.common FILE [FILE ...]

Bits per word are the mean of -log2 of the prior probability of the words of a list, with ``known``
and ``common`` 0.9. The last column has the words of all lists; in the first row, ``common`` is 0.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from rich.console import Console

from hangman_lab.agents.common import people_probabilities
from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.envs.encoding import decode_words, encode_words
from hangman_lab.envs.words import read_word_list
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.terminal.arguments import CommandParser, command_main
from hangman_lab.terminal.tables import DataTable, print_table

_EQUAL_SHARES = 0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9
_EXPONENTS = 0.35, 0.5, 0.65
_KNOWN = _COMMON = 0.9


@command_main("common")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("lists", nargs="+", metavar="FILE", help="a list of words, one per line")
    options = parser.parse_args(arguments)
    lists = {file: read_word_list(file).words for file in options.lists}
    posterior = load_posterior(RunDirectory.open(PRETRAINED).posterior)
    rows = []

    def add(label: str, probabilities: dict[str, np.ndarray]) -> None:
        bits = [-np.log2(each) for each in probabilities.values()]
        rows.append((label, *(f"{each.mean():.3f}" for each in (*bits, np.concatenate(bits)))))

    equal = posterior.with_prior(_KNOWN).prior
    add("common 0", {name: equal.probabilities(encode_words(lists[name])) for name in lists})
    prior = posterior.with_prior(_KNOWN, _COMMON).prior
    known, fitted = decode_words(prior.words[prior.is_known]), set(posterior.known_words)
    by_list = {name: prior.probabilities(encode_words(words)) for name, words in lists.items()}
    for equal_share, exponent in product(_EQUAL_SHARES, _EXPONENTS):
        weights = people_probabilities(known, equal_share, exponent).tolist()
        weights = dict(zip(known, weights, strict=True))
        for name, words in lists.items():
            for index, word in enumerate(words):
                if word in weights:  # the others have their probability with all weights
                    equal = (1 - _COMMON) / len(fitted) * (word in fitted)
                    by_list[name][index] = _KNOWN * (equal + _COMMON * weights[word])
        add(f"equal {equal_share:g}, exponent {exponent:g}", by_list)
    print_table(
        Console(),
        DataTable(
            "bits per word", ("weights", *(Path(file).stem for file in lists), "all words"), rows
        ),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
