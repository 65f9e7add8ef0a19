"""The observation as a vector of zeros and ones, for networks with vector input.

Gymnasium's ``FlattenObservation`` keeps letter codes as integers; here they are one-hot.
"""

from __future__ import annotations

from typing import Any, cast

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorObservationWrapper
from gymnasium.vector.utils import batch_space

from hangman_lab.envs.encoding import MAX_LENGTH, NUM_CODES, NUM_LETTERS
from hangman_lab.envs.hangman.observation import Observation

_CODES = np.eye(NUM_CODES, dtype=np.int8)


def flatten(observations: Observation, max_wrong: int) -> npt.NDArray[np.int8]:
    """Return observations of one game or of N as vectors, int8 of shape (size,) or (N, size).

    A vector has the one-hot codes of 32 positions with 28 entries each, the 26 entries of
    ``guessed``, and the one-hot lives, of which those above ``max_wrong`` count as ``max_wrong``.
    Its size is ``923 + max_wrong`` for any word list.
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


def max_wrong_of(space: spaces.Space[Any]) -> int:
    """Return the maximum number of lives in an observation space."""
    return int(cast(Any, space)["lives"].n) - 1


class FlatObservation(gym.ObservationWrapper):
    """The vector of :func:`flatten` as the observation of ``HangmanEnv``."""

    def __init__(self, env: gym.Env) -> None:
        super().__init__(env)
        self._max_wrong = max_wrong_of(env.observation_space)
        self.observation_space = flat_space(self._max_wrong)

    def observation(self, observation: Any) -> npt.NDArray[np.int8]:
        """Return the vector of an observation, shape (size,)."""
        return flatten(observation, self._max_wrong)


class FlatVectorObservation(VectorObservationWrapper):
    """The vectors of :func:`flatten` as the observations of ``HangmanVectorEnv``.

    Its autoreset mode is ``NEXT_STEP`` or ``DISABLED``; Gymnasium's observation wrappers raise
    ValueError for ``SAME_STEP``.
    """

    def __init__(self, env: VectorEnv) -> None:
        super().__init__(env)
        self._max_wrong = max_wrong_of(env.single_observation_space)
        self.single_observation_space = flat_space(self._max_wrong)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def observations(self, observations: Any) -> npt.NDArray[np.int8]:
        """Return the vectors of a batch of observations, shape (N, size)."""
        return flatten(observations, self._max_wrong)
