"""The games in which a whole word is guessed, as single and batched environments play them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from envs.errors import check_choice
from envs.games import ALL, Index
from envs.task import Drawing, Outcome, Task
from envs.word_guess.answers import AnswerRule
from envs.word_guess.observation import Observation, observation_space
from envs.word_guess.rendering import render_rgb_array, render_text
from envs.word_guess.rewards import REWARDS, compute_rewards
from envs.word_guess.rules import WordGuessGames
from envs.word_guess.variants import CATS_AND_DOGS, GUESS_THE_WORD, Variant
from envs.word_guess.words import GuessWords

OPPONENTS = ("random", "adversary")
MASKS = ("all", "consistent")


class Undecided:
    """The secrets of an adversary: none, unless one is forced."""

    def __init__(self, words: GuessWords) -> None:
        self.encode = words.encode

    def draw(self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]) -> None:
        """Draw nothing."""


class WordGuessTask(Task):
    """What the two games share; use :class:`CatsAndDogsTask` or :class:`GuessTheWordTask`.

    Parameters
    ----------
    num_games : int
    words, allowed, word_length, max_guesses, opponent, mask, reward
        As the environments document them; None stands for the variant's default.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    games: WordGuessGames
    variant: ClassVar[Variant]

    def __init__(
        self,
        num_games: int,
        words: Sequence[str] | None = None,
        allowed: Sequence[str] | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
        opponent: str = "random",
        mask: str = "all",
        reward: str = "sparse",
    ) -> None:
        check_choice("opponent", opponent, OPPONENTS)
        check_choice("mask", mask, MASKS)
        check_choice("reward", reward, REWARDS)
        is_adversary = opponent == "adversary"
        self._masks_consistent = mask == "consistent"
        self._reward = reward
        if max_guesses is None:
            max_guesses = self.variant.max_guesses
        if word_length is None:
            word_length = self.variant.word_length
        self.rule = AnswerRule(word_length, self.variant.count_misplaced)
        if words is None:
            words = self.variant.default_words(word_length)
        self.words = GuessWords(words, allowed, word_length)
        self._secrets = Undecided(self.words) if is_adversary else self.words
        self.games = WordGuessGames(
            num_games,
            self.rule,
            self.words,
            max_guesses,
            track_consistent=is_adversary or self._masks_consistent,
        )
        self.observation_space = observation_space(self.rule, len(self.words), max_guesses)
        self.action_space = spaces.Discrete(len(self.words))

    def play(self, actions: npt.NDArray[np.integer]) -> Outcome:
        """Guess a word of the allowed list in every game."""
        if actions.min(initial=0) < 0:
            raise ValueError(f"an action is outside 0..{len(self.words) - 1}")
        playing = ~self.games.over
        step = self.games.guess(actions)
        return compute_rewards(self._reward, step) * playing, step.won | step.lost

    def action_masks(self, games: Index = ALL) -> npt.NDArray[np.bool_]:
        """Return the words that may be guessed, shape (games, allowed words)."""
        if self._masks_consistent:
            return self.games.consistent(games)
        num_games = len(self.games) if isinstance(games, slice) else len(games)
        return np.ones((num_games, len(self.words)), dtype=np.bool_)

    def secret(self, game: int) -> str:
        """Return the hidden word of one game, or the first that an adversary may still choose."""
        return self.words.allowed[self.games.secrets[game]]

    def _draw(self, mode: str, observation: Observation, secret: str | None) -> Drawing:
        """Draw one game with its guesses."""
        draw = render_rgb_array if mode == "rgb_array" else render_text
        return draw(observation, self.rule, self.words.allowed, secret)


class CatsAndDogsTask(WordGuessTask):
    """N games of Cats and Dogs."""

    variant = CATS_AND_DOGS


class GuessTheWordTask(WordGuessTask):
    """N games of Guess the Word."""

    variant = GUESS_THE_WORD
