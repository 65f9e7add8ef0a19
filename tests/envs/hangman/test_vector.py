"""The batched environment, compared with Gymnasium's batches; arguments of all environments."""

import pickle
import re
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.envs import HangmanEnv, HangmanVectorEnv, TextHangman, WordGuessEnv
from hangman_lab.envs.encoding import FIRST_LETTER, encode_words, letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.rewards import DenseReward

NUM_ENVS = 4
PER_ENV: dict[str, Any] = {"min_size": NUM_ENVS, "max_size": NUM_ENVS}
LETTERS = ("a", "ox", "cat", "noon", "apple", "banana", "jazz", "rhythm", "mississippi")
WORDS = ("bell", "cell", "dell", "cold", "clod", "noon", "neon", "onto")


def places_shown(result):
    """A reward of integers, as a user writes it."""
    return result.shown


HANGMAN = (HangmanEnv, HangmanVectorEnv)
GAMES: dict[str, dict[str, Any]] = {
    "hangman": {"max_wrong": 4},
    "dense": {"reward": "dense"},
    "potential": {"reward": "potential", "repeated_guess": "free"},
    "evil": {"host": "evil"},
    "a user's reward": {"reward": places_shown},
}


def with_bools(result):
    """Gymnasium's result with an array of bool where it makes one of objects of NumPy's bools."""
    for infos in (result[-1], result[-1].get("final_info", {})):
        if "won" in infos:
            infos["won"] = infos["won"].astype(np.bool_)
    return result


def reset_both(envs, seed, mask, path, **options):
    """Reset both batches alike; Gymnasium's takes the mask out of the options."""
    if mask is not None:
        options["reset_mask"] = np.array(mask)
    ours, theirs = (env.reset(seed=seed, options=dict(options)) for env in envs)
    assert data_equivalence(ours, with_bools(theirs), exact=True), path


SEEDS = st.none() | st.integers(0, 9) | st.lists(st.none() | st.integers(0, 9), **PER_ENV)
MASKS = st.none() | st.lists(st.booleans(), **PER_ENV).filter(any)
FORCED = st.sampled_from([{}, {"word": None}, {"word": "noon"}])
RESETS = st.tuples(SEEDS, MASKS, FORCED)
STEPS = st.lists(st.integers(0, 25), **PER_ENV)


