"""A single game of Hangman on plain strings, for interactive play and clients."""

from __future__ import annotations

from hangman_lab.envs.encoding import ALPHABET
from hangman_lab.envs.hangman.observation import Observations, parse_observation


class Game:
    """A game with the word ``secret`` after ``guesses``, distinct letters in order.

    It has the rules of :class:`envs.hangman.rules.HangmanGames` with free repeated guesses, for a
    game that is played one guess at a time, where arrays of one game would be slow.
    """

    def __init__(self, secret: str, max_wrong: int, guesses: str = "") -> None:
        self.secret = secret
        self.max_wrong = max_wrong
        self.guesses = guesses

    @property
    def word(self) -> str:
        """The masked word: letters, and ``_`` for each blank."""
        return "".join(letter if letter in self.guesses else "_" for letter in self.secret)

    @property
    def wrong_letters(self) -> str:
        """The guessed letters that are not in the word, in the order of the guesses."""
        return "".join(letter for letter in self.guesses if letter not in self.secret)

    @property
    def lives(self) -> int:
        """The number of wrong guesses left."""
        return self.max_wrong - len(self.wrong_letters)

    @property
    def won(self) -> bool:
        """Whether the word is uncovered."""
        return set(self.secret) <= set(self.guesses)

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.won or self.lives == 0

    @property
    def observations(self) -> Observations:
        """The observation of a game that is not lost, as a batch of one game, for agents."""
        return parse_observation(self.word, self.wrong_letters, self.max_wrong)

    def guess(self, letter: int) -> int:
        """Guess a letter, 0 to 25; return the number of positions it uncovered.

        A repeated letter, and a guess after the end, change nothing.
        """
        guessed = ALPHABET[letter]
        if self.over or guessed in self.guesses:
            return 0
        self.guesses += guessed
        return self.secret.count(guessed)
