"""Hangman in words."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.hangman.text import TextEnv


def test_a_game_is_read_and_played_as_text():
    env = TextEnv(gym.make("hangman_lab/Hangman-v0"))
    text, info = env.reset(seed=0, options={"word": "noon"})
    assert text == "word: _ _ _ _, wrong letters: none, lives: 6"
    assert text in env.observation_space
    assert info["action_mask"].all()
    assert env.step(" E\n")[0] == "word: _ _ _ _, wrong letters: e, lives: 5"
    assert env.step("a")[0] == "word: _ _ _ _, wrong letters: a e, lives: 4"
    assert env.step("n")[:2] == ("word: n _ _ n, wrong letters: a e, lives: 4", 0.0)
    text, reward, terminated, truncated, info = env.step("O")
    assert text == "word: n o o n, wrong letters: a e, lives: 4"
    assert (reward, terminated, truncated, info["won"]) == (1.0, True, False, True)


@pytest.mark.parametrize("answer", ["", " ", "ee", "é", "3", "the letter e"])
def test_an_answer_that_is_no_letter_is_refused_and_costs_nothing(answer):
    env = TextEnv(HangmanEnv(["noon"]))
    before, _ = env.reset(seed=0)
    with pytest.raises(ValueError, match=r"action: .* is not a letter a to z"):
        env.step(answer)
    assert env.step("n")[0] == before.replace("_ _ _ _", "n _ _ n")


def test_it_plays_the_games_of_the_wrapped_environment(few_words):
    text, plain = (HangmanEnv(few_words, max_wrong=26) for _ in range(2))
    text = TextEnv(text)
    with pytest.warns(UserWarning, match="wrapper applied"):
        check_env(text, skip_render_check=True)
    random = np.random.default_rng(0)
    for seed in range(10):
        seen, _ = text.reset(seed=seed)
        plain.reset(seed=seed)
        terminated = False
        while not terminated:
            letter = ALPHABET[random.integers(26)]
            seen, *ours = text.step(letter)
            _, *theirs = plain.step(letter_index(letter))
            terminated = theirs[1]
            assert ours[:3] == theirs[:3]
            assert seen in text.observation_space
