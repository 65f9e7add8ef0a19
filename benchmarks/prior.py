"""Quality of a run's prior over words: bits per unseen word, coverage, calibration.

    PYTHONPATH=. python benchmarks/prior.py [--run RUN_DIR] [--games 2000]

Bits are the mean of -log2 of the prior probability of the valid words, with ``known`` 0. The
calibration error is that of the letter probabilities in greedy games on half known and half valid
words, with the default prior.
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.console import Console
from rich.table import Table

from agents.posterior.sequence_keys import sequence_keys
from agents.word_sets import WordArrays
from envs.keyed_random import keyed_bits
from envs.words import Split, hash_words, load_word_list
from evaluation.analysis import reliability
from evaluation.arena import play
from runs.agents import find_run, load_run_agent


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="RUN_DIR", help="default: the pretrained policy")
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="default: 2000")
    options = parser.parse_args()
    run = find_run(options.run, ("posterior",))
    config = run.load_config()
    parts = Split(config.split.seed, tuple(config.split.fractions)).divide(
        load_word_list(config.words)
    )
    agent = load_run_agent("posterior", run, ())
    words = WordArrays.of(parts["valid"])
    bits = -np.log2(agent.with_known(0.0).prior.probabilities(words))
    listed = agent.prior.listed
    candidates = sequence_keys(*listed.words.take(~listed.is_known))
    covered = np.isin(sequence_keys(*words), candidates)

    table = Table(title=f"{len(bits):,} valid words, {len(candidates):,} candidates")
    for heading in ("letters", "words", "bits per word", "covered by candidates"):
        table.add_column(heading, justify="right")
    rows = [(str(length), words.lengths == length) for length in np.unique(words.lengths)]
    for name, chosen in [("all", np.ones(len(bits), dtype=bool)), *rows]:
        figures = (
            f"{chosen.sum():,}",
            f"{bits[chosen].mean():.2f}",
            f"{covered[chosen].mean():.1%}",
        )
        table.add_row(name, *figures)
    Console().print(table)

    played = []
    for part in ("train", "valid"):
        order = np.argsort(keyed_bits(hash_words(parts[part])))[: options.games // 2]
        played += np.array(parts[part])[order].tolist()
    figures = reliability(play(agent, played), agent)
    print(
        f"calibration error {100 * figures['expected_calibration_error']:.2f} points, "
        f"{figures['predictions']:,} predictions in {len(played):,} games"
    )


if __name__ == "__main__":
    main()
