from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from hangman_lab.envs.word_guess.env import WordGuessEnv
from tests.envs.word_guess.referee import cats_and_dogs

IDS = ("hangman_lab/CatsAndDogs-v0", "hangman_lab/GuessTheWord-v0")
WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_finds_no_fault(env_id):
    check_env(gym.make(env_id).unwrapped, skip_render_check=True)


@pytest.mark.parametrize(
    ("reward", "expected"), [("sparse", [0.0, 0.0, 1.0]), ("mistakes", [-1.0, -1.0, 0.0])]
)
def test_a_forced_secret_is_found(reward, expected):
    env = WordGuessEnv(WORDS, reward=reward)
    env.reset(seed=1, options={"word": "neon"})
    rewards = []
    for word in ("cold", "noon", "neon"):
        observation, value, terminated, truncated, info = env.step(WORDS.index(word))
        turn = observation["num_guesses"] - 1
        assert tuple(observation["answers"][turn]) == cats_and_dogs(word, "neon")
        assert not truncated
        rewards.append(value)
    assert rewards == expected
    assert terminated
    assert info["won"]
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("word", ["pigeon", 3])
def test_a_forced_word_that_is_no_secret_is_refused(word):
    with pytest.raises(ValueError, match="is not one of the 8 secret words"):
        WordGuessEnv(WORDS).reset(options={"word": word})


def test_guesses_answers_and_the_end_are_drawn(capsys):
    env: Any = WordGuessEnv(WORDS, max_guesses=2, render_mode="ansi")
    env.reset(options={"word": "neon"})
    env.step(WORDS.index("noon"))
    assert "1  noon  cats 0  dogs 3" in env.render()
    assert "neon" not in env.render()
    assert env.step(WORDS.index("onto"))[1:3] == (-1.0, True)
    assert env.render().endswith("lost; the word was neon")

    env = WordGuessEnv(["acckzz", "ccbazz"], variant="guess_the_word", render_mode="human")
    env.reset(options={"word": "acckzz"})
    env.step(0)
    assert "matches 6\nwon" in capsys.readouterr().out

    env.render_mode = "rgb_array"
    after = env.render()
    assert after.shape == (480, 640, 3)
    env.reset()
    assert (after != env.render()).any()
