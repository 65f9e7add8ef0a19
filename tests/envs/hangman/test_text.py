"""Hangman in words."""

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

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


def test_gymnasium_finds_no_fault():
    with pytest.warns(UserWarning, match="wrapper applied"):
        check_env(TextEnv(HangmanEnv(["noon"])), skip_render_check=True)


@pytest.mark.parametrize("answer", ["", " ", "ee", "é", "3", "the letter e"])
def test_an_answer_that_is_no_letter_is_refused_and_costs_nothing(answer):
    env = TextEnv(HangmanEnv(["noon"]))
    before, _ = env.reset(seed=0)
    with pytest.raises(ValueError, match=r"action: .* is not a letter a to z"):
        env.step(answer)
    assert env.step("n")[0] == before.replace("_ _ _ _", "n _ _ n")
