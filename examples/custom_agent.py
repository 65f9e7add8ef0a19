"""A custom agent, compared with others on the same words.

python -m examples.custom_agent
"""

import numpy as np

from agents import make_agent
from agents.base import Agent
from evaluation import compare


class MostWords(Agent):
    """Guesses the letter that is in most of the train words of the same length."""

    uses_lives = False  # its letters do not depend on observations["lives"]

    def fit(self, words):
        """Count, for each length, the words that have each letter."""
        self.counts_ = np.zeros((33, 26))
        for word in words:
            for letter in set(word):
                self.counts_[len(word), ord(letter) - ord("a")] += 1
        return self

    def act_batch(self, observations, games=None):
        """Guess one letter in each of N games; see docs/environment.md for the arrays."""
        lengths = (observations["word"] != 0).sum(axis=1)
        counts = np.where(observations["guessed"] != 0, -1, self.counts_[lengths])
        return counts.argmax(axis=1)


if __name__ == "__main__":
    agents = {
        "most words": MostWords(),
        "dictionary": make_agent("dictionary"),
        "random": make_agent("random"),
    }
    print(compare(agents, split="valid", games=2000, seed=1))
