"""One game in memory: the rules, what was guessed, and what may be told of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from envs.encoding import decode, encode_words, letter_index
from envs.hangman.observation import Observation
from envs.hangman.rules import HangmanGames

Status = Literal["ongoing", "success", "failed"]


@dataclass(frozen=True)
class Guess:
    """A guess that was played: a letter that had not been guessed before in its game.

    Attributes
    ----------
    letter : str
    key : str or None
        The key of the request, by which a repeated request is recognised.
    """

    letter: str
    key: str | None = None


@dataclass(frozen=True)
class GameView:
    """What the player of a game may know.

    Attributes
    ----------
    game_id : str
    recorded : bool
    status : {"ongoing", "success", "failed"}
    word : str
        Letters, and ``_`` for each hidden one.
    tries_remains : int
        Wrong guesses that are left.
    guesses : str
        The letters that were guessed, in order.
    resigned : bool
    hinted : bool
        Whether the agent gave a hint.
    secret : str or None
        None until the game is over, and after it if the word is withheld and was not found.
    """

    game_id: str
    recorded: bool
    status: Status
    word: str
    tries_remains: int
    guesses: str
    resigned: bool
    hinted: bool
    secret: str | None


class Game:
    """A game by the rules of ``envs.hangman.rules``; a repeated letter costs nothing.

    Parameters
    ----------
    game_id : str
    player_id : int
    secret : str
    recorded : bool
    max_wrong : int
    guesses : sequence of Guess
        What has been played already.
    resigned : bool
    hinted : bool
        Whether the agent gave a hint.
    withheld : bool
        Whether the word is not told when the game is lost.

    Attributes
    ----------
    lock : asyncio.Lock
        Held by the one request that looks at the game or changes it.
    """

    def __init__(
        self,
        game_id: str,
        player_id: int,
        secret: str,
        recorded: bool,
        max_wrong: int,
        guesses: Sequence[Guess] = (),
        resigned: bool = False,
        hinted: bool = False,
        withheld: bool = False,
    ) -> None:
        self.game_id = game_id
        self.player_id = player_id
        self.secret = secret
        self.recorded = recorded
        self.max_wrong = max_wrong
        self.resigned = False
        self.hinted = hinted
        self.withheld = withheld
        self.guesses: list[Guess] = []
        self.lock = asyncio.Lock()
        encoded = encode_words([secret])
        self._rules = HangmanGames(1, encoded.width, max_wrong, repeated_guess="free")
        self._rules.start(slice(None), encoded)
        for guess in guesses:
            self.play(guess)
        self.resigned = resigned

    @property
    def status(self) -> Status:
        """How the game stands."""
        if self._rules.won[0]:
            return "success"
        return "failed" if self.resigned or self._rules.over[0] else "ongoing"

    @property
    def over(self) -> bool:
        """Whether the game is won, lost or resigned."""
        return self.status != "ongoing"

    def has_guessed(self, letter: str) -> bool:
        """Whether a letter was guessed before."""
        return any(guess.letter == letter for guess in self.guesses)

    def find_key(self, key: str) -> int | None:
        """Return the number of the guess, from 1, that a request with this key made."""
        for number, guess in enumerate(self.guesses, start=1):
            if guess.key == key:
                return number
        return None

    def play(self, guess: Guess) -> None:
        """Play a letter that has not been guessed, in a game that is not over."""
        self._rules.guess(np.array([letter_index(guess.letter)]))
        self.guesses.append(guess)

    def observe(self) -> Observation:
        """Return what an agent sees, as a batch of one game."""
        return self._rules.observe()

    def view(self) -> GameView:
        """Return what the player may know; the secret only when the game is over."""
        observation = self._rules.observe()
        status = self.status
        tells = status == "success" or (status == "failed" and not self.withheld)
        return GameView(
            game_id=self.game_id,
            recorded=self.recorded,
            status=status,
            word=decode(observation["word"][0]),
            tries_remains=int(observation["lives"][0]),
            guesses="".join(guess.letter for guess in self.guesses),
            resigned=self.resigned,
            hinted=self.hinted,
            secret=self.secret if tells else None,
        )

    def view_after(self, number: int) -> GameView:
        """Return the view right after the guess of that number, from 1; 0 for the beginning."""
        if number == len(self.guesses) and not self.resigned:
            return self.view()
        earlier = Game(
            self.game_id,
            self.player_id,
            self.secret,
            self.recorded,
            self.max_wrong,
            self.guesses[:number],
            hinted=self.hinted,
            withheld=self.withheld,
        )
        return earlier.view()
