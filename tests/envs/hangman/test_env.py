import pickle
import warnings
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

from envs.encoding import letter_index
from envs.hangman.env import HangmanEnv
from envs.hangman.rewards import DenseReward
from envs.hangman.vector_env import HangmanVectorEnv
from envs.words import default_word_list

VARIANTS = [
    {},
    {"max_wrong": 1},
    {"max_wrong": 26, "repeated_guess": "free", "reward": "dense"},
    {"sampling": "by_length", "reward": "potential", "min_length": 3, "max_length": 6},
]


def rollout(env, seed, steps=60):
    """Everything that a player sees in a while of random play."""
    random = np.random.default_rng(9)
    seen = [env.reset(seed=seed)]
    for _ in range(steps):
        seen.append(env.step(int(random.integers(26))))
        if seen[-1][2] or seen[-1][3]:
            seen.append(env.reset())
    return seen


@pytest.mark.parametrize("options", VARIANTS)
def test_the_checkers_of_gymnasium_and_stable_baselines_are_content(few_words, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("envs:Hangman-v0", words=few_words, **options)
        check_env(env.unwrapped)
        check_env_for_sb3(env.unwrapped, warn=True)


@pytest.mark.parametrize("render_mode", ["ansi", "rgb_array"])
def test_the_checkers_are_content_with_every_render_mode(few_words, render_mode):
    env = gym.make("envs:Hangman-v0", words=few_words, render_mode=render_mode)
    check_env(env.unwrapped, skip_render_check=False)
    check_env_for_sb3(env.unwrapped)


def test_gym_makes_the_env_with_the_default_list_and_its_options():
    env = gym.make("envs:Hangman-v0")
    assert isinstance(env.unwrapped, HangmanEnv)
    longest = max(map(len, default_word_list().words))
    assert env.observation_space["word"].shape == (longest,)
    assert env.observation_space["lives"].n == 7
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    shorter = gym.make("envs:Hangman-v0", min_length=4, max_length=5, max_wrong=3)
    assert shorter.observation_space["word"].shape == (5,)
    for seed in range(20):
        shorter.reset(seed=seed)
        assert 4 <= len(shorter.unwrapped.secret) <= 5


def test_a_step_limit_truncates():
    env = gym.make("envs:Hangman-v0", words=["noon"], max_episode_steps=2)
    env.reset(seed=0)
    assert env.step(0)[2:4] == (False, False)
    assert env.step(1)[2:4] == (False, True)


def test_gym_makes_the_vector_env(few_words):
    envs = gym.make_vec(
        "envs:Hangman-v0", num_envs=3, words=few_words, max_wrong=4, max_episode_steps=9
    )
    assert isinstance(envs.unwrapped, HangmanVectorEnv)
    assert envs.unwrapped.max_episode_steps == 9
    observations, infos = envs.reset(seed=0)
    assert observations["word"].shape == (3, max(map(len, few_words)))
    assert infos["action_mask"].shape == (3, 26)
    sync = gym.make_vec(
        "envs:Hangman-v0", num_envs=3, vectorization_mode="sync", words=few_words, max_wrong=4
    )
    assert data_equivalence(sync.reset(seed=0)[0], observations)


def test_the_same_seed_gives_the_same_games(few_words):
    one, other = HangmanEnv(few_words), HangmanEnv(few_words)
    assert data_equivalence(rollout(one, 5), rollout(other, 5))
    # An env that has been played before gives them too.
    assert data_equivalence(rollout(one, 5), rollout(HangmanEnv(few_words), 5))
    assert not data_equivalence(rollout(one, 5), rollout(other, 6))


def test_the_order_of_the_list_has_no_effect(few_words):
    one, other = HangmanEnv(few_words), HangmanEnv(few_words[::-1] + few_words)
    assert data_equivalence(rollout(one, 5), rollout(other, 5))


def test_a_reset_without_a_seed_goes_on_with_the_stream(real_words):
    env, twin = HangmanEnv(real_words), HangmanEnv(real_words)
    words = []
    for _ in range(50):
        env.reset(seed=8 if not words else None)
        words.append(env.secret)
    assert len(set(words)) > 40
    twin.reset(seed=8)
    twin.step(0)
    for word in words[1:]:
        twin.reset()
        assert twin.secret == word


def test_envs_without_a_seed_differ(real_words):
    def words(env):
        return [(env.reset(), env.secret)[1] for _ in range(10)]

    assert words(HangmanEnv(real_words)) != words(HangmanEnv(real_words))


def test_a_word_can_be_forced(few_words):
    env = HangmanEnv(few_words)
    observation, _ = env.reset(seed=0, options={"word": "qat"})
    assert env.secret == "qat"
    assert observation["word"].tolist()[:5] == [1, 1, 1, 0, 0]
    for letter in "qat":
        observation, reward, terminated, _, info = env.step(letter_index(letter))
    assert (reward, terminated, info["won"]) == (1.0, True, True)


def test_a_forced_word_leaves_the_seeded_stream_as_it_was(real_words):
    env, twin = HangmanEnv(real_words), HangmanEnv(real_words)
    env.reset(seed=3, options={"word": "cat"})
    twin.reset(seed=3)
    for _ in range(5):
        env.reset()
        twin.reset()
        assert env.secret == twin.secret


@pytest.mark.parametrize("word", ["", "Apple", "it's", "abcdefghijklmnopq"])
def test_a_word_that_cannot_be_forced_is_refused(few_words, word):
    env = HangmanEnv(few_words)
    with pytest.raises(ValueError, match="letters a to z"):
        env.reset(options={"word": word})


@pytest.mark.parametrize(
    "make", [HangmanEnv, HangmanVectorEnv, partial(gym.make, "envs:Hangman-v0")]
)
def test_an_unknown_option_is_refused_by_name(few_words, make):
    with pytest.raises(TypeError, match="'max_wrongs' is not an option; there are words, max"):
        make(words=few_words, max_wrongs=8)


def test_the_mask_allows_what_has_not_been_guessed(few_words):
    env = HangmanEnv(few_words)
    _, info = env.reset(seed=0)
    assert info["action_mask"].dtype == np.int8
    assert info["action_mask"].tolist() == [1] * 26
    _, _, _, _, info = env.step(4)
    assert np.flatnonzero(info["action_mask"] == 0).tolist() == [4]
    assert env.action_masks().dtype == np.bool_
    assert env.action_masks().tolist() == info["action_mask"].tolist()


@pytest.mark.parametrize("action", [-1, 26, 1000])
def test_an_action_out_of_range_raises_and_the_game_goes_on(few_words, action):
    env = HangmanEnv(few_words)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"0\.\.25"):
        env.step(action)
    assert env.step(0)[0]["guessed"][0] == 1


