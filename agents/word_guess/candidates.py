"""The secret words that are left after what has been guessed and answered."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

NO_GUESS = -1


class CandidateSets(NamedTuple):
    """Sets of secret words, one after the other."""

    #: shape (sets + 1,): Set ``i`` is ``members[offsets[i]:offsets[i + 1]]``.
    offsets: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]  #: Indices into the secret words, ascending within a set.

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of words in each set."""
        return np.diff(self.offsets)


@njit(cache=True)
def candidate_sets(histories, matrix, keep):
    """Return the :class:`CandidateSets` of the words that each history leaves.

    Neighbouring histories that begin alike share the work on what they have in common, so that
    sorted histories are walked through like a decision tree.

    Parameters
    ----------
    histories : ndarray of int32, shape (H, 2 * turns)
        Guess, answer, guess, answer...: the index of the guess and the code of its answer; a guess
        of -1 tells nothing.
    matrix : ndarray of uint8, shape (guesses, secrets)
        The code of the answer to each guess about each secret.
    keep : ndarray of bool, shape (codes, codes)
        Whether the answer ``a`` leaves a word that would have had the answer ``b``: the identity
        for the words that are consistent.
    """
    num_histories, num_columns = histories.shape
    turns = num_columns // 2
    num_secrets = matrix.shape[1]
    # Of the last history: the words that its first turns leave.
    left = np.empty((turns + 1, num_secrets), dtype=np.int32)
    sizes = np.zeros(turns + 1, dtype=np.int64)
    sizes[0] = num_secrets
    left[0] = np.arange(num_secrets)
    offsets = np.zeros(num_histories + 1, dtype=np.int64)
    members = np.empty(max(1, num_secrets), dtype=np.int32)
    for row in range(num_histories):
        shared = 0
        if row > 0:
            same = histories[row] == histories[row - 1]
            while shared < turns and same[2 * shared] and same[2 * shared + 1]:
                shared += 1
        for turn in range(shared, turns):
            guess, code = histories[row, 2 * turn], histories[row, 2 * turn + 1]
            size = 0
            for secret in left[turn, : sizes[turn]]:
                if guess == NO_GUESS or keep[code, matrix[guess, secret]]:
                    left[turn + 1, size] = secret
                    size += 1
            sizes[turn + 1] = size
        start = offsets[row]
        end = start + sizes[turns]
        if end > len(members):
            longer = np.empty(2 * end, dtype=np.int32)
            longer[:start] = members[:start]
            members = longer
        members[start:end] = left[turns, : sizes[turns]]
        offsets[row + 1] = end
    return CandidateSets(offsets, members[: offsets[num_histories]].copy())
