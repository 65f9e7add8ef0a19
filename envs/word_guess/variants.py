"""The two games and their defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from envs.word_guess.words import default_words, random_words


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
