"""The batched environments of all games, held against Gymnasium's own batches of single ones."""

import pickle

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

from envs.encoding import decode, letter_index
from envs.hangman.env import HangmanEnv, HangmanVectorEnv
from envs.word_guess.env import WordGuessEnv, WordGuessVectorEnv

MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
LETTERS = ("a", "ox", "cat", "noon", "apple", "banana", "jazz", "rhythm", "mississippi")
WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")
GAMES = {
    "hangman": (HangmanEnv, HangmanVectorEnv, {"words": LETTERS, "max_wrong": 4}),
    "dense": (HangmanEnv, HangmanVectorEnv, {"words": LETTERS, "reward": "dense"}),
    "potential": (
        HangmanEnv,
        HangmanVectorEnv,
        {"words": LETTERS, "reward": "potential", "repeated_guess": "free"},
    ),
    "cats and dogs": (WordGuessEnv, WordGuessVectorEnv, {"words": WORDS, "max_guesses": 4}),
    "adversary": (WordGuessEnv, WordGuessVectorEnv, {"words": WORDS, "opponent": "adversary"}),
    "mistakes": (
        WordGuessEnv,
        WordGuessVectorEnv,
        {"words": WORDS[:6], "allowed": WORDS, "mask": "consistent", "reward": "mistakes"},
    ),
    "guess the word": (
        WordGuessEnv,
        WordGuessVectorEnv,
        {"variant": "guess_the_word", "max_guesses": 3},
    ),
}


def assert_same_layout(ours, theirs, path=""):
    """The same nesting, keys, types, shapes and values."""
    assert type(ours) is type(theirs), path
    if isinstance(theirs, tuple):
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same_layout(one, other, f"{path}[{number}]")
    elif isinstance(theirs, dict):
        assert set(ours) == set(theirs), path
        for key in theirs:
            assert_same_layout(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(theirs, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), path
        if theirs.dtype == object:
            assert_same_layout(tuple(ours), tuple(theirs), path)
        assert theirs.dtype == object or np.array_equal(ours, theirs), path
    else:
        assert ours == theirs, path


@pytest.mark.parametrize("limit", [None, 3])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("game", GAMES)
def test_a_batch_answers_as_gymnasiums_own_batch_of_single_games(game, mode, limit):
    single_type, vector_type, options = GAMES[game]

    def single():
        env = single_type(**options)
        return env if limit is None else TimeLimit(env, limit)

    theirs = SyncVectorEnv([single] * 7, autoreset_mode=mode)
    ours = vector_type(7, limit, mode.value, **options)
    for name in ("observation_space", "action_space", "single_observation_space"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"] is mode
    resets = {0: {"seed": 3}, 40: {}, 60: {"seed": [*range(6), None]}}
    resets[80] = {"options": {"word": "noon"}} if "words" in options else {"seed": 3}
    random = np.random.default_rng(4)
    for step in range(110):
        if step in resets:
            again = resets[step]
            assert_same_layout(ours.reset(**again), theirs.reset(**again), f"reset {step}")
        actions = random.integers(ours.single_action_space.n, size=7)
        assert_same_layout(ours.step(actions), theirs.step(actions), f"step {step}")
        assert ours.action_masks().dtype == np.bool_


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("game", GAMES)
def test_a_saved_state_and_a_pickle_continue_with_the_same_games(game, mode):
    _, vector_type, options = GAMES[game]
    env, twin = (vector_type(9, 7, mode, **options) for _ in range(2))
    env.reset(seed=2)
    random = np.random.default_rng(5)
    for _ in range(20):
        kept = env.step(random.integers(env.single_action_space.n, size=9))
    copy = pickle.loads(pickle.dumps(kept))
    twin.set_state(env.get_state())
    third = pickle.loads(pickle.dumps(env))
    for _ in range(30):
        actions = random.integers(env.single_action_space.n, size=9)
        step = env.step(actions)
        assert data_equivalence(step, twin.step(actions))
        assert data_equivalence(step, third.step(actions))
    # What was returned is left alone by later steps.
    assert data_equivalence(kept, copy)


def test_the_autoreset_modes_are_declared():
    assert HangmanVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert HangmanVectorEnv.metadata["autoreset_modes"] == MODES


def test_words_can_be_forced_for_all_games_or_some():
    env, twin = HangmanVectorEnv(3, words=LETTERS), HangmanVectorEnv(3, words=LETTERS)
    env.reset(seed=0, options={"word": ["ox", "dot", "tee"]})
    observations, *_ = env.step(np.array([letter_index(letter) for letter in "xtt"]))
    assert [decode(codes) for codes in observations["word"]] == ["_x", "__t", "t__"]
    forced, _ = env.reset(seed=1, options={"word": ["ox", None, "tee"]})
    drawn, _ = twin.reset(seed=1)
    assert forced["word"][1].tolist() == drawn["word"][1].tolist()
    assert (forced["word"] == 1).sum(axis=1)[[0, 2]].tolist() == [2, 3]


def test_each_game_is_rendered():
    text = HangmanVectorEnv(3, words=LETTERS, render_mode="ansi")
    text.reset(seed=0)
    assert ["lives  6 of 6" in game for game in text.render()] == [True] * 3
    pictures = HangmanVectorEnv(2, words=LETTERS, render_mode="rgb_array")
    pictures.reset(seed=0)
    assert [picture.shape for picture in pictures.render()] == [(400, 640, 3)] * 2
    words = WordGuessVectorEnv(2, words=WORDS, render_mode="ansi")
    words.reset(options={"word": "bell"})
    words.step(np.array([0, 1]))
    assert words.render()[0].endswith("won")
    assert "cell" in words.render()[1]
    assert words.allowed == WORDS
    assert HangmanVectorEnv(2, words=LETTERS).render() is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs: 0 is below 1"),
        ({"num_envs": -1}, "num_envs: -1 is below 1"),
        ({"max_episode_steps": 0}, "max_episode_steps: 0 is below 1"),
        ({"autoreset_mode": AutoresetMode.DISABLED}, "autoreset_mode"),
        ({"render_mode": "human"}, "render_mode: 'human'"),
    ],
)
@pytest.mark.parametrize("kind", [HangmanVectorEnv, WordGuessVectorEnv])
def test_arguments_out_of_range_are_refused(kind, arguments, message):
    with pytest.raises(ValueError, match=message):
        kind(**{"words": WORDS, **arguments})


def test_misuse_is_refused():
    env = HangmanVectorEnv(2, words=LETTERS)
    for call in (lambda: env.step(np.zeros(2, dtype=np.int64)), env.get_state):
        with pytest.raises(ValueError, match="reset first"):
            call()
    for arguments, message in (
        ({"seed": [1, 2, 3]}, "3 seeds for 2 games"),
        ({"options": {"word": ["ox"]}}, "1 words for 2 games"),
        ({"options": {"word": "Noon"}}, "letters a to z"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(**arguments)
    env.reset(seed=0)
    for actions, message in (([0], r"shape \(1,\) is not \(2,\)"), ([0, 26], r"0\.\.25")):
        with pytest.raises(ValueError, match=message):
            env.step(np.array(actions))
