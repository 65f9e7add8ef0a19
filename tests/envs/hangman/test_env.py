"""A single environment and its game on plain strings, compared with the rules in plain Python."""

import pickle
import warnings
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match
from hypothesis import given
from hypothesis import strategies as st
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

from hangman_lab.envs.encoding import ALPHABET, decode, encode_words, letter_index
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.games import HangmanGames
from hangman_lab.envs.hangman.rules import Rules
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
    game = env.unwrapped
    check_environments_match(game, pickle.loads(pickle.dumps(game)), num_steps=40)


def test_gym_makes_the_env_with_the_default_list():
    env = gym.make("hangman_lab/Hangman-v0")
    assert isinstance(env.unwrapped, HangmanEnv)
    assert env.observation_space == spaces.Dict(
        word=spaces.MultiDiscrete([28] * max(map(len, default_word_list().words)), np.int16),
        guessed=spaces.Box(0, 1, (26,), np.int8),
        lives=spaces.Discrete(7),
    )


@given(
    st.text(ALPHABET, min_size=1, max_size=32),
    st.integers(1, 26),
    st.sampled_from(["life", "free"]),
    st.lists(st.integers(0, 25), max_size=40),
)
def test_games_go_by_the_rules(secret, max_wrong, rule, letters):
    """Of the environment, and of the server, which stores the guesses alone."""
    rules = Rules(max_wrong, rule)
    game, referee = Game(secret, rules), Referee(secret, max_wrong, rule)
    env = HangmanEnv([secret, "a" * 32], max_wrong=max_wrong, repeated_guess=rule, reward="dense")
    (observation, info), guesses = env.reset(options={"word": secret}), ""
    for letter in letters:
        guessed = [letter in referee.guessed for letter in ALPHABET]
        assert decode(observation["word"]) == game.word == referee.shown
        assert observation["guessed"].tolist() == guessed
        assert observation["lives"] == game.lives == referee.lives
        assert [part.dtype for part in observation.values()] == [np.int16, np.int8, np.int64]
        assert env.observation_space.contains(observation)
        for mask, dtype in ((info["action_mask"], np.int8), (env.action_masks(), np.bool_)):
            assert mask.dtype == dtype
            assert mask.tolist() == [not each for each in guessed]
        assert info["won"] is np.bool_(referee.won)
        assert game.observations["lives"] == referee.lives
        assert (game.won, game.over) == (referee.won, referee.over)
        assert (game.guesses, {*game.wrong_letters}) == (guesses, {*guesses} - {*secret})
        if rule == "free":
            assert vars(Game(secret, rules, game.guesses)) == vars(game)
        if referee.over:
            assert game.guess(letter) == 0
            with pytest.raises(ResetNeeded):
                env.step(letter)
            continue
        guesses += ALPHABET[letter] * (ALPHABET[letter] not in guesses)
        uncovered, is_lost = referee.guess(ALPHABET[letter])
        assert game.guess(letter) == uncovered
        observation, paid, terminated, truncated, info = env.step(letter)
        ending = referee.won - referee.lost
        assert paid == pytest.approx(0.1 * uncovered - 0.2 * is_lost + ending, abs=1e-12)
        assert (terminated, truncated) == (referee.over, False)


def test_guesses_in_finished_games_of_a_batch_have_no_result():
    games = HangmanGames(2, 2, Rules(1))
    games.start(slice(None), encode_words(["a", "bb"], 2))
    result = games.guess(np.zeros(2, np.int64))
    assert (result.won.tolist(), result.lost.tolist()) == ([True, False], [False, True])
    result = games.guess(np.ones(2, np.int64))
    assert not (result.won | result.lost | result.lost_life | (result.newly_shown > 0)).any()
    assert [decode(word) for word in games.observe()["word"]] == ["a", "__"]


def test_an_option_that_cannot_be_used_is_refused(few_words):
    env = HangmanEnv(few_words)
    for options, message in (
        ({"word": 3}, "options: 3 is not a word"),
        ({"word": "z" * 17}, "not a word of 1 to 16 letters"),
        ({"wrod": "apple"}, r"options: 'wrod' is not one of \('word',\)"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(options=options)


def test_the_terminal_shows_each_step_after_a_reset(capsys):
    env = HangmanEnv(["noon"], render_mode="human")
    for call in (env.render, partial(env.step, 0), lambda: env.secret):
        with pytest.raises(ResetNeeded):
            call()
    env.reset(seed=0)
    assert "_ _ _ _" in capsys.readouterr().out
    env.step(letter_index("n"))
    assert "n _ _ n" in capsys.readouterr().out
    assert env.render() is None
