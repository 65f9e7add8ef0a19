"""The observation as a vector of zeros and ones, for networks with vector input."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hangman_lab.envs.encoding import MAX_LENGTH, NUM_CODES, NUM_LETTERS
from hangman_lab.envs.hangman.observation import Observation

_CODES = np.eye(NUM_CODES, dtype=np.int8)


def flatten(observations: Observation, max_wrong: int) -> npt.NDArray[np.int8]:
    """Return observations of one game or of N as vectors, int8 of shape (size,) or (N, size).

    A vector has the one-hot codes of 32 positions with 28 entries each, the 26 entries of
    ``guessed``, and the one-hot lives, of which those above ``max_wrong`` count as ``max_wrong``.
    Its size is ``923 + max_wrong`` for any word list. Gymnasium's ``FlattenObservation`` keeps the
    codes of a word as integers.
    """
    word = observations["word"]
    word = np.pad(word, [(0, 0)] * (word.ndim - 1) + [(0, MAX_LENGTH - word.shape[-1])])
    places = _CODES[word].reshape(*word.shape[:-1], MAX_LENGTH * NUM_CODES)
    lives = np.eye(max_wrong + 1, dtype=np.int8)[np.minimum(observations["lives"], max_wrong)]
    return np.concatenate([places, observations["guessed"], lives], axis=-1, dtype=np.int8)


def unflatten_word(vector: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Return the codes of the word in a vector, shape (32,)."""
    return vector[: MAX_LENGTH * NUM_CODES].reshape(MAX_LENGTH, NUM_CODES).argmax(axis=1)


def flat_space(max_wrong: int) -> spaces.MultiBinary:
    """Return the space of one game's vector."""
    return spaces.MultiBinary(MAX_LENGTH * NUM_CODES + NUM_LETTERS + max_wrong + 1)
