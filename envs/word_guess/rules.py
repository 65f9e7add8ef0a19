"""The rules of the games in which a word is guessed, for N games at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from envs.games import ALL, Games, Index
from envs.word_guess.answers import AnswerRule
from envs.word_guess.observation import NO_ANSWER, NO_WORD, Observation
from envs.word_guess.words import GuessWords

_UNDECIDED = -1


class Step(NamedTuple):
    """What one guess did in each of N games; all arrays have the shape (N,).

    Attributes
    ----------
    codes : ndarray of int64
        The code of the answer; -1 for a word that is not in the list, and in games that are over.
    won, lost : ndarray of bool
        The guess ended the game.
    """

    codes: npt.NDArray[np.int64]
    won: npt.NDArray[np.bool_]
    lost: npt.NDArray[np.bool_]


class WordGuessGames(Games):
    """N games in which a whole word is guessed.

    Each guess is answered by the rule. A game is won by guessing the secret, and lost with the
    last guess. A word that was guessed before, or that is not in the list, costs a guess. A game
    that is over ignores further guesses.

    The adversary has no secret: it gives the answer that leaves most secret words consistent with
    all its answers, the one with the lowest code among equals, so that it gives in last.

    Parameters
    ----------
    num_games : int
    rule : AnswerRule
    words : GuessWords
    max_guesses : int
        The guesses of a game, at least 1.
    track_consistent : bool, default False
        Keep for each game which words are still consistent; what an adversary plays needs it.

    Raises
    ------
    ValueError
        If ``max_guesses`` is below 1.
    """

    _state_names = ("_secrets", "_guesses", "_answers", "_num_guesses", "_won")

    def __init__(
        self,
        num_games: int,
        rule: AnswerRule,
        words: GuessWords,
        max_guesses: int,
        track_consistent: bool = False,
    ) -> None:
        if max_guesses < 1:
            raise ValueError(f"max_guesses: {max_guesses} is below 1")
        super().__init__(num_games)
        self.rule = rule
        self.words = words
        self.max_guesses = max_guesses
        self._secrets = np.zeros(num_games, dtype=np.int64)
        self._guesses = np.full((num_games, max_guesses), NO_WORD, dtype=np.int32)
        self._answers = np.full((num_games, max_guesses, len(rule.names)), NO_ANSWER, dtype=np.int8)
        self._num_guesses = np.zeros(num_games, dtype=np.int64)
        self._won = np.zeros(num_games, dtype=np.bool_)
        self._consistent: npt.NDArray[np.bool_] | None = None
        if track_consistent:
            self._can_be_secret = np.zeros(len(words), dtype=np.bool_)
            self._can_be_secret[words.secrets] = True
            self._state_names = (*self._state_names, "_consistent")
            self._consistent = np.tile(self._can_be_secret, (num_games, 1))

    @property
    def won(self) -> npt.NDArray[np.bool_]:
        """Games whose secret was guessed; shape (N,)."""
        return self._won.copy()

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Games that are won or out of guesses; shape (N,)."""
        return self._won | (self._num_guesses == self.max_guesses)

    @property
    def secrets(self) -> npt.NDArray[np.int64]:
        """The secret of each game as an index into the allowed list, shape (N,).

        While an adversary has not settled on one, it is the first word that is still consistent.
        """
        if self._consistent is None:
            return self._secrets.copy()
        return np.where(self._secrets == _UNDECIDED, self._consistent.argmax(axis=1), self._secrets)

    def start(self, games: Index, secrets: npt.NDArray[np.int64] | None) -> None:
        """Begin new games at the indices ``games``: one a secret, or all against an adversary.

        Raises
        ------
        ValueError
            If there are no secrets and the consistent words are not tracked.
        """
        if secrets is None and self._consistent is None:
            raise ValueError("start: an adversary needs track_consistent")
        self._secrets[games] = _UNDECIDED if secrets is None else secrets
        self._guesses[games] = NO_WORD
        self._answers[games] = NO_ANSWER
        self._num_guesses[games] = 0
        self._won[games] = False
        if self._consistent is not None:
            self._consistent[games] = self._can_be_secret

    def guess(self, words: npt.NDArray[np.integer]) -> Step:
        """Guess one word in every game.

        Parameters
        ----------
        words : ndarray of integers, shape (N,)
            Indices into the allowed list; -1 stands for a word that is not in it.

        Raises
        ------
        ValueError
            If an index is out of range.
        """
        if words.min(initial=0) < NO_WORD or words.max(initial=0) >= len(self.words):
            raise ValueError(f"an action is outside 0..{len(self.words) - 1}")
        words = words.astype(np.int64)
        playing = np.flatnonzero(~self.over)
        listed = playing[words[playing] != NO_WORD]
        codes = np.full(len(self), NO_ANSWER, dtype=np.int64)
        codes[listed] = self._answer(listed, words[listed])

        turn = self._num_guesses[listed]
        self._guesses[listed, turn] = words[listed]
        self._answers[listed, turn] = self.rule.answers_by_code[codes[listed]]
        self._num_guesses[playing] += 1
        won = codes == self.rule.solved
        self._won |= won
        lost = np.zeros(len(self), dtype=np.bool_)
        lost[playing] = ~won[playing] & (self._num_guesses[playing] == self.max_guesses)
        return Step(codes=codes, won=won, lost=lost)

    def observe(self, games: Index = ALL) -> Observation:
        """Return copies of what the players of ``games`` see."""
        return Observation(
            guesses=self._guesses[games].copy(),
            answers=self._answers[games].copy(),
            num_guesses=self._num_guesses[games].copy(),
        )

    def consistent(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return which words may still be the secret, shape (games, allowed words).

        Raises
        ------
        ValueError
            If the consistent words are not tracked.
        """
        if self._consistent is None:
            raise ValueError("consistent: the games were made without track_consistent")
        return self._consistent[games].copy()

    def _answer(
        self, games: npt.NDArray[np.int64], words: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the codes of the answers in ``games``, and note what they rule out."""
        secrets = self._secrets[games]
        guesses = self.words.encoded.codes[words]
        codes = self.rule.answer(guesses, self.words.encoded.codes[np.maximum(secrets, 0)]).astype(
            np.int64
        )
        if self._consistent is None:
            return codes
        # Games that guess the same word share the answers about it.
        unique, position = np.unique(words, return_inverse=True)
        for number, word in enumerate(unique):
            row = self.rule.answer_matrix(
                self.words.encoded.codes[[word]], self.words.encoded.codes
            )[0]
            asked = np.flatnonzero(position == number)
            codes[asked] = _rule_out(
                self._consistent,
                row,
                games[asked],
                np.where(secrets[asked] == _UNDECIDED, NO_ANSWER, codes[asked]),
                self.rule.num_codes,
            )
        settled = codes == self.rule.solved
        self._secrets[games[settled]] = words[settled]
        return codes


@njit(cache=True)
def _rule_out(consistent, row, games, codes, num_codes):
    """Strike out the words of each game that disagree with its answer to one guess.

    ``row`` has the answer about each word. A code of -1 asks for the answer that keeps most words.
    """
    given = codes.copy()
    for number in range(len(games)):
        game = games[number]
        if given[number] < 0:
            counts = np.zeros(num_codes, dtype=np.int64)
            for word in range(len(row)):
                counts[row[word]] += consistent[game, word]
            given[number] = counts.argmax()
        for word in range(len(row)):
            consistent[game, word] &= row[word] == given[number]
    return given
