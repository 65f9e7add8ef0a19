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


@pytest.mark.parametrize(
    ("calls", "matches", "passed"),
    [
        # A word that is not in the list costs a guess, too.
        (("zzzzzz", "not even a word", "acckzz"), [-1, -1, 6], False),
        (("acckzz", "ccbazz", "zzzzzz"), [6, 3, -1], False),
    ],
)
def test_too_many_calls_fail(calls, matches, passed):
    master = new_master(max_guesses=2)
    assert [master.guess(word) for word in calls] == matches
    assert master.passed == passed


def test_it_sits_on_wrappers_too():
    env = gym.make("hangman_lab/GuessTheWord-v0", words=WORDS)
    env.reset(options={"word": "eiowzz"})
    assert Master(env).guess("eiowzz") == 6


def test_another_game_or_none_going_on_is_refused():
    with pytest.raises(gym.error.ResetNeeded):
        Master(WordGuessEnv(WORDS, variant="guess_the_word"))
    with pytest.raises(TypeError, match="is not a game of guess_the_word"):
        Master(WordGuessEnv(["bell"]))
