"""Measure what other readings and other constants of the sources win, on valid words.

Each agent is fitted on the train split. ``--seen`` plays training words too, drawn at random;
``--fractions 0.8 0 0.2`` is the split of Kushwaha's report, which needs ``--split test``. Below the
table, each reading is paired with the first one, game by game (McNemar's exact test).

    python benchmarks/readings.py --words FILE --agents ngram
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from agents.base import Agent
from agents.decomposition import DecompositionAgent
from agents.dictionary import DictionaryAgent
from agents.ngram import NgramAgent
from agents.ngram_posterior import NgramPosteriorAgent
from envs.words import Split, load_word_list
from evaluation.arena import PlayedGames, play
from evaluation.statistics import mcnemar, win_rate_interval

READINGS: dict[str, dict[str, Agent]] = {
    "benchmark": {
        "literal": DictionaryAgent(exclude_guessed=False, once_a_word=False),
        "a letter counts once per word": DictionaryAgent(exclude_guessed=False),
        "wrong letters exclude": DictionaryAgent(once_a_word=False),
        "both (dictionary)": DictionaryAgent(),
    },
    "ngram": {
        "mean (source)": NgramAgent(),
        "max": NgramAgent(combination="max"),
        "sum": NgramAgent(combination="sum"),
        "equal weights": NgramAgent(weights=(1, 1, 1, 1, 1)),
        "higher orders first": NgramAgent(weights=(1e-6, 1e-4, 1e-2, 1, 100)),
        "no frequency stage": NgramAgent(frequency_share=0.0),
        "frequency stage to a quarter": NgramAgent(frequency_share=0.25),
    },
    "decomposition": {
        "as built": DecompositionAgent(),
        "part 2 off": DecompositionAgent(use_pieces=False),
        "wrong letters exclude longer words": DecompositionAgent(exclude_wrong=True),
        "the same, words of the same length left out": DecompositionAgent(
            exclude_wrong=True, same_length=False
        ),
        "wrong letters exclude, part 2 off": DecompositionAgent(
            exclude_wrong=True, use_pieces=False
        ),
        "loose elements": DecompositionAgent(exact_elements=False),
        "loose elements, part 2 off": DecompositionAgent(exact_elements=False, use_pieces=False),
    },
    "ngram-posterior": {
        f"order {order}, prior weight {weight:g}, beam {beam:g}": NgramPosteriorAgent(
            order=order, prior_weight=weight, beam=beam
        )
        for order, weight, beam in (
            (3, 20, 1e-3),
            (5, 20, 1e-3),
            (7, 20, 1e-3),
            (7, 60, 1e-3),
            (7, 6, 1e-3),
            (7, float("inf"), 1e-3),
            (7, 20, 1e-4),
            (7, 20, 1e-2),
        )
    },
}


def print_pairs(played: dict[tuple[str, str, str], PlayedGames]) -> None:
    """Print a table of each reading against its agent's first one, on the same words."""
    print("\n| agent | words | first | second | only first won | only second won | p |")
    print("| --- " * 7 + "|")
    firsts: dict[tuple[str, str], str] = {}
    for (name, reading, split), games in played.items():
        first = firsts.setdefault((name, split), reading)
        if first != reading:
            pair = mcnemar(played[name, first, split], games)
            p_value = f"{pair['p_value']:.2g}" if pair["p_value"] else "below 1e-300"
            print(
                f"| {name} | {split} | {first} | {reading} | {pair['only_first_won']:,} "
                f"| {pair['only_second_won']:,} | {p_value} |"
            )


def main() -> None:
    """Play and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", help="word list, one word per line (default: web2)")
    parser.add_argument("--agents", nargs="+", choices=READINGS, default=["benchmark", "ngram"])
    parser.add_argument("--readings", nargs="+", metavar="READING", help="play these only")
    parser.add_argument("--split", choices=("valid", "test"), default="valid")
    parser.add_argument("--fractions", nargs=3, type=float, default=(0.9, 0.05, 0.05))
    parser.add_argument("--games", type=int, default=2000, help="play every k-th word, about N")
    parser.add_argument("--seen", type=int, default=0, help="play N training words too")
    options = parser.parse_args()
    known = [reading for name in options.agents for reading in READINGS[name]]
    chosen_readings = options.readings or known
    if unknown := [reading for reading in chosen_readings if reading not in known]:
        parser.error(f"--readings: {unknown[0]!r} is not one of {', '.join(map(repr, known))}")

    listed = load_word_list(options.words)
    parts = Split(fractions=tuple(options.fractions)).divide(listed)
    words = parts[options.split][:: max(1, len(parts[options.split]) // options.games)]
    secrets_by_split = {options.split: words}
    if options.seen:
        rng = np.random.default_rng(0)
        chosen = rng.choice(len(parts["train"]), options.seen, replace=False)
        secrets_by_split["train"] = [parts["train"][index] for index in chosen]
    print(listed.describe())
    print("\n| agent | reading | words | games | win rate | games/s |")
    print("| --- " * 6 + "|")
    played: dict[tuple[str, str, str], PlayedGames] = {}
    for name in options.agents:
        for reading, agent in READINGS[name].items():
            if reading not in chosen_readings:
                continue
            agent.fit(parts["train"])
            for split, secrets in secrets_by_split.items():
                start = time.process_time()
                played[name, reading, split] = play(agent, secrets)
                won = played[name, reading, split].won
                speed = len(won) / (time.process_time() - start)
                low, high = win_rate_interval(int(won.sum()), len(won))
                print(
                    f"| {name} | {reading} | {split} | {len(won):,} | {100 * won.mean():.1f} "
                    f"({100 * low:.1f} to {100 * high:.1f}) | {speed:,.0f} |",
                    flush=True,
                )
    print_pairs(played)


if __name__ == "__main__":
    main()
