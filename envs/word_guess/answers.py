"""Answers to a guess, for both games.

The rule is public: agents compute with it. It does not depend on the secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import LETTER_CODES
from hangman_lab.envs.errors import check_integer

# Answer codes have 8 bits; words of 21 letters have 253 pairs of cats and dogs.
MAX_WORD_LENGTH = 21


@dataclass(frozen=True)
class AnswerRule:
    """The answer to a guess and its code; InputError if ``word_length`` is not in 1..21.

    With ``count_misplaced`` the answer is two numbers: cats, the common letters at different
    positions, and dogs, the letters at the correct position. Repeated letters count as often as
    they occur in both words, as in Mastermind. Otherwise the answer is one number, the letters at
    the correct position.

    Each answer has a code from 0 to ``num_codes - 1``, so a matrix of answers takes one byte per
    entry. The secret word itself has the highest code.
    """

    word_length: int
    count_misplaced: bool

    def __post_init__(self) -> None:
        check_integer("word_length", self.word_length, 1, MAX_WORD_LENGTH)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers of an answer, in order."""
        return ("cats", "dogs") if self.count_misplaced else ("matches",)

    @property
    def num_codes(self) -> int:
        """The number of codes."""
        return len(self.answers_by_code)

    @property
    def solved(self) -> int:
        """The code of the answer to the secret word itself."""
        return self.num_codes - 1

    @cached_property
    def answers_by_code(self) -> npt.NDArray[np.int8]:
        """The answer of each code, shape (num_codes, numbers of an answer)."""
        if not self.count_misplaced:
            return np.arange(self.word_length + 1, dtype=np.int8)[:, None]
        totals = range(self.word_length + 1)
        answers = [(common - dogs, dogs) for common in totals for dogs in range(common + 1)]
        return np.array(answers, dtype=np.int8)

    def encode(self, answers: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the codes of answers; the last axis has the numbers of an answer."""
        counts = answers.astype(np.int64)
        if not self.count_misplaced:
            return counts[..., 0]
        cats, dogs = counts[..., 0], counts[..., 1]
        common = cats + dogs
        return common * (common + 1) // 2 + dogs

    def answer(
        self, guesses: npt.NDArray[np.uint8], secrets: npt.NDArray[np.uint8]
    ) -> npt.NDArray[np.uint8]:
        """Return the code of the answer to each guess, given the secret in the same row.

        Words are uint8 codes of :func:`envs.encoding.encode_words`, shape (N, word_length) or
        (1, word_length). The answer codes are uint8, shape (N,).
        """
        dogs = (guesses == secrets).sum(axis=1)
        if not self.count_misplaced:
            return dogs.astype(np.uint8)
        ours, theirs = (
            (words[:, :, None] == LETTER_CODES).sum(axis=1) for words in (guesses, secrets)
        )
        common = np.minimum(ours, theirs).sum(axis=1)
        return self.encode(np.stack([common - dogs, dogs], axis=1)).astype(np.uint8)
