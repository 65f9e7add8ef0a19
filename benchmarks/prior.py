"""Quality of the prior of a run: bits per unseen word, coverage by candidates.

    python -m benchmarks.prior [--run RUN_DIR]

Bits per word are the mean of -log2 of the prior probability of valid words, with ``known`` 0.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from rich.console import Console

from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.agents.sequences import sequence_keys
from hangman_lab.envs.encoding import encode_words
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.run_files.words import load_words
from hangman_lab.terminal.arguments import CommandParser, command_main
from hangman_lab.terminal.tables import DataTable, print_table


@command_main("prior")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the tables."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "--run", metavar="RUN_DIR", default=PRETRAINED, help="default: the pretrained policy"
    )
    options = parser.parse_args(arguments)
    run = RunDirectory.open(options.run)
    agent = load_posterior(run.posterior)
    words = encode_words(load_words(run.load_config()).parts["valid"])
    bits = -np.log2(agent.with_known(0.0).prior.probabilities(words))
    candidates = sequence_keys(agent.prior.words[~agent.prior.listed.is_known])
    covered = np.isin(sequence_keys(words), candidates)

    by_length = {str(length): words.lengths == length for length in np.unique(words.lengths)}
    rows = [
        (name, f"{chosen.sum():,}", f"{bits[chosen].mean():.2f}", f"{covered[chosen].mean():.1%}")
        for name, chosen in ({"all": np.ones(len(bits), dtype=bool)} | by_length).items()
    ]
    title = f"{len(bits):,} valid words, {len(candidates):,} candidates"
    headings = ("letters", "words", "bits per word", "covered by candidates")
    print_table(Console(), DataTable(title, headings, rows, 0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