@pytest.mark.parametrize("limit", [None, 3])
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("game", GAMES)
@given(moves=st.lists(STEPS | STEPS | STEPS | RESETS, max_size=60))
@settings(max_examples=20)
def test_a_batch_answers_as_gymnasiums_own_batch_of_single_games(game, mode, limit, moves):
    def single():
        env = HangmanEnv(LETTERS, **GAMES[game])
        return env if limit is None else TimeLimit(env, limit)

    ours = HangmanVectorEnv(NUM_ENVS, limit, mode.value, words=LETTERS, **GAMES[game])
    envs = ours, theirs = ours, SyncVectorEnv([single] * NUM_ENVS, autoreset_mode=mode)
    for name in ("observation_space", "action_space", "single_observation_space"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"] is mode
    reset_both(envs, 3, None, "first reset")
    for number, move in enumerate(moves):
        if isinstance(move, tuple):
            seed, mask, forced = move
            if game == "evil":
                forced = {}
            reset_both(envs, seed, mask, f"reset {number}", **forced)
            continue
        actions = np.array(move)
        step = ours.step(actions)
        assert data_equivalence(step, with_bools(theirs.step(actions)), exact=True), number
        ended = step[2] | step[3]
        if mode is AutoresetMode.DISABLED and ended.any():
            with pytest.raises(ResetNeeded, match="reset_mask"):
                ours.step(actions)
            reset_both(envs, None, ended, f"reset after step {number}")
    assert ours.action_masks().dtype == np.bool_


@pytest.mark.parametrize("seed", [None, [None, None]])
def test_games_without_a_seed_have_streams_of_their_own(seed):
    env = HangmanVectorEnv(2, words=LETTERS)
    env.reset(seed=seed)
    assert len({0, *env.get_state()["streams"].tolist()}) == 3


@pytest.mark.parametrize("kind", [HangmanVectorEnv, SyncVectorEnv])
@pytest.mark.parametrize(
    ("limit", "last"),
    [({}, 99), ({"max_episode_steps": 5}, 4), ({"max_episode_steps": -1}, None)],
)
def test_a_game_of_free_repetitions_ends_by_the_limit_of_gym_make(kind, limit, last):
    mode = "sync" if kind is SyncVectorEnv else None
    options = {"words": LETTERS, "repeated_guess": "free", **limit}
    envs = gym.make_vec("hangman_lab/Hangman-v0", 2, mode, **options)
    assert isinstance(envs.unwrapped, kind)
    envs.reset(seed=0)
    for step in range(100 if last is None else last + 1):
        _, _, terminated, truncated, _ = envs.step(np.full(2, letter_index("q")))
        assert not terminated.any()
        assert truncated.all() == truncated.any() == (step == last)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("game", GAMES)
def test_a_saved_state_and_a_pickle_continue_with_the_same_games(game, mode):
    env, twin = (HangmanVectorEnv(9, 7, mode, words=LETTERS, **GAMES[game]) for _ in range(2))
    kept: Any = env.reset(seed=2)
    random = np.random.default_rng(5)
    for _ in range(20):
        kept = env.step(random.integers(26, size=9))
    state = env.get_state()
    copy, pickled = (pickle.loads(pickle.dumps(each)) for each in ((kept, state), env))
    # Any layout in memory is one of the same numbers.
    state["games"] = {name: np.asfortranarray(part) for name, part in state["games"].items()}
    twin.set_state(state)
    for _ in range(30):
        actions = random.integers(26, size=9)
        step = env.step(actions)
        assert data_equivalence(step, twin.step(actions))
        assert data_equivalence(step, pickled.step(actions))
    # What was returned or restored is left alone by later steps.
    assert data_equivalence((kept, state), copy)


@pytest.mark.parametrize("host", ["random", "evil"])
def test_a_state_of_other_games_is_refused_and_changes_nothing(host):
    env = HangmanVectorEnv(2, None, AutoresetMode.SAME_STEP, words=LETTERS, host=host)
    env.reset(seed=0)
    state, steps = env.get_state(), np.zeros(2, dtype=np.int64)
    env.step(np.array([0, 1]))
    before = env.get_state()
    games = state["games"]
    others = [{}, state | {"games": {}}, state | {"games": []}, state | {"to_reset": steps == 0}]
    others.append(state | {"games": games | {"lives": games["lives"].tolist()}})
    for bad in (steps[:1], steps.astype(np.float64), [[1], [2, 3]], steps - 5):
        others.append(state | {"steps": bad})
    for name, values in (("secrets", (28, 1, 0)), ("guessed", (2, 1)), ("lives", (7, 0))):
        for value in values:
            array = np.full_like(games[name], value)
            others.append(state | {"games": games | {name: array}})
    if host == "evil":
        # Words that are not listed.
        unlisted = np.full_like(games["secrets"], FIRST_LETTER)
        others.append(state | {"games": games | {"secrets": unlisted}})
        # A word that fits, where the host has the first that fits, jazz.
        noon = np.zeros_like(games["secrets"])
        noon[:, :4] = encode_words(["noon"]).codes
        q = (np.arange(26) == letter_index("q")).astype(np.int8)
        after_q = {"secrets": noon, "guessed": np.stack([q, q]), "lives": games["lives"] - 1}
        others.append(state | {"games": after_q, "steps": steps + 1})
    for other in (None, *others):
        with pytest.raises(InputError, match=r"^state: "):
            env.set_state(other)
        assert data_equivalence(env.get_state(), before)


@pytest.mark.parametrize("host", ["random", "evil"])
@pytest.mark.parametrize("limit", [None, 3])
@pytest.mark.parametrize("rule", ["life", "free"])
def test_a_state_is_restored_only_if_guesses_lead_to_it(rule, limit, host):
    """All states of games with two words, three letters and up to four steps."""
    options = {"words": ["aa", "ab"], "max_wrong": 2, "repeated_guess": rule, "host": host}
    env = HangmanVectorEnv(1, limit, AutoresetMode.DISABLED, **options)

    def state_now():
        state = env.get_state()
        games = state["games"]
        key = games["secrets"].tobytes(), games["guessed"].tobytes(), games["lives"].item()
        return (*key, state["steps"].item(), state["to_reset"].item()), state

    reached = {}
    for seed, letters in product(range(4), product(range(3), repeat=4)):
        env.reset(seed=seed)
        for letter in (None, *letters):
            if letter is not None:
                env.step(np.array([letter]))
            key, state = state_now()
            reached[key] = state
            if state["to_reset"]:
                break
    accepted = set()
    for secret, guessed in product({key[0] for key in reached}, product((0, 1), repeat=3)):
        for lives, steps, ended in product(range(3), range(5), (False, True)):
            games = {
                "secrets": np.frombuffer(secret, np.uint8)[None],
                "guessed": np.array([guessed + 23 * (0,)], np.int8),
                "lives": np.array([lives]),
            }
            numbers = {"steps": np.array([steps]), "to_reset": np.array([ended])}
            try:
                env.set_state(state | {"games": games} | numbers)
            except InputError:
                continue
            accepted.add(state_now()[0])
    assert accepted >= set(reached)
    # Which order of the guesses the evil host would have answered so is not looked for.
    assert host == "evil" or accepted == set(reached)


KINDS = (*HANGMAN, WordGuessEnv, TextHangman)
# Each is refused by all classes that have the argument.
INVALID: dict[str, list[Any]] = {
    "words": ["apple", b"ox", Path("a.txt"), 5, np.array("ox"), np.array([["ox"]])],
    "max_wrong": [0, 27, 6.0],
    "min_length": [0],
    "max_length": [33],
    "word_length": [0, 22],
    "max_guesses": [0],
    "variant": ["dogs"],
    "split": ["all"],
    "host": ["kind"],
    "reward": ["generous", DenseReward, 1.0],
    "repeated_guess": ["never"],
    "invalid_reply": [None],
    "render_mode": ["svg"],
    "num_envs": [0, 2.0],
    "max_episode_steps": [0, "10"],
    "autoreset_mode": ["same_step"],
}
REFUSED = [
    (WordGuessEnv, "reward", DenseReward()),
    *((kind, name, value) for kind in KINDS for name in signature(kind).parameters
      for value in INVALID.get(name, ())),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "value"), REFUSED)
