import gymnasium as gym
import pytest

from hangman_lab.envs.word_guess.env import WordGuessEnv
from hangman_lab.envs.word_guess.master import Master

WORDS = ("acckzz", "ccbazz", "eiowzz", "abcczz")


def new_master(**options):
    env = WordGuessEnv(WORDS, variant="guess_the_word", **options)
    env.reset(options={"word": "acckzz"})
    return Master(env)


def test_the_problems_example_is_answered_as_it_says():
    master = new_master()
    calls = ("aaaaaa", "acckzz", "ccbazz", "eiowzz", "abcczz")
    assert [master.guess(word) for word in calls] == [-1, 6, 3, 2, 4]
    assert master.calls == 5
    assert master.passed


def test_a_word_that_is_not_in_the_list_costs_a_guess():
    master = new_master(max_guesses=2)
    assert master.guess("zzzzzz") == -1
    assert master.guess("not even a word") == -1
    assert master.guess("acckzz") == 6
    assert not master.passed


def test_too_many_calls_fail():
    master = new_master(max_guesses=2)
    for word in ("acckzz", "ccbazz"):
        master.guess(word)
    assert master.passed
    master.guess("zzzzzz")
    assert not master.passed


def test_it_sits_on_wrappers_too():
    env = gym.make("hangman_lab/GuessTheWord-v0", words=WORDS)
    env.reset(options={"word": "eiowzz"})
    assert Master(env).guess("eiowzz") == 6


def test_another_game_or_none_going_on_is_refused():
    with pytest.raises(gym.error.ResetNeeded):
        Master(WordGuessEnv(WORDS, variant="guess_the_word"))
    with pytest.raises(TypeError, match="is not a game of guess_the_word"):
        Master(WordGuessEnv(["bell"]))
