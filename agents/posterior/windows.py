"""A letter posterior from hashed windows around each blank."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from agents.base import PosteriorAgent, ScoringAgent
from agents.posterior.kernels import (
    LANES,
    MAX_REACH,
    NUM_EXTRA_ROWS,
    NUM_LENGTH_ROWS,
    PLACE_NUMBERS,
    WINDOW_NUMBERS,
    blank_probabilities,
    empty_table,
    find_absent,
    find_blanks,
    window_rows,
)
from envs.encoding import MAX_LENGTH, NUM_LETTERS
from envs.hangman.observation import Observation

# Row ids of one blank: its windows, the length and the absent letters.
MAX_ROWS = (MAX_REACH + 1) * (MAX_REACH + 2) // 2 + 1 + NUM_LETTERS
MAX_ROWS_LOG2 = 26
# Levels of a logit in a file: -7 to 7, stored as 1 to 15.
_INT4_MAX = 7
_INT4_ZERO = 8
# 11 MB. Of 1.2 million rows that were used, these kept all but 0.3 points of the windows' win rate,
# and all of the mixture's; see docs/experiments.md.
_MAX_SAVED_ROWS = 2**19


class LetterPosterior(NamedTuple):
    """What is believed about the hidden letters of N games; arrays of float32, shape (N, 26).

    Attributes
    ----------
    present : ndarray
        The probability that the letter stands behind at least one blank.
    expected : ndarray
        The expected number of blanks that hide the letter.
    highest : ndarray
        The probability of the letter at the blank where it is likeliest.
    by_ngrams : ndarray, optional
        What an n-gram model alone says of ``present``, where one is part of the posterior.
    """

    present: npt.NDArray[np.float32]
    expected: npt.NDArray[np.float32]
    highest: npt.NDArray[np.float32]
    by_ngrams: npt.NDArray[np.float64] | None = None


class WindowPosterior(ScoringAgent, PosteriorAgent):
    """Predicts the letter behind each blank from the windows around it, and guesses greedily.

    Each contiguous window around a blank, of letters, blanks and word boundaries as they are seen,
    is hashed to a row of 26 logits; the rows of all windows of a blank, of the word's length and
    of the absent letters are added, and a softmax over the letters that have not been guessed
    gives the blank's letter. Blanks are taken as independent: a letter is present with
    ``1 - prod(1 - q)`` over the blanks.

    It is learned by ``training.warm_start``, not by ``fit``.

    Parameters
    ----------
    reach : int
        Places that a window extends from the blank, left and right together, 0 to 12.
    rows_log2 : int
        The table has ``2 ** rows_log2`` hashed rows; 1 to 26.

    Attributes
    ----------
    table : ndarray of float32, shape (2 ** rows_log2 + 59, 32)
        26 logits a row; lane 26 belongs to the learner. The last rows are those of the lengths
        and of the absent letters.

    References
    ----------
    Hashed features: Weinberger et al., "Feature hashing for large scale multitask learning",
    ICML 2009.
    """

    uses_lives = False

    def __init__(self, reach: int = 5, rows_log2: int = 21) -> None:
        super().__init__(greedy=True)
        if not 0 <= reach <= MAX_REACH:
            raise ValueError(f"reach: {reach} is not in 0..{MAX_REACH}")
        if not 1 <= rows_log2 <= MAX_ROWS_LOG2:
            raise ValueError(f"rows_log2: {rows_log2} is not in 1..{MAX_ROWS_LOG2}")
        self.reach = reach
        self.rows_log2 = rows_log2
        self.table = empty_table(2**rows_log2 + NUM_EXTRA_ROWS)

    @property
    def shift(self) -> np.uint64:
        """The right shift that turns a 64-bit hash into a row."""
        return np.uint64(64 - self.rows_log2)

    def posterior(self, observations: Observation) -> LetterPosterior:
        """Return the posterior of N games."""
        shape = (len(observations["lives"]), NUM_LETTERS)
        posterior = LetterPosterior(*(np.zeros(shape, dtype=np.float32) for _ in range(3)))
        _predict(
            observations["word"],
            observations["guessed"],
            self.table,
            self.reach,
            self.shift,
            PLACE_NUMBERS,
            WINDOW_NUMBERS,
            posterior.present,
            posterior.expected,
            posterior.highest,
        )
        return posterior

    def letter_probabilities(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the probability that each letter stands behind a blank, shape (N, 26)."""
        return self.posterior(observations).present.astype(np.float64)

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the letter probabilities, shape (N, 26)."""
        return self.letter_probabilities(observations)

    def to_tensors(self) -> dict[str, npt.NDArray]:
        """Return the model as small arrays: 4 bits a logit, two logits a byte, and a scale a row.

        Of the rows that are used, those with the largest sums of squares are kept.
        """
        logits = self.table[:, :NUM_LETTERS]
        squares = np.square(logits).sum(axis=1)
        most = min(_MAX_SAVED_ROWS, int(np.count_nonzero(squares)))
        kept = np.sort(np.argsort(-squares, kind="stable")[:most]).astype(np.int32)
        scales = np.abs(logits[kept]).max(axis=1) / _INT4_MAX
        levels = (np.rint(logits[kept] / scales[:, None]) + _INT4_ZERO).astype(np.uint8)
        return {
            "reach": np.array(self.reach),
            "rows_log2": np.array(self.rows_log2),
            "rows": kept,
            "scales": scales.astype(np.float32),
            "logits": levels[:, ::2] << 4 | levels[:, 1::2],
        }

    @classmethod
    def from_tensors(cls, tensors: dict[str, npt.NDArray]) -> Self:
        """Return the model that :meth:`to_tensors` described.

        Raises
        ------
        KeyError, TypeError, ValueError, IndexError
            If the arrays are not those of such a model.
        """
        model = cls(int(tensors["reach"]), int(tensors["rows_log2"]))
        packed = tensors["logits"]
        levels = np.stack([packed >> 4, packed & 15], axis=2).reshape(-1, NUM_LETTERS)
        model.table[tensors["rows"], :NUM_LETTERS] = (
            levels.astype(np.float32) - _INT4_ZERO
        ) * tensors["scales"][:, None]
        return model


@njit(cache=True, parallel=True)
def _predict(  # noqa: ANN202
    word,  # noqa: ANN001
    guessed,  # noqa: ANN001
    table,  # noqa: ANN001
    reach,  # noqa: ANN001
    shift,  # noqa: ANN001
    place_numbers,  # noqa: ANN001
    window_numbers,  # noqa: ANN001
    present,  # noqa: ANN001
    expected,  # noqa: ANN001
    highest,  # noqa: ANN001
):
    num_games = len(word)
    num_blocks = min(64, num_games)
    first_extra_row = len(table) - NUM_EXTRA_ROWS
    for block in prange(num_blocks):
        blanks = np.empty(MAX_LENGTH, dtype=np.int64)
        absent = np.empty(NUM_LETTERS, dtype=np.int64)
        rows = np.empty(MAX_ROWS, dtype=np.int64)
        sizes = np.empty(MAX_ROWS, dtype=np.int64)
        probabilities = np.empty(LANES, dtype=np.float32)
        start = block * num_games // num_blocks
        stop = (block + 1) * num_games // num_blocks
        for game in range(start, stop):
            num_blanks, length = find_blanks(word[game], blanks)
            num_absent = find_absent(word[game], guessed[game], absent)
            missing = np.ones(NUM_LETTERS, dtype=np.float32)
            for number in range(num_blanks):
                count = window_rows(
                    word[game],
                    blanks[number],
                    length,
                    reach,
                    shift,
                    place_numbers,
                    window_numbers,
                    rows,
                    sizes,
                )
                rows[count] = first_extra_row + length
                count += 1
                for letter in range(num_absent):
                    rows[count] = first_extra_row + NUM_LENGTH_ROWS + absent[letter]
                    count += 1
                blank_probabilities(table, rows, count, guessed[game], probabilities)
                for letter in range(NUM_LETTERS):
                    probability = probabilities[letter]
                    missing[letter] *= np.float32(1) - probability
                    expected[game, letter] += probability
                    highest[game, letter] = max(highest[game, letter], probability)
            for letter in range(NUM_LETTERS):
                present[game, letter] = np.float32(1) - missing[letter]
