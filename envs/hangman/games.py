"""N games of Hangman at once, shared by all environments and agents."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import (
    BLANK,
    FIRST_LETTER,
    NUM_CODES,
    NUM_LETTERS,
    EncodedWords,
    decode,
    encode_words,
)
from hangman_lab.envs.errors import InputError, check_state
from hangman_lab.envs.hangman.observation import Observation, Observations
from hangman_lab.envs.hangman.rendering import draw_game
from hangman_lab.envs.hangman.rules import GuessResult, Rules
from hangman_lab.envs.rendering import Drawing

Index = npt.NDArray[np.integer] | slice
ALL = slice(None)

_NONE_GUESSED = np.void(bytes(NUM_LETTERS))


class HangmanGames:
    """N games of Hangman, each with a fixed secret word.

    A correct letter is uncovered at all its positions in the secret word; a wrong letter costs a
    life. A game is won when all positions are uncovered, and lost with the last life. Finished
    games ignore further guesses. Observations have ``width`` positions, the maximum length of a
    secret word.
    """

    def __init__(self, num_games: int, width: int, rules: Rules) -> None:
        self.rules = rules
        self.secrets = np.zeros((num_games, width), dtype=np.uint8)
        # Length 1 keeps games without a secret from counting as won before ``start``.
        self.lengths = np.ones(num_games, dtype=np.int64)
        self._letter_counts = np.zeros((num_games, NUM_LETTERS), dtype=np.int8)
        self._word = np.zeros((num_games, width), dtype=np.uint8)
        self._guessed = np.zeros((num_games, NUM_LETTERS), dtype=np.int8)
        self._lives = np.zeros(num_games, dtype=np.int64)
        self._shown = np.zeros(num_games, dtype=np.int64)
        # A row of ``width`` codes for each code, and a row of blanks for each word length: rows are
        # copied faster than columns are broadcast.
        self._rows_of_code = np.repeat(np.arange(NUM_CODES, dtype=np.uint8)[:, None], width, axis=1)
        self._blanks = _as_rows(BLANK * np.tri(width + 1, width, -1, dtype=np.uint8))
        # The first entry of each game in a raveled array of shape (games, 26).
        self._first_letter = np.arange(num_games) * NUM_LETTERS

    @cached_property
    def _rows(self) -> list[npt.NDArray[np.void]]:
        arrays = self.secrets, self._letter_counts, self._word, self._guessed
        return [_as_rows(array) for array in arrays]

    def __getstate__(self) -> dict[str, Any]:
        # A copy of a view is not a view of the copy.
        return {name: value for name, value in vars(self).items() if name != "_rows"}

    def __len__(self) -> int:
        return len(self.secrets)

    @property
    def won(self) -> npt.NDArray[np.bool_]:
        """Whether the word of each game is uncovered, shape (N,)."""
        return self._shown == self.lengths

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Whether each game is won or lost, shape (N,)."""
        return self.won | (self._lives == 0)

    @property
    def lost_lives(self) -> npt.NDArray[np.int64]:
        """The wrong guesses of each game, and the repeated ones if they cost lives, shape (N,)."""
        return self.rules.max_wrong - self._lives

    def secret(self, game: int) -> str:
        """Return the secret word of one game."""
        return decode(self.secrets[game])

    def draw(self, game: int, mode: str) -> Drawing:
        """Draw one game; see :func:`envs.hangman.rendering.draw_game`."""
        word: Any = self._word[game]
        lives = self._lives[game]
        observation = Observation(word=word, guessed=self._guessed[game], lives=lives)
        secret = self.secret(game) if self.over[game] else None
        return draw_game(observation, secret, self.rules.max_wrong, mode)

    def observe(self, games: Index = ALL, word_dtype: npt.DTypeLike = np.uint8) -> Observations:
        """Return copies of the observations of ``games``, by default with the words of agents."""
        return Observations(
            word=self._word[games].astype(word_dtype),
            guessed=self._guessed[games].copy(),
            lives=self._lives[games].copy(),
        )

    def action_masks(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return which letters have not been guessed, as a new array of shape (games, 26)."""
        return self._guessed[games] == 0

    def get_state(self) -> dict[str, npt.NDArray]:
        """Return copies, by name, of the arrays from which all others can be computed."""
        arrays: dict[str, npt.NDArray] = {
            "secrets": self.secrets,
            "guessed": self._guessed,
            "lives": self._lives,
        }
        return {name: array.copy() for name, array in arrays.items()}

    def set_state(
        self,
        state: Any,
        steps: npt.NDArray[np.int64],
        truncated: npt.NDArray[np.bool_],
        ended: npt.NDArray[np.bool_],
    ) -> None:
        """Restore a saved state; InputError if it is not one of such games.

        The other arrays have shape (N,): the number of guesses, whether a game is truncated, and
        whether it is over or truncated.
        """
        check_state(state, self.get_state())
        secrets, guessed, lives = state["secrets"], state["guessed"], state["lives"]
        if not (0 <= guessed.min() <= guessed.max() <= 1 and lives.min() >= 0):
            raise InputError("state: 'guessed' or 'lives' has a number out of range")
        try:
            words = encode_words([decode(codes) for codes in secrets], secrets.shape[1])
        except (IndexError, InputError) as error:
            raise InputError(f"state: 'secrets' are not words ({error})") from None
        # The columns before those of the letters are for padding and blanks.
        columns = np.pad(guessed, ((0, 0), (FIRST_LETTER, 0)))
        is_shown = np.take_along_axis(columns, secrets.astype(np.intp), axis=1) != 0
        shown = is_shown.sum(axis=1)
        won, lost = shown == words.lengths, lives == 0
        if ((won | lost | truncated) != ended).any():
            raise InputError("state: a game is over and is not reset, or is not over and is reset")
        letters = guessed.sum(axis=1)
        wrong, repeated = (guessed > words.letter_counts).sum(axis=1), steps - letters
        costs_life = self.rules.repeated_guess == "life"
        # The letter that ends a game is new, unless a repeated one costs the last life.
        can_repeat = letters > (won if costs_life else won | lost)
        is_possible = (repeated == 0) | (can_repeat & (repeated > 0))
        is_possible &= (lives == self.rules.max_wrong - wrong - costs_life * repeated) & ~(
            won & lost
        )
        if not is_possible.all():
            raise InputError("state: 'lives', 'guessed' and 'steps' are not those of one game")
        self.start(ALL, words)
        self._guessed[:], self._lives[:], self._shown[:] = guessed, lives, shown
        self._word[is_shown] = secrets[is_shown]

    def start(self, games: Index, secrets: EncodedWords) -> None:
        """Start new games at the indices ``games``, one per secret word."""
        codes, letter_counts, word, guessed = self._rows
        codes[games] = _as_rows(secrets.codes)
        letter_counts[games] = _as_rows(secrets.letter_counts)
        word[games] = self._blanks.take(secrets.lengths)
        guessed[games] = _NONE_GUESSED
        self.lengths[games] = secrets.lengths
        self._lives[games] = self.rules.max_wrong
        self._shown[games] = 0

    def check_letters(self, letters: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return ``letters``, the actions; InputError unless they are N integers, 0 to 25."""
        if letters.shape != (len(self),):
            raise InputError(f"actions: shape {letters.shape} is not ({len(self)},)")
        if letters.dtype.kind not in "iu":
            raise InputError(f"actions: {letters!r} is not an array of integers")
        numbers = letters.astype(np.int64, copy=False)
        # One comparison for both ends: read as unsigned, a negative number is a large one.
        unsigned = numbers.view(np.uint64)
        if unsigned.max(initial=0) >= NUM_LETTERS:
            wrong = letters[unsigned.argmax()]
            raise InputError(f"actions: {wrong} is outside 0..{NUM_LETTERS - 1}")
        return numbers

    def guess(self, letters: npt.NDArray[np.integer]) -> GuessResult:
        """Guess one letter, 0 to 25, in every game; InputError as :meth:`check_letters` raises."""
        letters = self.check_letters(letters)
        playing = (self._shown != self.lengths) & (self._lives != 0)
        # One index is faster than two.
        index, guessed = self._first_letter + letters, self._guessed.view(np.bool_).reshape(-1)
        was_guessed = guessed.take(index)
        is_new = playing & ~was_guessed
        counts = self._letter_counts.reshape(-1).take(index)
        newly_shown = (counts * is_new.view(np.int8)).astype(np.int64)
        # A repeated letter shows nothing, like a wrong one.
        lost_life = (playing if self.rules.repeated_guess == "life" else is_new) & (
            newly_shown == 0
        )

        self._shown += newly_shown
        self._lives -= lost_life
        guessed[index] = was_guessed | playing
        # Code 0, that of the padding, leaves finished games unchanged.
        uncovered = self._rows_of_code.take((letters + FIRST_LETTER) * playing, axis=0)
        uncovered *= (self.secrets == uncovered).view(np.uint8)
        np.maximum(self._word, uncovered, out=self._word)
        won, lost = playing & (self._shown == self.lengths), playing & (self._lives == 0)

        return GuessResult(
            newly_shown=newly_shown,
            lost_life=lost_life,
            won=won,
            lost=lost,
            shown=self._shown,
            lives=self._lives,
            lengths=self.lengths,
            max_wrong=self.rules.max_wrong,
        )


def _as_rows(array: npt.NDArray) -> npt.NDArray[np.void]:
    """Return a view whose elements are the rows, which are assigned in less time."""
    return array.view(f"V{array.shape[1]}")[:, 0]
