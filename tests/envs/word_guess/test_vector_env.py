import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from envs.word_guess.env import CatsAndDogsEnv, GuessTheWordEnv
from envs.word_guess.vector_env import CatsAndDogsVectorEnv, GuessTheWordVectorEnv

WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")
PAIRS = [
    (CatsAndDogsEnv, CatsAndDogsVectorEnv, {"words": WORDS, "max_guesses": 4}),
    (CatsAndDogsEnv, CatsAndDogsVectorEnv, {"words": WORDS, "opponent": "adversary"}),
    (
        CatsAndDogsEnv,
        CatsAndDogsVectorEnv,
        {"words": WORDS[:5], "allowed": WORDS, "mask": "consistent", "reward": "mistakes"},
    ),
    (GuessTheWordEnv, GuessTheWordVectorEnv, {"max_guesses": 3}),
]


def assert_same(left, right):
    assert type(left) is type(right) or not isinstance(left, dict)
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            assert_same(left[key], right[key])
    elif isinstance(left, np.ndarray) and left.dtype == object:
        for one, other in zip(left, right, strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                assert_same(dict(one), dict(other))
    else:
        np.testing.assert_array_equal(left, right)
        assert np.asarray(left).dtype == np.asarray(right).dtype


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(("single", "batched", "options"), PAIRS)
def test_a_batch_is_gymnasiums_batch_of_single_games(single, batched, options, mode):
    reference = gym.vector.SyncVectorEnv([lambda: single(**options)] * 5, autoreset_mode=mode)
    batch = batched(5, autoreset_mode=mode, **options)
    for ours, theirs in zip(batch.reset(seed=7), reference.reset(seed=7), strict=True):
        assert_same(ours, theirs)
    random = np.random.default_rng(0)
    for _ in range(40):
        actions = random.integers(batch.single_action_space.n, size=5)
        for ours, theirs in zip(batch.step(actions), reference.step(actions), strict=True):
            assert_same(ours, theirs)
    for ours, theirs in zip(batch.reset(seed=9), reference.reset(seed=9), strict=True):
        assert_same(ours, theirs)


def test_words_can_be_forced_and_steps_limited():
    batch = CatsAndDogsVectorEnv(2, max_episode_steps=1, words=WORDS)
    batch.reset(options={"word": ["bell", "noon"]})
    _, rewards, terminated, truncated, infos = batch.step(np.array([0, 0]))
    assert rewards.tolist() == [1.0, 0.0]
    assert terminated.tolist() == [True, False]
    assert truncated.tolist() == [True, True]
    assert infos["won"].tolist() == [True, False]


def test_a_state_that_was_taken_is_gone_on_with():
    batch = CatsAndDogsVectorEnv(3, words=WORDS, max_guesses=3)
    batch.reset(seed=2)
    batch.step(np.array([0, 1, 2]))
    other = CatsAndDogsVectorEnv(3, words=WORDS, max_guesses=3)
    other.set_state(batch.get_state())
    for _ in range(8):
        for ours, theirs in zip(
            batch.step(np.array([3, 4, 5])), other.step(np.array([3, 4, 5])), strict=True
        ):
            assert_same(ours, theirs)


def test_each_game_is_rendered():
    batch = CatsAndDogsVectorEnv(2, words=WORDS, render_mode="ansi")
    batch.reset(options={"word": "bell"})
    batch.step(np.array([0, 1]))
    assert batch.render()[0].endswith("won")
    assert "cell" in batch.render()[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs: 0 is below 1"),
        ({"autoreset_mode": AutoresetMode.DISABLED}, "autoreset_mode"),
        ({"render_mode": "human"}, "render_mode: 'human'"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        CatsAndDogsVectorEnv(**{"words": WORDS, **arguments})


def test_bad_calls_are_refused():
    batch = CatsAndDogsVectorEnv(2, words=WORDS)
    with pytest.raises(ValueError, match="call reset first"):
        batch.step(np.array([0, 0]))
    with pytest.raises(ValueError, match="3 seeds for 2 games"):
        batch.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="1 words for 2 games"):
        batch.reset(options={"word": ["bell"]})
    batch.reset(seed=0)
    for actions in ([0, -1], [0, 8]):
        with pytest.raises(ValueError, match=r"outside 0\.\.7"):
            batch.step(np.array(actions))
    with pytest.raises(ValueError, match="shape"):
        batch.step(np.array([0]))
