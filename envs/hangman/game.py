"""A single game of Hangman in plain Python, where arrays of one game would be slow."""

from __future__ import annotations

from typing import Any

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.observation import Observations, parse_observation
from hangman_lab.envs.hangman.rules import GuessResult


class Game:
    """A game with the word ``secret`` after ``guesses``, letters in order.

    It has the rules of :class:`envs.hangman.rules.HangmanGames`.

    Attributes
    ----------
    guesses : str
        The distinct guessed letters, in order.
    lives : int
        The number of wrong guesses left.
    shown : int
        The number of uncovered positions.
    """

    def __init__(
        self, secret: str, max_wrong: int, guesses: str = "", repeated_guess: str = "free"
    ) -> None:
        self.secret = secret
        self.max_wrong = max_wrong
        self.repeated_guess = repeated_guess
        self.guesses = ""
        self.lives = max_wrong
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
        """The observation of a game that is not lost, as a batch of one game, for agents."""
        observations = parse_observation(self.word, self.wrong_letters, self.max_wrong)
        observations["lives"][:] = self.lives  # fewer if a repeated letter has cost a life
        return observations

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
        elif is_new or self.repeated_guess == "life":
            self.lives -= 1
        return count

    def result_since(self, lives: int, shown: int) -> GuessResult:
        """Return the result of a guess in a game that had these ``lives`` and ``shown`` positions.

        Its fields, here in their order, are numbers; those of the batch are arrays.
        """
        result: Any = self.shown - shown, self.lives < lives, self.won, self.lives == 0
        result += self.shown, self.lives, len(self.secret), self.max_wrong
        return GuessResult._make(result)
