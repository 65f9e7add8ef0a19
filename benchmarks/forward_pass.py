"""Games per second of the pretrained policy, with its network by NumPy and by torch.

    python -m benchmarks.forward_pass [--games 1000]

Both play the same valid words sixteen times by turns, each time with an empty cache of beliefs. The
last column is the network alone, on the states of these games, without the posterior.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from rich.console import Console

from hangman_lab import load_pretrained
from hangman_lab.agents.ppo.agent import PPOAgent
from hangman_lab.envs.words import Split, default_word_list
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.preparation import sample_words
from hangman_lab.terminal.arguments import CommandParser, command_main, positive
from hangman_lab.terminal.tables import DataTable, print_table
from hangman_lab.training.networks import PolicyModule

ROUNDS = 16


class Timed:
    """A network that adds up the time of its calls."""

    def __init__(self, network, scores):
        self.sizes, self._scores, self.seconds = network.sizes, scores, 0.0

    def letter_scores(self, features):
        """Return the letter scores, shape (N, 26)."""
        start = time.perf_counter()
        scores = self._scores(features)
        self.seconds += time.perf_counter() - start
        return scores


@command_main("forward_pass")
def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and print the table."""
    parser = CommandParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--games", type=positive, default=1000, metavar="N")
    games = parser.parse_args(arguments).games
    words = sample_words(Split().divide(default_word_list())["valid"], games, seed=0)
    agent = load_pretrained()
    assert isinstance(agent, PPOAgent)
    module = PolicyModule(**agent.network.sizes)
    module.load_state_dict({k: torch.from_numpy(v) for k, v in agent.network.weights.items()})

    def by_torch(features):
        with torch.inference_mode():
            tensors = {name: torch.from_numpy(array) for name, array in features.items()}
            return module.forward_actor(tensors).numpy()

    networks = {"NumPy": agent.network.letter_scores, "torch": by_torch}
    seconds = {name: [] for name in networks}
    # The first round compiles.
    for number in range(1 + ROUNDS):
        for name, scores in list(networks.items())[:: 1 if number % 2 else -1]:
            network: Any = Timed(agent.network, scores)
            posterior = agent.posterior.with_known(agent.posterior.prior.known)
            start = time.perf_counter()
            play(PPOAgent(posterior, network), words)
            seconds[name].append((time.perf_counter() - start, network.seconds))
    rows = []
    for name, rounds in seconds.items():
        total, alone = ROUNDS * games / np.sum(rounds[1:], axis=0)
        rows.append((name, f"{total:,.0f}", f"{alone:,.0f}"))
    times = {name: np.array(rounds)[1:, 0] for name, rounds in seconds.items()}
    low, median, high = np.percentile(times["torch"] / times["NumPy"], [25, 50, 75])
    title = f"games by NumPy per game by torch: {median:.2f} (quartiles {low:.2f} to {high:.2f})"
    headings = ("network by", "games/s", "of the network alone")
    print_table(Console(width=100), DataTable(title, headings, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