def test_a_step_needs_a_game_that_goes_on():
    env = HangmanEnv(["ox"])
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset()
    env.step(letter_index("o"))
    env.step(letter_index("x"))
    with pytest.raises(ResetNeeded):
        env.step(0)


@pytest.mark.parametrize(
    "options",
    [
        {"max_wrong": 0},
        {"max_wrong": 27},
        {"repeated_guess": "never"},
        {"reward": "generous"},
        {"sampling": "often"},
        {"render_mode": "hologram"},
        {"min_length": 20},
    ],
)
@pytest.mark.parametrize("kind", [HangmanEnv, HangmanVectorEnv])
def test_bad_arguments_are_refused_by_name(few_words, kind, options):
    name = "words" if "min_length" in options else next(iter(options))
    with pytest.raises(ValueError, match=name):
        kind(words=few_words, **options)


def test_a_pickle_round_trip_goes_on_with_the_same_game(few_words):
    env = HangmanEnv(few_words, reward=DenseReward(hit=0.3), render_mode="ansi")
    env.reset(seed=4)
    env.step(0)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.render() == env.render()
    assert twin.secret == env.secret
    random = np.random.default_rng(0)
    for _ in range(100):
        action = int(random.integers(26))
        one, other = env.step(action), twin.step(action)
        assert data_equivalence(one, other)
        if one[2]:
            assert data_equivalence(env.reset(), twin.reset())


def test_observations_are_left_alone_by_later_steps(few_words):
    env = HangmanEnv(few_words)
    observation, info = env.reset(seed=0)
    kept = pickle.loads(pickle.dumps(dict(observation)))
    mask = info["action_mask"].copy()
    for action in range(4):
        env.step(action)
    assert data_equivalence(dict(observation), kept)
    assert info["action_mask"].tolist() == mask.tolist()


@pytest.mark.parametrize("render_mode", ["ansi", "rgb_array"])
def test_each_wrong_guess_changes_the_drawing(render_mode):
    env = HangmanEnv(["noon"], render_mode=render_mode)
    env.reset(seed=0)
    drawings = [env.render()]
    for letter in "abcdef":
        env.step(letter_index(letter))
        drawings.append(env.render())
    if render_mode == "rgb_array":
        for drawing in drawings:
            assert drawing.dtype == np.uint8
            assert drawing.shape == (400, 640, 3)
        # The figure alone: the part of the picture where the gallows stand.
        drawings = [drawing[:310, :240].tobytes() for drawing in drawings]
    else:
        drawings = ["\n".join(line[:11] for line in text.splitlines()) for text in drawings]
    assert len(set(drawings)) == 7


def test_the_terminal_shows_each_step(capsys):
    env = HangmanEnv(["noon"], render_mode="human")
    env.reset(seed=0)
    assert "_ _ _ _" in capsys.readouterr().out
    env.step(letter_index("n"))
    assert "n _ _ n" in capsys.readouterr().out
    assert env.render() is None


def test_the_secret_is_drawn_at_the_end_only():
    env = HangmanEnv(["noon"], render_mode="ansi", max_wrong=2)
    env.reset(seed=0)
    env.step(letter_index("a"))
    assert "noon" not in env.render()
    env.step(letter_index("b"))
    assert "lost; the word was noon" in env.render()
    env.reset(options={"word": "noon"})
    env.step(letter_index("n"))
    env.step(letter_index("o"))
    assert "won" in env.render()


def test_a_render_without_a_mode_warns(few_words):
    env = HangmanEnv(few_words)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render"):
        assert env.render() is None
