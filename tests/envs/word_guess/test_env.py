import copy
import pickle
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.utils.env_match import check_environments_match
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.word_guess.env import WordGuessEnv
from tests.envs.word_guess.referee import cats_and_dogs

WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


@pytest.mark.parametrize("name", ["CatsAndDogs-v0", "GuessTheWord-v0"])
def test_gymnasium_finds_no_fault_and_games_survive_pickling(name):
    env = gym.make(f"hangman_lab/{name}").unwrapped
    check_env(env, skip_render_check=True)
    check_environments_match(env, pickle.loads(pickle.dumps(env)), num_steps=40)


@given(
    st.lists(st.sampled_from(WORDS), min_size=5, max_size=5),
    st.sampled_from(WORDS),
    st.sampled_from(["sparse", "mistakes"]),
)
def test_a_game_goes_as_a_plain_referee_says(guesses, secret, reward):
    env = WordGuessEnv(WORDS, max_guesses=5, reward=reward)
    observation, info = env.reset(options={"word": secret})
    for turn, guess in enumerate(guesses, 1):
        kept, copied = observation, copy.deepcopy(observation)
        observation, value, terminated, truncated, info = env.step(WORDS.index(guess))
        assert data_equivalence(kept, copied)
        won, lost = guess == secret, guess != secret and turn == 5
        assert value == (won - lost if reward == "sparse" else won - 1)
        assert (terminated, truncated, info["won"]) == (won or lost, False, won)
        assert info["action_mask"].all()
        assert observation["num_guesses"] == turn
        assert [WORDS[index] for index in observation["guesses"][:turn]] == guesses[:turn]
        answers = [cats_and_dogs(earlier, secret) for earlier in guesses[:turn]]
        assert observation["answers"][:turn].tolist() == [list(answer) for answer in answers]
        assert (observation["guesses"][turn:] == -1).all()
        assert (observation["answers"][turn:] == -1).all()
        if terminated:
            break
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("word", ["pigeon", 3])
def test_other_secrets_and_actions_are_refused(word):
    env = WordGuessEnv(WORDS)
    with pytest.raises(InputError, match="is not one of the 8 secret words"):
        env.reset(options={"word": word})
    env.reset(seed=0)
    for action in (-1, 8, 0.5, "a"):
        with pytest.raises(InputError, match=r"action: .* is not an integer in 0\.\.7"):
            env.step(action)


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
    # Of many guesses, the last are drawn.
    env = WordGuessEnv(WORDS, max_guesses=30, render_mode="rgb_array")
    env.reset(options={"word": "neon"})
    pictures = [(env.step(0), env.render())[1][60:] for _ in range(21)]
    assert (pictures[19] != pictures[20]).any()
