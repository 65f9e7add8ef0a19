"""The two games, their defaults, and what the single and the batched environments make of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from envs.word_guess.answers import AnswerRule
from envs.word_guess.rewards import check_reward
from envs.word_guess.rules import MASKS, OPPONENTS, WordGuessGames
from envs.word_guess.words import GuessWords, default_words, random_words


@dataclass(frozen=True)
class Variant:
    """One of the two games.

    Attributes
    ----------
    env_id : str
        Its id in Gymnasium's registry.
    count_misplaced : bool
        Whether the answer counts letters at the wrong place, as :class:`AnswerRule` has it.
    word_length, max_guesses : int
        The defaults.
    default_words : callable
        Returns the secrets of the given length where the user gives none.
    """

    env_id: str
    count_misplaced: bool
    word_length: int
    max_guesses: int
    default_words: Callable[[int], tuple[str, ...]]


def _hundred_random_words(word_length: int) -> tuple[str, ...]:
    return random_words(100, word_length)


CATS_AND_DOGS = Variant("CatsAndDogs-v0", True, 4, 128, default_words)
GUESS_THE_WORD = Variant("GuessTheWord-v0", False, 6, 10, _hundred_random_words)
VARIANTS = {variant.env_id: variant for variant in (CATS_AND_DOGS, GUESS_THE_WORD)}


class GameOptions:
    """The checked arguments of an environment.

    Parameters
    ----------
    variant : Variant
    words, allowed, word_length, max_guesses, opponent, mask, reward
        As the environments document them; None stands for the variant's default.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """

    def __init__(
        self,
        variant: Variant,
        words: Sequence[str] | None = None,
        allowed: Sequence[str] | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
        opponent: str = "random",
        mask: str = "all",
        reward: str = "sparse",
    ) -> None:
        if opponent not in OPPONENTS:
            raise ValueError(f"opponent: {opponent!r} is not one of {OPPONENTS}")
        if mask not in MASKS:
            raise ValueError(f"mask: {mask!r} is not one of {MASKS}")
        self.reward = check_reward(reward)
        self.opponent = opponent
        self.mask = mask
        self.max_guesses = variant.max_guesses if max_guesses is None else max_guesses
        word_length = variant.word_length if word_length is None else word_length
        self.rule = AnswerRule(word_length, variant.count_misplaced)
        if words is None:
            words = variant.default_words(word_length)
        self.words = GuessWords(words, allowed, word_length)

    def make_games(self, num_games: int) -> WordGuessGames:
        """Return games that have not begun."""
        track_consistent = self.opponent == "adversary" or self.mask == "consistent"
        return WordGuessGames(num_games, self.rule, self.words, self.max_guesses, track_consistent)

    def secrets(
        self,
        streams: npt.NDArray[np.uint64],
        episodes: npt.NDArray[np.int64],
        forced: Sequence[str] | None,
    ) -> npt.NDArray[np.int64] | None:
        """Return the secrets of new games: the forced, none for an adversary, or drawn ones."""
        if forced is not None:
            return self.words.find_secrets(forced)
        return None if self.opponent == "adversary" else self.words.draw(streams, episodes)

    def action_mask(
        self, games: WordGuessGames, index: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int8]:
        """Return the masks of some games (all by default), shape (games, allowed words)."""
        if self.mask == "consistent":
            return games.consistent(index).view(np.int8)
        num_games = len(games) if index is None else len(index)
        return np.ones((num_games, len(self.words)), dtype=np.int8)
