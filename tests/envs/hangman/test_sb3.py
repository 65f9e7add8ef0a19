import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.wrappers import TimeLimit
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from hangman_lab.envs import HangmanEnv, HangmanVecEnv
from hangman_lab.envs.rewards import HANGMAN_REWARDS

NUM_GAMES = 8


def both(words, limit=None, **options):
    """Our batch, and Stable-Baselines3's of monitored single environments."""

    def single():
        env = HangmanEnv(words, **options)
        return Monitor(env if limit is None else TimeLimit(env, limit))

    ours = HangmanVecEnv(NUM_GAMES, limit, words=words, **options)
    return ours, DummyVecEnv([single] * NUM_GAMES)


def without_time(infos):
    """Infos without the seconds since the start, and the numbers of episodes."""
    kept = copy.deepcopy(infos)
    for info in kept:
        if "episode" in info:
            assert info["episode"].pop("t") >= 0
    return kept


def same(one, other):
    return data_equivalence(dict(one), dict(other), exact=True)


@pytest.mark.parametrize("repeated_guess", ["life", "free"])
@pytest.mark.parametrize("limit", [None, 7])
@pytest.mark.parametrize("reward", HANGMAN_REWARDS)
def test_it_equals_a_dummy_vec_env_of_monitored_games(few_words, reward, limit, repeated_guess):
    options = {"reward": reward, "max_wrong": 3, "repeated_guess": repeated_guess}
    options["host"] = "evil" if reward == "potential" else "random"
    ours, theirs = both(few_words, limit, **options)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    for env in (ours, theirs):
        env.seed(21)
    assert same(ours.reset(), theirs.reset())
    random = np.random.default_rng(0)
    truncations = 0
    for _ in range(10_000 // NUM_GAMES):
        actions = random.integers(26, size=NUM_GAMES)
        one, other = ours.step(actions), theirs.step(actions)
        assert same(one[0], other[0])
        for array, expected in zip(one[1:3], other[1:3], strict=True):
            assert array.dtype == expected.dtype
            assert np.array_equal(array, expected)
        infos = without_time(one[3])
        assert data_equivalence(infos, without_time(other[3]), exact=True)
        assert data_equivalence(ours.reset_infos, theirs.reset_infos, exact=True)
        assert data_equivalence(
            ours.env_method("action_masks"), theirs.env_method("action_masks"), exact=True
        )
        truncations += sum(info["TimeLimit.truncated"] for info in infos)
        # Infos are dicts of their own, which a user may change.
        one[3][0]["x"] = 1
    assert (truncations > 0) == (limit is not None)
    if options["host"] == "random":
        for env in (ours, theirs):
            env.set_options([{"word": "noon"}, {"word": "ox"}, {}, {"word": None}] * 2)
    # Seeds and options hold for one reset.
    for _ in range(2):
        assert same(ours.reset(), theirs.reset())
        assert ours.get_attr("secret") == theirs.get_attr("secret")


@pytest.mark.parametrize(
    "chosen", [None, 3, [1], [2, 0], range(4, 6), np.array([7]), [-1], [], [5, 5]]
)
def test_games_reset_one_by_one_as_those_of_a_dummy_vec_env(few_words, chosen):
    envs = both(few_words, reward="dense")
    for env in envs:
        env.seed(4)
        env.reset()
    random = np.random.default_rng(1)
    for _ in range(30):
        for _ in range(3):
            actions = random.integers(26, size=NUM_GAMES)
            infos = [without_time(env.step(actions)[3]) for env in envs]
            assert data_equivalence(*infos, exact=True)
        for arguments in ({}, {"seed": 5}, {"seed": 6, "options": {"word": "noon"}}):
            resets = [env.env_method("reset", indices=chosen, **arguments) for env in envs]
            assert data_equivalence(*resets, exact=True)
            for method in ("get_attr", "env_method"):
                name = "secret" if method == "get_attr" else "action_masks"
                values = [getattr(env, method)(name, indices=chosen) for env in envs]
                assert data_equivalence(*values, exact=True)


def test_a_reset_that_is_refused_changes_no_game(few_words):
    env = HangmanVecEnv(2, words=few_words)
    env.seed(0)
    env.reset()
    env.step(np.array([0, 1]))
    before = env.get_state()
    for indices, arguments in ((2, {}), (0, {"options": {"word": "no?"}}), (1, {"seed": -1})):
        with pytest.raises((ValueError, IndexError)):
            env.env_method("reset", indices=indices, **arguments)
        assert data_equivalence(env.get_state(), before)
    env.set_options({"words": "noon"})
    with pytest.raises(ValueError, match="'words' is not one of"):
        env.reset()


def test_attributes_and_methods_are_those_of_each_game(few_words):
    env = HangmanVecEnv(3, 50, words=few_words, max_wrong=4, render_mode="rgb_array")
    env.reset()
    assert env.metadata["render_fps"] == HangmanEnv.metadata["render_fps"]
    assert [np.shape(picture) for picture in env.get_images()] == [(400, 640, 3)] * 3
    assert env.get_attr("max_wrong", indices=[0, 2]) == [4, 4]
    assert env.get_attr("observation_space", 0) == [env.observation_space]
    single = gym.make(env.get_attr("spec")[0])
    assert single.get_wrapper_attr("max_wrong") == 4
    assert single.spec is not None
    assert single.spec.max_episode_steps == 50
    assert [mask().shape for mask in env.get_attr("action_masks")] == [(26,)] * 3
    assert env.has_attr("action_masks")
    assert not env.has_attr("num_envs")
    assert env.env_is_wrapped(Monitor) == env.env_is_wrapped(TimeLimit) == [True] * 3
    plain = HangmanVecEnv(1, words=few_words)
    plain.reset()
    assert plain.env_is_wrapped(TimeLimit) == [False]
    assert plain.env_method("render") == plain.get_images() == [None]
    for call, message in (
        (lambda: env.env_method("step", 3), "no method 'step', only action_masks, render, reset"),
        (lambda: env.get_attr("num_envs"), "no attribute 'num_envs', only .*max_wrong"),
        (lambda: env.set_attr("max_wrong", 3), "share"),
    ):
        with pytest.raises(AttributeError, match=message):
            call()
    for call in (
        lambda: env.get_attr("max_wrong", 3),
        lambda: env.env_is_wrapped(Monitor, [0, 3]),
        lambda: env.env_method("render", indices=[-4]),
    ):
        with pytest.raises(IndexError):
            call()


def test_a_saved_state_goes_on_with_the_same_games(few_words):
    env, twin = (HangmanVecEnv(8, words=few_words, reward="dense") for _ in range(2))
    env.seed(1)
    env.reset()
    random = np.random.default_rng(0)
    for _ in range(15):
        observations = env.step(random.integers(26, size=8))[0]
    state = env.get_state()
    kept = pickle.loads(pickle.dumps(state))
    for broken in ({}, *(state | {"returns": bad} for bad in (np.zeros(3), np.full(8, np.nan)))):
        with pytest.raises(ValueError, match="state: 'returns'"):
            twin.set_state(broken)
    assert same(twin.set_state(state), observations)
    pickled = pickle.loads(pickle.dumps(env))
    for actions in random.integers(26, size=(60, 8)):
        *expected, infos = env.step(actions)
        for copied in (twin, pickled):
            *step, copied_infos = copied.step(actions)
            assert data_equivalence(step, expected)
            assert data_equivalence(without_time(copied_infos), without_time(infos))
    assert data_equivalence(state, kept)
