import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.hangman.sb3 import HangmanVecEnv


def same(one, other):
    return all(np.array_equal(one[key], other[key]) for key in other)


@pytest.mark.parametrize("limit", [None, 5])
def test_it_answers_as_a_dummy_vec_env_of_single_envs(few_words, limit):
    num_games = 8

    def single():
        env = HangmanEnv(few_words, reward="potential", max_wrong=3)
        return Monitor(env if limit is None else gym.wrappers.TimeLimit(env, limit))

    theirs = DummyVecEnv([single] * num_games)
    ours = HangmanVecEnv(
        num_games, words=few_words, reward="potential", max_wrong=3, max_episode_steps=limit
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    for env in (ours, theirs):
        env.seed(21)
    assert same(ours.reset(), theirs.reset())
    random = np.random.default_rng(0)
    truncations = 0
    for _ in range(200):
        actions = random.integers(26, size=num_games)
        one, other = ours.step(actions), theirs.step(actions)
        assert same(one[0], other[0])
        assert one[1].dtype == np.float32
        assert np.array_equal(one[1], other[1])
        assert np.array_equal(one[2], other[2])
        for game in np.flatnonzero(other[2]):
            mine, reference = one[3][game], other[3][game]
            assert same(mine["terminal_observation"], reference["terminal_observation"])
            assert mine["TimeLimit.truncated"] == reference["TimeLimit.truncated"]
            assert mine["won"] == reference["won"]
            assert mine["episode"]["r"] == pytest.approx(reference["episode"]["r"], abs=1e-6)
            assert mine["episode"]["l"] == reference["episode"]["l"]
            truncations += mine["TimeLimit.truncated"]
        # Unfinished games have an empty info.
        assert not any(one[3][game] for game in np.flatnonzero(~other[2]))
        if limit is None:
            assert np.array_equal(ours.action_masks(), theirs.env_method("action_masks"))
    assert (truncations > 0) == (limit is not None)
    # A seed holds for one reset.
    assert same(ours.reset(), theirs.reset())


def test_a_saved_state_goes_on_with_the_same_games(few_words):
    env = HangmanVecEnv(8, words=few_words, reward="dense")
    env.seed(1)
    env.reset()
    random = np.random.default_rng(0)
    for _ in range(15):
        env.step(random.integers(26, size=8))
    twin = HangmanVecEnv(8, words=few_words, reward="dense")
    state = env.get_state()
    for broken in ({}, state | {"returns": np.zeros(3)}):
        with pytest.raises(ValueError, match="state: 'returns'"):
            twin.set_state(broken)
    twin.set_state(state)
    assert same(env.observe(), twin.observe())
    for _ in range(60):
        actions = random.integers(26, size=8)
        one, other = env.step(actions), twin.step(actions)
        for info in filter(None, [*one[3], *other[3]]):
            del info["episode"]["t"]
        assert data_equivalence(one, other)


def test_words_are_forced_by_the_options_of_stable_baselines(few_words):
    env = HangmanVecEnv(2, words=few_words)
    env.set_options({"word": "noon"})
    assert (env.reset()["word"] == 1).sum(axis=1).tolist() == [4, 4]
    env.seed(0)
    env.set_options([{"word": "ox"}, {}])
    assert (env.reset()["word"][0] == 1).sum() == 2
    assert env.reset_infos[0]["action_mask"].sum() == 26
    assert [info["won"] for info in env.reset_infos] == [False, False]
    env.set_options({"words": "noon"})
    with pytest.raises(ValueError, match="'words' is not one of"):
        env.reset()


def test_the_batch_is_drawn_and_its_games_share_their_attributes(few_words):
    env = HangmanVecEnv(3, words=few_words, render_mode="rgb_array")
    env.reset()
    assert env.get_attr("num_envs", indices=[0, 2]) == [3, 3]
    pictures = [picture.shape for picture in env.get_images() if picture is not None]
    assert pictures == [(400, 640, 3)] * 3
    assert len(env.env_method("action_masks", indices=1)) == 1
    with pytest.raises(AttributeError, match="share"):
        env.set_attr("max_wrong", 3)