def test_an_argument_out_of_range_is_refused_by_name(kind, name, value):
    shown = "|".join(re.escape(text) for text in (repr(value), repr(str(value))))
    with pytest.raises(InputError, match=f"{name}: ({shown}) is n") as refusal:
        kind(**{"words": WORDS, name: value})
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("host", ["random", "evil"])
@pytest.mark.parametrize("kind", HANGMAN)
def test_a_word_that_cannot_be_hidden_is_refused_or_not_used(kind, host):
    for word in (None, 5, b"cat", "CAT", "it's"):
        with pytest.raises(InputError, match=f"words: {re.escape(repr(word))} is not a word"):
            kind(words=["cat", word], host=host)
    env = kind(words=["cat", "a" * 33, "a" * 200], host=host)
    assert env.reset(seed=0)[0]["word"].shape[-1] == 3


def test_lists_without_a_word_of_the_lengths_are_refused():
    for least, most in ((7, 9), (1, 3)):
        with pytest.raises(ValueError, match=f"words: none of 8 has {least} to {most} letters"):
            HangmanEnv(WORDS, min_length=least, max_length=most)
    with pytest.raises(ValueError, match="words: none of 8 has 5 letters"):
        WordGuessEnv(WORDS, word_length=5)


@pytest.mark.parametrize("dtype", np.typecodes["AllInteger"])
@pytest.mark.parametrize("host", ["random", "evil"])
def test_actions_have_any_integer_dtype(host, dtype):
    env, twin = (HangmanVectorEnv(3, words=WORDS, host=host) for _ in range(2))
    assert data_equivalence(env.reset(seed=0), twin.reset(seed=0))
    actions = np.array([5, 0, 3])
    assert data_equivalence(env.step(actions), twin.step(actions.astype(dtype)))


