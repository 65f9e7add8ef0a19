"""The difficulty of a word, by one rule that needs no agent and is the same for everybody.

Somebody who guesses letters in the order of how many words have them makes as many wrong guesses
as there are letters before the word's rarest one that are not in the word. The words with the
fewest are easy: few or common letters are missing from them. In the default list *jazz* is hard and
*relation* is easy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from envs.encoding import encode_words
from envs.errors import InputError

DIFFICULTIES = ("easy", "medium", "hard")


def wrong_guesses_by_frequency(words: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the wrong guesses that it takes to uncover each word, shape (words,).

    Letters are guessed in the order of how many of ``words`` have them, the first in the alphabet
    first among equals, without an end at ``max_wrong``.
    """
    has_letter = encode_words(words).letter_counts > 0
    order = np.argsort(-has_letter.sum(axis=0), kind="stable")
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(1, len(order) + 1)
    return np.where(has_letter, turn, 0).max(axis=1) - has_letter.sum(axis=1)


def select_difficulty(words: Sequence[str], difficulty: str) -> tuple[str, ...]:
    """Return the part of the words that has that difficulty.

    The words are sorted by :func:`wrong_guesses_by_frequency`, the longer word first among equals,
    then by the alphabet, and cut into thirds.

    Parameters
    ----------
    words : sequence of str
    difficulty : str
        One of ``DIFFICULTIES``.

    Raises
    ------
    InputError
        If there are fewer than three words.
    """
    if len(words) < len(DIFFICULTIES):
        raise InputError(
            f"--difficulty: {len(words)} words cannot be cut into {', '.join(DIFFICULTIES)}"
        )
    lengths = np.array([len(word) for word in words])
    order = np.lexsort((np.array(words), -lengths, wrong_guesses_by_frequency(words)))
    part = np.array_split(order, len(DIFFICULTIES))[DIFFICULTIES.index(difficulty)]
    return tuple(words[index] for index in np.sort(part))
