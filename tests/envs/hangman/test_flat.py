"""The observation as one vector of zeros and ones."""

import numpy as np
from sb3_contrib.common.maskable.utils import get_action_masks

from hangman_lab.envs.encoding import decode
from hangman_lab.envs.hangman.flat import flat_space, flatten, unflatten_word
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.envs.hangman.sb3 import FlatVecEnv, HangmanVecEnv


def test_it_tells_each_place_the_guessed_letters_and_the_lives():
    game = parse_observation("b_", wrong="xy")
    (vector,) = flatten(game, max_wrong=6)
    assert vector in flat_space(6)
    places, guessed, lives = np.split(vector, [32 * 28, 32 * 28 + 26])
    # Code 2 is "a", 1 a blank, 0 behind the end.
    assert places.reshape(32, 28).argmax(axis=1).tolist() == [3, 1, *[0] * 30]
    assert places.sum() == 32
    assert decode(unflatten_word(vector)) == "b_"
    assert np.flatnonzero(guessed).tolist() == [1, 23, 24]
    assert np.flatnonzero(lives).tolist() == [4]
    assert np.array_equal(flatten({key: array[0] for key, array in game.items()}, 6), vector)
    # More lives than a policy was trained with count as all that it knows.
    assert flatten(game | {"lives": np.array([9])}, 6)[0, -1] == 1


def test_a_batch_for_stable_baselines_has_the_vectors_of_its_observations(few_words):
    plain, flat = (HangmanVecEnv(3, words=few_words, max_wrong=4) for _ in range(2))
    flat = FlatVecEnv(flat)
    for env in (plain, flat):
        env.seed(5)
    assert np.array_equal(flat.reset(), flatten(plain.reset(), 4))
    assert flat.observation_space == flat_space(4)
    ends = 0
    for letter in range(26):
        observations, _, ended, infos = plain.step(np.full(3, letter))
        vectors, _, _, flat_infos = flat.step(np.full(3, letter))
        assert np.array_equal(vectors, flatten(observations, 4))
        for game in np.flatnonzero(ended):
            last = flatten(infos[game]["terminal_observation"], 4)
            assert np.array_equal(flat_infos[game]["terminal_observation"], last)
        ends += ended.sum()
    assert ends >= 3
    assert np.array_equal(get_action_masks(flat), plain.action_masks())
