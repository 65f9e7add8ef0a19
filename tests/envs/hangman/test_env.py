import warnings
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

from hangman_lab.envs.encoding import ALPHABET, decode, letter_index
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.words import default_word_list
from tests.envs.hangman.referee import Referee

VARIANTS = [
    {},
    {"max_wrong": 1, "render_mode": "rgb_array"},
    {"max_wrong": 26, "repeated_guess": "free", "reward": "dense"},
    {"reward": "potential", "min_length": 3, "max_length": 6},
    {"host": "evil"},
]


@pytest.mark.parametrize("options", VARIANTS)
def test_the_checkers_of_gymnasium_and_stable_baselines_are_content(few_words, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("hangman_lab/Hangman-v0", words=few_words, **options)
        check_env(env.unwrapped, skip_render_check="render_mode" not in options)
        check_env_for_sb3(env.unwrapped, warn=True)


def test_gym_makes_the_env_with_the_default_list_and_its_options():
    env = gym.make("hangman_lab/Hangman-v0")
    assert isinstance(env.unwrapped, HangmanEnv)
    assert env.observation_space == spaces.Dict(
        word=spaces.MultiDiscrete([28] * max(map(len, default_word_list().words)), np.int16),
        guessed=spaces.Box(0, 1, (26,), np.int8),
        lives=spaces.Discrete(7),
    )
    shorter = gym.make("hangman_lab/Hangman-v0", min_length=4, max_length=5, max_wrong=3)
    game: Any = shorter.unwrapped
    assert game.observation_space["word"].shape == (5,)
    for seed in range(20):
        shorter.reset(seed=seed)
        assert 4 <= len(game.secret) <= 5


@pytest.mark.parametrize("rule", ["life", "free"])
def test_single_games_agree_with_the_referee(few_words, rule):
    random = np.random.default_rng(1)
    env = HangmanEnv(few_words, reward="dense", repeated_guess=rule, max_wrong=5)
    observation, info = env.reset(seed=7)
    for _ in range(400):
        referee = Referee(env.secret, 5, rule)
        while True:
            guessed = [letter in referee.guessed for letter in ALPHABET]
            assert decode(observation["word"]) == referee.shown
            assert observation["guessed"].tolist() == guessed
            assert observation["lives"] == referee.lives
            assert [part.dtype for part in observation.values()] == [np.int16, np.int8, np.int64]
            assert env.observation_space.contains(observation)
            for mask, dtype in ((info["action_mask"], np.int8), (env.action_masks(), np.bool_)):
                assert mask.dtype == dtype
                assert mask.tolist() == [not each for each in guessed]
            assert info["won"] is np.bool_(referee.won)
            if referee.over:
                break
            # Letters are drawn from all 26, so that guesses repeat.
            action = int(random.integers(26))
            observation, paid, terminated, truncated, info = env.step(action)
            uncovered, is_lost = referee.guess(ALPHABET[action])
            ending = referee.won - referee.lost
            assert paid == pytest.approx(0.1 * uncovered - 0.2 * is_lost + ending, abs=1e-12)
            assert (terminated, truncated) == (referee.over, False)
        with pytest.raises(ResetNeeded):
            env.step(0)
        observation, info = env.reset()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"word": 3}, "options: 3 is not a word"),
        ({"word": "z" * 17}, "not a word of 1 to 16 letters"),
        ({"wrod": "apple"}, r"options: 'wrod' is not one of \('word',\)"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused(few_words, options, message):
    env = HangmanEnv(few_words)
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)


def test_the_terminal_shows_each_step_after_a_reset(capsys):
    env = HangmanEnv(["noon"], render_mode="human")
    for call in (env.render, partial(env.step, 0)):
        with pytest.raises(ResetNeeded):
            call()
    env.reset(seed=0)
    assert "_ _ _ _" in capsys.readouterr().out
    env.step(letter_index("n"))
    assert "n _ _ n" in capsys.readouterr().out
    assert env.render() is None
