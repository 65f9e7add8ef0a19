"""The observation as one vector of zeros and ones."""

import gymnasium as gym
import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks

from hangman_lab.envs.encoding import decode
from hangman_lab.envs.hangman.env import HangmanEnv, HangmanVectorEnv
from hangman_lab.envs.hangman.flat import (
    FlatObservation,
    FlatVectorObservation,
    flat_space,
    flatten,
    unflatten_word,
)
from hangman_lab.envs.hangman.observation import parse_observation, select
from hangman_lab.envs.hangman.sb3 import FlatVecEnv, HangmanVecEnv


def test_it_tells_each_place_the_guessed_letters_and_the_lives():
    (vector,) = flatten(parse_observation("b_", wrong="xy"), max_wrong=6)
    assert vector in flat_space(6)
    places, guessed, lives = np.split(vector, [32 * 28, 32 * 28 + 26])
    # Code 2 is "a", 1 a blank, 0 behind the end.
    assert places.reshape(32, 28).argmax(axis=1).tolist() == [3, 1, *[0] * 30]
    assert places.sum() == 32
    assert decode(unflatten_word(vector)) == "b_"
    assert np.flatnonzero(guessed).tolist() == [1, 23, 24]
    assert np.flatnonzero(lives).tolist() == [4]


def test_the_size_does_not_depend_on_the_words_or_the_number_of_games():
    games = parse_observation("_" * 32)
    (long,), (short,) = flatten(games, 6), flatten(parse_observation("_"), 6)
    assert long.shape == short.shape == flat_space(6).shape
    assert np.array_equal(flatten({key: array[0] for key, array in games.items()}, 6), long)
    assert flatten(select(games, slice(0)), 6).shape == (0, *long.shape)
    # More lives than a policy was trained with count as all that it knows.
    assert np.array_equal(flatten(games | {"lives": np.array([9])}, 6)[0], long)


def test_single_and_batched_environments_give_the_same_vectors(few_words):
    single = FlatObservation(HangmanEnv(few_words, max_wrong=4))
    batch = FlatVectorObservation(HangmanVectorEnv(3, words=few_words, max_wrong=4))
    ours = FlatVecEnv(HangmanVecEnv(3, words=few_words, max_wrong=4))
    ours.seed(5)
    first, (several, _), theirs = single.reset(seed=5)[0], batch.reset(seed=5), ours.reset()
    assert first in single.observation_space
    assert several in batch.observation_space
    assert batch.single_observation_space == single.observation_space == ours.observation_space
    assert np.array_equal(several[0], first)
    assert np.array_equal(several, theirs)
    for letter in range(26):
        one = single.step(letter)[0]
        assert np.array_equal(batch.step(np.full(3, letter))[0][0], one)
        vectors, _, ended, infos = ours.step(np.full(3, letter))
        # The batch for Stable-Baselines3 begins the next game at once.
        last = infos[0]["terminal_observation"] if ended[0] else vectors[0]
        assert np.array_equal(last, one)
        if ended[0]:
            break
    assert ended[0]
    assert np.array_equal(get_action_masks(ours), ours.venv.action_masks())


def test_a_batch_that_begins_the_next_game_in_the_same_step_is_refused(few_words):
    env = gym.make_vec("hangman_lab/Hangman-v0", 2, words=few_words, autoreset_mode="SameStep")
    with pytest.raises(ValueError, match="autoreset_mode"):
        FlatVectorObservation(env)
