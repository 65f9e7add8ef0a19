"""A custom agent, compared with two built-in agents on the same words.

python -m examples.custom_agent
"""

import numpy as np

from hangman_lab.agents import make_agent
from hangman_lab.agents.base import Agent
from hangman_lab.evaluation import compare


class MostWords(Agent):
    """Guesses the letter that most train words of the same length contain."""

    uses_lives = False  # its letters do not depend on observations["lives"]

    def fit(self, words):
        """Count the words of each length that contain each letter."""
        self.counts_ = np.zeros((33, 26))
        for word in words:
            for letter in set(word):
                self.counts_[len(word), ord(letter) - ord("a")] += 1
        return self

    def letter_scores(self, observations):
        """Return the scores of 26 letters in N games; docs/environment.md describes the arrays."""
        return self.counts_[(observations["word"] != 0).sum(axis=1)]


if __name__ == "__main__":
    agents = {
        "most words": MostWords(),
        "dictionary": make_agent("dictionary"),
        "random": make_agent("random"),
    }
    print(compare(agents, split="valid", games=2000, seed=1))
