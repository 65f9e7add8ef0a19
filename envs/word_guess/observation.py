"""The observation of the games in which a word is guessed: its encoding and its space."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from envs.word_guess.answers import AnswerRule

NO_WORD = -1
NO_ANSWER = -1


class Observation(TypedDict):
    """What a player sees: of one game, or of N games with a first axis of games.

    Attributes
    ----------
    guesses : ndarray of int32, shape (max_guesses,)
        The words that were guessed, in order, as indices into the allowed list; -1 from
        ``num_guesses`` on, and for a guess that is not in the list.
    answers : ndarray of int8, shape (max_guesses, numbers of an answer)
        What each guess was told: cats and dogs, or the matches; -1 where ``guesses`` has -1.
    num_guesses : int64
        The number of guesses made, 0 to ``max_guesses``.
    """

    guesses: npt.NDArray[np.int32]
    answers: npt.NDArray[np.int8]
    num_guesses: npt.NDArray[np.int64]


def observation_space(rule: AnswerRule, num_allowed: int, max_guesses: int) -> spaces.Dict:
    """Return the space of one game's observation."""
    return spaces.Dict(
        {
            "guesses": spaces.Box(NO_WORD, num_allowed - 1, (max_guesses,), np.int32),
            "answers": spaces.Box(
                NO_ANSWER, rule.word_length, (max_guesses, len(rule.names)), np.int8
            ),
            "num_guesses": spaces.Discrete(max_guesses + 1),
        }
    )
