"""Quality of the prior of a run: bits per unseen word, coverage by candidates.

    python -m benchmarks.prior [--run RUN_DIR]

Bits per word are the mean of -log2 of the prior probability of valid words, with ``known`` 0.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from hangman_lab.agents.posterior.files import load_posterior
from hangman_lab.agents.sequences import sequence_keys
from hangman_lab.envs.encoding import encode_words
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.run_files.words import load_words
from hangman_lab.terminal.arguments import CommandParser, command_main


@command_main("prior")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "--run", metavar="RUN_DIR", default=PRETRAINED, help="default: the pretrained policy"
    )
    options = parser.parse_args(arguments)
    run = RunDirectory.open(options.run)
    agent = load_posterior(run.posterior)
    words = encode_words(load_words(run.load_config()).parts["valid"])
    bits = -np.log2(agent.with_prior(0.0).prior.probabilities(words))
    candidates = sequence_keys(agent.prior.words[~agent.prior.is_known])
    covered = np.isin(sequence_keys(words), candidates)
    print(
        f"{len(bits):,} valid words, {bits.mean():.2f} bits per word; "
        f"{covered.mean():.1%} are among {len(candidates):,} candidates"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
