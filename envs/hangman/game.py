"""A single game of Hangman, as a person or a client plays it."""

from __future__ import annotations

import numpy as np

from hangman_lab.envs.encoding import ALPHABET, decode, encode_words, letter_index
from hangman_lab.envs.hangman.observation import Observation, select
from hangman_lab.envs.hangman.rules import HangmanGames


class Game:
    """A game of ``secret`` by :mod:`envs.hangman.rules`, with these guesses played already."""

    def __init__(self, secret: str, max_wrong: int, guesses: str = "") -> None:
        self.secret = secret
        self.max_wrong = max_wrong
        self.guesses = ""
        encoded = encode_words([secret])
        self._games = HangmanGames(1, encoded.width, max_wrong)
        self._games.start(slice(None), encoded)
        for letter in guesses:
            self.guess(letter_index(letter))

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return bool(self._games.over[0])

    @property
    def won(self) -> bool:
        """Whether the word is uncovered."""
        return bool(self._games.won[0])

    @property
    def observations(self) -> Observation:
        """What the player sees, as a batch of one game, for agents."""
        return self._games.observe()

    @property
    def observation(self) -> Observation:
        """What the player sees."""
        return select(self.observations, 0)

    @property
    def word(self) -> str:
        """The masked word: letters, and ``_`` for each hidden one."""
        return decode(self.observation["word"])

    @property
    def lives(self) -> int:
        """The wrong guesses that are left."""
        return int(self.observation["lives"])

    @property
    def wrong_letters(self) -> str:
        """The guessed letters that are not in the word, in the order of play."""
        return "".join(letter for letter in self.guesses if letter not in self.secret)

    def guess(self, letter: int) -> int:
        """Guess a letter, 0 to 25; return how many places it uncovered."""
        self.guesses += ALPHABET[letter]
        return int(self._games.guess(np.array([letter])).newly_shown[0])
