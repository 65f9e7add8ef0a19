"""The rules of word guessing for N games at once."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hangman_lab.envs.errors import check_at_least, check_choice
from hangman_lab.envs.games import ALL, Games, Index
from hangman_lab.envs.word_guess.answers import AnswerRule
from hangman_lab.envs.word_guess.words import GuessWords

NO_WORD = -1
NO_ANSWER = -1
OPPONENTS = ("random", "adversary")
MASKS = ("all", "consistent")
_UNDECIDED = -1


class Observation(TypedDict):
    """The observation of one game, or of N games along the first axis.

    Guesses are indices into the allowed list, in order. Rows from ``num_guesses`` on and rows of
    unlisted words are -1.
    """

    guesses: npt.NDArray[np.int32]  # (max_guesses,)
    answers: npt.NDArray[np.int8]  # (max_guesses, 2): cats and dogs, or (max_guesses, 1): matches
    num_guesses: npt.NDArray[np.int64]  # (): the guesses made, 0 to ``max_guesses``


class Step(NamedTuple):
    """The result of one guess in each of N games; all arrays have the shape (N,)."""

    codes: npt.NDArray[np.int64]  # of the answers; -1 for unlisted words and finished games
    played: npt.NDArray[np.bool_]  # the game was in progress before the guess
    won: npt.NDArray[np.bool_]  # the guess won the game
    lost: npt.NDArray[np.bool_]  # the guess lost the game


class WordGuessGames(Games[Observation]):
    """N games of word guessing.

    Each guess is answered by ``rule``. A game is won by guessing the secret, and lost with guess
    ``max_guesses``. Repeated and unlisted words cost a guess. Finished games ignore further
    guesses. With ``mask="consistent"`` the action masks are True only for words consistent with
    all answers.

    The adversary has no secret. It gives the answer that leaves the most secret words consistent
    with all answers; ties go to the lowest code, so it concedes last.
    """

    _state_names: tuple[str, ...] = ("_secrets", "_guesses", "_answers", "_num_guesses", "_won")

    def __init__(
        self,
        num_games: int,
        rule: AnswerRule,
        words: GuessWords,
        max_guesses: int,
        opponent: str = "random",
        mask: str = "all",
    ) -> None:
        check_at_least("max_guesses", max_guesses, 1)
        check_choice("opponent", opponent, OPPONENTS)
        check_choice("mask", mask, MASKS)
        super().__init__(num_games)
        self.rule = rule
        self.words = words
        self.max_guesses = max_guesses
        self._mask = mask
        self._secrets = np.zeros(num_games, dtype=np.int64)
        self._guesses = np.full((num_games, max_guesses), NO_WORD, dtype=np.int32)
        self._answers = np.full((num_games, max_guesses, len(rule.names)), NO_ANSWER, dtype=np.int8)
        self._num_guesses = np.zeros(num_games, dtype=np.int64)
        self._won = np.zeros(num_games, dtype=np.bool_)
        self._observed = Observation(
            guesses=self._guesses, answers=self._answers, num_guesses=self._num_guesses
        )
        answers = spaces.Box(NO_ANSWER, rule.word_length, self._answers.shape[1:], np.int8)
        self.action_space = spaces.Discrete(len(words))
        self.observation_space = spaces.Dict(
            {
                "guesses": spaces.Box(NO_WORD, len(words) - 1, (max_guesses,), np.int32),
                "answers": answers,
                "num_guesses": spaces.Discrete(max_guesses + 1),
            }
        )
        # The words consistent with the answers of each game; None if not needed.
        self._consistent: npt.NDArray[np.bool_] | None = None
        if opponent == "adversary" or mask == "consistent":
            self._can_be_secret = np.zeros(len(words), dtype=np.bool_)
            self._can_be_secret[words.secrets] = True
            self._state_names = (*self._state_names, "_consistent")
            self._consistent = np.tile(self._can_be_secret, (num_games, 1))

    @property
    def won(self) -> npt.NDArray[np.bool_]:
        """Whether the secret of each game was guessed, shape (N,)."""
        return self._won.copy()

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Whether each game is won or out of guesses, shape (N,)."""
        return self._won | (self._num_guesses == self.max_guesses)

    def secret(self, game: int) -> str:
        """Return the secret word of one game; for an adversary, the first consistent word."""
        index = self._secrets[game]
        if self._consistent is not None and index == _UNDECIDED:
            index = self._consistent[game].argmax()
        return self.words.allowed[index]

    def action_masks(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return which words can be guessed, as a new array of shape (games, allowed words)."""
        if self._consistent is not None and self._mask == "consistent":
            return self._consistent[games].copy()
        return np.ones((len(self._won[games]), len(self.words)), dtype=np.bool_)

    def start(self, games: Index, secrets: npt.NDArray[np.int64] | None) -> None:
        """Start new games with these secrets; None for an adversary."""
        self._secrets[games] = _UNDECIDED if secrets is None else secrets
        self._guesses[games] = NO_WORD
        self._answers[games] = NO_ANSWER
        self._num_guesses[games] = 0
        self._won[games] = False
        if self._consistent is not None:
            self._consistent[games] = self._can_be_secret

    def guess(self, actions: npt.NDArray[np.integer]) -> Step:
        """Guess an allowed word in every game; ValueError as ``check_actions`` raises."""
        self.check_actions(actions, len(self.words))
        return self.guess_any(actions.astype(np.int64))

    def guess_any(self, words: npt.NDArray[np.int64]) -> Step:
        """Guess one word in every game; ``NO_WORD`` is an unlisted word."""
        playing = ~self.over
        listed = np.flatnonzero(playing & (words != NO_WORD))
        codes = np.full(len(self), NO_ANSWER, dtype=np.int64)
        codes[listed] = self._answer(listed, words[listed])

        turn = self._num_guesses[listed]
        self._guesses[listed, turn] = words[listed]
        self._answers[listed, turn] = self.rule.answers_by_code[codes[listed]]
        self._num_guesses += playing
        won = codes == self.rule.solved
        self._won |= won
        lost = playing & ~won & (self._num_guesses == self.max_guesses)
        return Step(codes=codes, played=playing, won=won, lost=lost)

    def _answer(
        self, games: npt.NDArray[np.int64], words: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the codes of the answers in ``games``, and update the consistent words."""
        secrets, letters = self._secrets[games], self.words.encoded.codes
        codes = self.rule.answer(letters[words], letters[secrets]).astype(np.int64)
        if self._consistent is None:
            return codes
        # Games that guess the same word share its answers.
        for word in np.unique(words):
            answers = self.rule.answer(letters[[word]], letters)
            for number in np.flatnonzero(words == word):
                left = self._consistent[games[number]]
                if secrets[number] == _UNDECIDED:
                    codes[number] = np.bincount(answers[left]).argmax()
                left &= answers == codes[number]
        settled = codes == self.rule.solved
        self._secrets[games[settled]] = words[settled]
        return codes
