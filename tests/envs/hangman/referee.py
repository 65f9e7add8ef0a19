"""The rules of Hangman and the dense reward in plain Python, for one game."""

import numpy as np


class Referee:
    def __init__(self, word, max_wrong=6, repeated_guess="life"):
        self.word, self.max_wrong, self.lives = word, max_wrong, max_wrong
        self.repeated_guess = repeated_guess
        self.guessed = set()

    def guess(self, letter):
        """Return how many places were uncovered and whether a life was lost."""
        is_new = letter not in self.guessed
        self.guessed.add(letter)
        is_lost = letter not in self.word if is_new else self.repeated_guess == "life"
        self.lives -= is_lost
        return self.word.count(letter) if is_new else 0, is_lost

    @property
    def shown(self):
        return "".join(letter if letter in self.guessed else "_" for letter in self.word)

    @property
    def won(self):
        return "_" not in self.shown

    @property
    def lost(self):
        return self.lives == 0

    @property
    def over(self):
        return self.won or self.lost

    def observation(self, width):
        codes = [1 if place == "_" else ord(place) - ord("a") + 2 for place in self.shown]
        guessed = [int(chr(ord("a") + letter) in self.guessed) for letter in range(26)]
        return {
            "word": codes + [0] * (width - len(codes)),
            "guessed": guessed,
            "lives": self.lives,
        }

    def mask(self):
        return [1 - bit for bit in self.observation(len(self.word))["guessed"]]

    def play(self, letter):
        """Guess, and return the dense reward with its default parameters."""
        uncovered, is_lost = self.guess(letter)
        sparse = 1.0 if self.won else -1.0 if self.lost else 0.0
        return sparse + 0.1 * uncovered - 0.2 * is_lost


def agrees(observation, referee, width):
    """Whether an observation of one game is what the referee says, with the documented types."""
    expected = referee.observation(width)
    return (
        observation["word"].dtype == np.int16
        and observation["guessed"].dtype == np.int8
        and observation["lives"].dtype == np.int64
        and observation["word"].tolist() == expected["word"]
        and observation["guessed"].tolist() == expected["guessed"]
        and int(observation["lives"]) == expected["lives"]
    )