def test_misuse_is_refused():
    env = HangmanVectorEnv(2, words=LETTERS, render_mode="rgb_array")
    mask = np.array([True, False])
    for call in (
        lambda: env.step(np.zeros(2, dtype=np.int64)),
        lambda: env.reset(options={"reset_mask": mask}),
        env.get_state,
        env.render,
        lambda: env.secrets,
    ):
        with pytest.raises(ResetNeeded, match="reset first"):
            call()
    env.reset(seed=0)
    before = env.get_state()
    for call, message in (
        (lambda: env.reset(seed=-1), "seed: -1 is not an integer from 0"),
        (lambda: env.reset(options={"word": 5}), "options: 5 is not a word"),
        (lambda: env.reset(options=5), "options: 5 is not a mapping"),
        (lambda: env.reset(seed=[1, 2, 3]), "3 seeds for 2 games"),
        (lambda: env.reset(seed=[1, [2]]), r"seed: \[1, \[2\]\] is not an array"),
        (lambda: env.reset(options={"word": ["a", ["b"]]}), "options: .* is not an array"),
        (lambda: env.step([[0], [0, 1]]), "actions: .* is not an array"),
        (lambda: env.reset(options={"word": ["ox"]}), "1 words for 2 games"),
        (lambda: env.reset(options={"reset_mask": mask[:1]}), r"of shape \(2,\)"),
        (lambda: env.reset(options={"reset_mask": mask & ~mask}), "at least one True"),
        (lambda: env.step(np.array([0])), r"shape \(1,\) is not \(2,\)"),
        (lambda: env.step(np.array([0, 26])), r"26 is outside 0\.\.25"),
        (lambda: env.step(np.array([0, 2**64 - 1], np.uint64)), rf"{2**64 - 1} is outside"),
        (lambda: env.step(np.array([True, False])), "actions: .* is not an array of integers"),
        (lambda: env.step(["a", "b"]), "actions: .* is not an array of integers"),
        (lambda: env.step(np.array([0.0, 1.5])), r"actions: array\(\[0\. , 1\.5\]\) is not"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
        assert data_equivalence(env.get_state(), before)


@pytest.mark.parametrize("kind", [*HANGMAN, WordGuessEnv])
def test_a_seed_is_an_integer_of_any_type(kind):
    env, twin = (kind(words=WORDS) for _ in range(2))
    for seed in (np.int64(3), np.uint8(3)):
        assert data_equivalence(env.reset(seed=3), twin.reset(seed=seed))
        assert env.np_random_seed == twin.np_random_seed == 3
        assert data_equivalence(env.reset(), twin.reset())
    if kind is HangmanVectorEnv:
        assert data_equivalence(env.reset(seed=np.array([5])), twin.reset(seed=[5]))


@pytest.mark.parametrize("reward", [1.0, [1, 2], [[1]], [np.nan], [np.inf]])
@pytest.mark.parametrize("kind", HANGMAN)
def test_a_reward_that_is_not_a_number_per_game_is_refused(kind, reward):
    env = kind(words=["ox"], reward=lambda step: reward)
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"^reward: (.* is not of shape|a number is NaN)"):
        env.step(0 if kind is HangmanEnv else np.array([0]))


def test_an_ignored_action_need_not_be_one():
    paid = np.ones(2)
    env = HangmanVectorEnv(2, 1, words=WORDS, reward=lambda result: paid)
    env.reset(seed=0)
    assert env.step(np.zeros(2, dtype=np.int64))[3].all()
    _, rewards, _, truncated, _ = env.step(np.array([-1, 99]))
    assert not truncated.any()
    assert not rewards.any()
    # The caller's array is left alone.
    assert paid.all()
    with pytest.raises(InputError, match="actions: -1 is outside 0"):
        env.step(np.array([-1, 99]))
