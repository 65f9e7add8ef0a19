"""A single game of Hangman, for interactive play and clients."""

from __future__ import annotations

import numpy as np

from hangman_lab.envs.encoding import ALPHABET, decode, encode_words, letter_index
from hangman_lab.envs.hangman.observation import Observation, select
from hangman_lab.envs.hangman.rules import HangmanGames


class Game:
    """A game with the word ``secret`` after ``guesses``; see :mod:`envs.hangman.rules`."""

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
        """The observation as a batch of one game, for agents."""
        return self._games.observe()

    @property
    def observation(self) -> Observation:
        """The observation."""
        return select(self.observations, 0)

    @property
    def word(self) -> str:
        """The masked word: letters, and ``_`` for each blank."""
        return decode(self.observation["word"])

    @property
    def lives(self) -> int:
        """The number of wrong guesses left."""
        return int(self.observation["lives"])

    @property
    def wrong_letters(self) -> str:
        """The guessed letters that are not in the word, in the order of the guesses."""
        return "".join(letter for letter in self.guesses if letter not in self.secret)

    def guess(self, letter: int) -> int:
        """Guess a letter, 0 to 25; return the number of positions it uncovered."""
        self.guesses += ALPHABET[letter]
        return int(self._games.guess(np.array([letter])).newly_shown[0])
