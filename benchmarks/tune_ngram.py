"""Tune the n-gram guesser's weights on valid words, then play the test words once with them.

The weights of the five orders and the share of the frequency stage are drawn at random (uniformly
on a logarithmic scale from 0.01 to 10, and from 0 to 0.5); the draw that wins most valid games is
kept. The source's own constants are the first draw.

    python benchmarks/tune_ngram.py --words FILE --draws 60
"""

from __future__ import annotations

import argparse

import numpy as np

from agents.ngram import NgramAgent
from envs.words import Split, load_word_list
from evaluation.arena import play
from evaluation.statistics import win_rate_interval


def main() -> None:
    """Tune on valid, then play test."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", help="a word list, one word per line")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    parts = Split().divide(load_word_list(options.words))
    agent = NgramAgent().fit(parts["train"])
    random = np.random.default_rng(options.seed)
    best = (-1.0, agent.weights, agent.frequency_share)
    for draw in range(options.draws):
        if draw:
            agent.weights = tuple(np.round(10 ** random.uniform(-2, 1, 5), 3).tolist())
            agent.frequency_share = round(random.uniform(0, 0.5), 2)
        rate = float(play(agent, parts["valid"]).won.mean())
        if rate > best[0] or not draw:
            best = (rate, agent.weights, agent.frequency_share)
            print(f"draw {draw}: valid {rate:.2%}, weights {best[1]}, share {best[2]}", flush=True)
    _, agent.weights, agent.frequency_share = best
    played = play(agent, parts["test"])
    low, high = win_rate_interval(int(played.won.sum()), len(played))
    print(f"test {played.won.mean():.2%} ({low:.2%} to {high:.2%}), {len(played):,} games")


if __name__ == "__main__":
    main()
