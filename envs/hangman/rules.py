"""The rules of Hangman, for N games at once. No other file knows them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, EncodedWords
from envs.errors import check_choice
from envs.games import ALL, Games, Index
from envs.hangman.observation import DEFAULT_MAX_WRONG, Observation

REPEATED_GUESS_RULES = ("life", "free")


class Step(NamedTuple):
    """What one guess did in each of N games; all arrays have the shape (N,).

    Attributes
    ----------
    newly_shown : ndarray of int64
        Places that the guess uncovered.
    lost_life : ndarray of bool
        The guess cost a life: a wrong letter, or a repeated one if the rules say so.
    won, lost : ndarray of bool
        The guess ended the game.
    shown_before, shown : ndarray of int64
        Places uncovered before and after the guess.
    lives_before, lives : ndarray of int64
        Wrong guesses left before and after the guess.
    lengths : ndarray of int64
        Letters of the secret word.
    """

    newly_shown: npt.NDArray[np.int64]
    lost_life: npt.NDArray[np.bool_]
    won: npt.NDArray[np.bool_]
    lost: npt.NDArray[np.bool_]
    shown_before: npt.NDArray[np.int64]
    shown: npt.NDArray[np.int64]
    lives_before: npt.NDArray[np.int64]
    lives: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]


class HangmanGames(Games):
    """N games of Hangman.

    A guessed letter is uncovered wherever it stands in the secret word; a letter that is not in
    it costs a life. A game is won when every place is uncovered and lost with the last life. A
    letter that was guessed before teaches nothing; it costs a life (``"life"``) or nothing
    (``"free"``). A game that is over ignores further guesses.

    Parameters
    ----------
    num_games : int
    width : int
        Places of the observation; no secret word is longer.
    max_wrong : int, default 6
        The number of wrong guesses that loses, 1 to 26.
    repeated_guess : {"life", "free"}, default "life"

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    _state_names = ("secrets", "lengths", "_letter_counts", "_word", "_guessed", "_lives", "_shown")

    def __init__(
        self,
        num_games: int,
        width: int,
        max_wrong: int = DEFAULT_MAX_WRONG,
        repeated_guess: str = "life",
    ) -> None:
        if not 1 <= max_wrong <= NUM_LETTERS:
            raise ValueError(f"max_wrong: {max_wrong} is not in 1..{NUM_LETTERS}")
        check_choice("repeated_guess", repeated_guess, REPEATED_GUESS_RULES)
        super().__init__(num_games)
        self.max_wrong = max_wrong
        self.repeated_guess = repeated_guess
        self.secrets = np.zeros((num_games, width), dtype=np.uint8)
        self.lengths = np.zeros(num_games, dtype=np.int64)
        self._letter_counts = np.zeros((num_games, NUM_LETTERS), dtype=np.int8)
        self._word = np.zeros((num_games, width), dtype=np.uint8)
        self._guessed = np.zeros((num_games, NUM_LETTERS), dtype=np.int8)
        self._lives = np.zeros(num_games, dtype=np.int64)
        self._shown = np.zeros(num_games, dtype=np.int64)
        self._rows = np.arange(num_games)

    @property
    def won(self) -> npt.NDArray[np.bool_]:
        """Games whose word is uncovered; shape (N,)."""
        return self._shown == self.lengths

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Games that are won or lost; shape (N,)."""
        return self.won | (self._lives == 0)

    def open_letters(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return the letters that were not guessed, as a new array of shape (games, 26)."""
        return self._guessed[games] == 0

    def start(self, games: Index, secrets: EncodedWords) -> None:
        """Begin new games at the indices ``games``, one a secret word."""
        self.secrets[games] = secrets.codes
        self.lengths[games] = secrets.lengths
        self._letter_counts[games] = secrets.letter_counts
        self._word[games] = np.minimum(secrets.codes, BLANK)
        self._guessed[games] = 0
        self._lives[games] = self.max_wrong
        self._shown[games] = 0

    def guess(self, letters: npt.NDArray[np.integer]) -> Step:
        """Guess one letter in every game.

        Parameters
        ----------
        letters : ndarray of integers, shape (N,)
            0 to 25.

        Raises
        ------
        ValueError
            If a letter is out of range.
        """
        if letters.min(initial=0) < 0 or letters.max(initial=0) >= NUM_LETTERS:
            raise ValueError(f"an action is outside 0..{NUM_LETTERS - 1}")
        playing = ~self.over
        shown_before = self._shown.copy()
        lives_before = self._lives.copy()

        is_new = self._guessed[self._rows, letters] == 0
        count = self._letter_counts[self._rows, letters].astype(np.int64)
        newly_shown = count * (is_new & playing)
        lost_life = playing & (count == 0)
        if self.repeated_guess == "life":
            lost_life |= playing & ~is_new
        else:
            lost_life &= is_new

        self._shown += newly_shown
        self._lives -= lost_life
        self._guessed[self._rows, letters] |= playing.view(np.int8)
        # A game that is over must not be uncovered further: its letter becomes one of no word.
        codes = np.where(playing, letters + FIRST_LETTER, 0).astype(np.uint8)[:, None]
        uncovered = (self.secrets == codes).view(np.uint8) * codes
        np.maximum(self._word, uncovered, out=self._word)

        return Step(
            newly_shown=newly_shown,
            lost_life=lost_life,
            won=playing & self.won,
            lost=playing & (self._lives == 0),
            shown_before=shown_before,
            shown=self._shown.copy(),
            lives_before=lives_before,
            lives=self._lives.copy(),
            lengths=self.lengths.copy(),
        )

    def observe(self, games: Index = ALL) -> Observation:
        """Return copies of what the players of ``games`` see."""
        return Observation(
            word=self._word[games].copy(),
            guessed=self._guessed[games].copy(),
            lives=self._lives[games].copy(),
        )
