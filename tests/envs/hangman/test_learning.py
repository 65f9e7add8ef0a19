"""The host who learns by policy gradient."""

import numpy as np
import pytest

from hangman_lab.envs.hangman.env import HangmanEnv, HangmanVectorEnv

WORDS = ("aa", "ab", "bb", "cc")


def batch(num_envs=64):
    env = HangmanVectorEnv(
        num_envs, words=WORDS, host="learning", max_wrong=1, autoreset_mode="SameStep"
    )
    env.reset(seed=0)
    return env


def guess(env, letter, steps=1):
    """Guess the same letter in all games; return the games that ended as won or lost."""
    ended = won = 0
    for _ in range(steps):
        _, _, terminated, _, infos = env.step(np.full(env.num_envs, letter))
        ended += terminated.sum()
        won += infos["final_info"]["won"].sum() if terminated.any() else 0
    return won, ended


def logits(env):
    return env.get_state()["games"]["logits"]


def test_the_host_comes_to_draw_the_words_that_are_lost():
    env = batch()
    won, ended = guess(env, 0, steps=20)
    assert won / ended > 0.1
    guess(env, 0, steps=400)
    late_won, late_ended = guess(env, 0, steps=20)
    assert late_won / late_ended < 0.02
    chances = np.exp(logits(env))
    # In the order of WORDS: "aa" is won, and "ab" continues, then is lost by the repeated letter.
    assert chances[0] == chances.min()
    assert chances[0] < 0.1 * chances[1:].min()


def test_an_update_is_the_gradient_of_the_expected_reward():
    env = batch(256)
    secrets = [env._games.secret(game) for game in range(256)]
    baseline = env.get_state()["games"]["_baseline"][0]
    guess(env, 0)
    # "ab" is not over; the other games are, "aa" as the only one that is won.
    expected = np.zeros(4)
    for word in secrets:
        if word != "ab":
            advantage = (word != "aa") - baseline
            expected += advantage * (np.array(WORDS) == word) - advantage * 0.25
    rates = logits(env) / expected
    np.testing.assert_allclose(rates, rates[0])
    assert rates[0] > 0


def test_a_restored_host_draws_as_the_saved_one():
    env, other = batch(), batch()
    guess(env, 0, steps=50)
    other.set_state(env.get_state())
    assert guess(env, 0, steps=20) == guess(other, 0, steps=20)
    np.testing.assert_array_equal(logits(env), logits(other))
    assert logits(env).any()


def test_a_single_environment_has_a_host_of_its_own():
    env = HangmanEnv(WORDS, host="learning", max_wrong=1)
    env.reset(seed=0)
    secrets = []
    for _ in range(2000):
        secrets.append(env.secret)
        if not env.step(0)[2]:
            env.step(25)
        env.reset()
    assert secrets[:200].count("aa") > 5 * secrets[-200:].count("aa")


def test_no_word_can_be_set():
    with pytest.raises(ValueError, match="the word is the host's choice"):
        HangmanEnv(WORDS, host="learning").reset(options={"word": "aa"})
