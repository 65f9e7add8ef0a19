"""One game of one person or agent, and the person's next letter."""

from __future__ import annotations

import numpy as np

from envs.encoding import ALPHABET, encode_words, letter_index
from envs.hangman.observation import Observation, select
from envs.hangman.rules import HangmanGames
from playing.terminal import Terminal

_MAX_QUOTED = 20


class Game:
    """A single game by the rules of ``envs.hangman.rules``.

    Parameters
    ----------
    secret : str
        The word to guess.
    max_wrong : int
        The number of wrong guesses that loses, 1 to 26.
    """

    def __init__(self, secret: str, max_wrong: int) -> None:
        self.secret = secret
        self.max_wrong = max_wrong
        self.guesses = ""
        encoded = encode_words([secret])
        self._games = HangmanGames(1, encoded.width, max_wrong)
        self._games.start(slice(None), encoded)

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
    def wrong_guesses(self) -> int:
        """How many guesses were wrong."""
        return self.max_wrong - int(self.observation["lives"])

    def guess(self, letter: int) -> int:
        """Guess a letter, 0 to 25; return how many places it uncovered."""
        self.guesses += ALPHABET[letter]
        return int(self._games.guess(np.array([letter])).newly_shown[0])


def describe_guess(letter: int, places: int) -> str:
    """Say what a guess uncovered."""
    if not places:
        return f"{ALPHABET[letter]} is not in the word"
    return f"{ALPHABET[letter]} is in the word, {places} time{'s' if places > 1 else ''}"


def ask_letter(terminal: Terminal, observation: Observation) -> int:
    """Ask until the answer is a letter that has not been guessed; return it, 0 to 25."""
    while True:
        text = terminal.ask("letter: ").lower()
        if len(text) != 1:
            quoted = repr(text[:_MAX_QUOTED]) if text else "nothing"
            terminal.complain(f"one letter a to z is expected, not {quoted}")
        elif text not in ALPHABET:
            terminal.complain(f"{text!r} is not a letter a to z")
        elif observation["guessed"][letter_index(text)]:
            terminal.complain(f"{text!r} has been guessed already")
        else:
            return letter_index(text)
