"""A single game of Hangman in plain Python, where arrays of one game would be slow."""

from __future__ import annotations

from typing import Any

import numpy as np

from hangman_lab.envs.encoding import ALPHABET, encode
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.rules import GuessResult, Rules


class Game:
    """A game with the word ``secret`` after ``guesses``, letters in order.

    It is that of :class:`envs.hangman.games.HangmanGames`.

    Attributes
    ----------
    guesses : str
        The distinct guessed letters, in order.
    lives : int
        The number of wrong guesses left.
    shown : int
        The number of uncovered positions.
    """

    def __init__(self, secret: str, rules: Rules, guesses: str = "") -> None:
        self.secret = secret
        self.rules = rules
        self.guesses = ""
        self.lives = rules.max_wrong
        self.shown = 0
        for letter in guesses:
            self.guess(ALPHABET.index(letter))

    @property
    def word(self) -> str:
        """The masked word: letters, and ``_`` for each blank."""
        return "".join(letter if letter in self.guesses else "_" for letter in self.secret)

    @property
    def wrong_letters(self) -> str:
        """The guessed letters that are not in the word, in the order of the guesses."""
        return "".join(letter for letter in self.guesses if letter not in self.secret)

    @property
    def won(self) -> bool:
        """Whether the word is uncovered."""
        return self.shown == len(self.secret)

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.lives == 0 or self.shown == len(self.secret)

    @property
    def observations(self) -> Observations:
        """The observation, as a batch of one game, for agents."""
        return Observations(
            word=encode(self.word)[None],
            guessed=np.array([[letter in self.guesses for letter in ALPHABET]], dtype=np.int8),
            lives=np.array([self.lives]),
        )

    def guess(self, letter: int) -> int:
        """Guess a letter, 0 to 25; return the number of positions it uncovered.

        A guess after the end changes nothing.
        """
        name = ALPHABET[letter]
        if self.over:
            return 0
        is_new = name not in self.guesses
        count = self.secret.count(name) if is_new else 0
        if is_new:
            self.guesses += name
        if count:
            self.shown += count
        elif is_new or self.rules.repeated_guess == "life":
            self.lives -= 1
        return count

    def guess_word(self, word: str) -> bool:
        """Guess the whole word: if it is the secret, show it, else a life is lost; return which."""
        is_right = word == self.secret
        for letter in dict.fromkeys(word if is_right else ""):
            if letter not in self.guesses:
                Game.guess(self, ALPHABET.index(letter))
        self.lives -= not is_right
        return is_right

    def result_since(self, lives: int, shown: int) -> GuessResult:
        """Return the result of a guess in a game that had these ``lives`` and ``shown`` positions.

        Its fields, here in their order, are numbers; those of the batch are arrays.
        """
        result: Any = self.shown - shown, self.lives < lives, self.won, self.lives == 0
        result += self.shown, self.lives, len(self.secret), self.rules.max_wrong
        return GuessResult._make(result)
