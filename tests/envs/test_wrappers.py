import copy

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

from hangman_lab.envs import (
    ActionMaskObservation,
    HangmanEnv,
    HangmanVectorEnv,
    VectorActionMaskObservation,
    WordGuessEnv,
)
from hangman_lab.envs.errors import InputError
from tests.envs.hangman.test_vector import reset_both, with_bools


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
@pytest.mark.parametrize("env", [HangmanEnv(["ox", "noon"]), WordGuessEnv(["bell", "cell"])])
def test_the_observation_has_the_mask_under_the_names_of_the_library(env):
    wrapped = ActionMaskObservation(env, "obs", "mask")
    check_env(wrapped, skip_render_check=True)
    observation, _ = wrapped.reset(seed=0)
    assert set(observation) == {"obs", "mask"}
    observation, *_, info = wrapped.step(0)
    assert wrapped.observation_space.contains(observation)
    assert observation["mask"].tolist() == info["action_mask"].tolist()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_batch_answers_as_gymnasiums_batch_of_wrapped_games(few_words, mode):
    ours = VectorActionMaskObservation(HangmanVectorEnv(4, 5, mode, words=few_words))
    single = [lambda: ActionMaskObservation(TimeLimit(HangmanEnv(few_words), 5))] * 4
    theirs = SyncVectorEnv(single, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    reset_both((ours, theirs), 1, None, "first reset")
    returned = []
    random = np.random.default_rng(0)
    for _ in range(60):
        actions = random.integers(26, size=4)
        step = ours.step(actions)
        assert data_equivalence(step, with_bools(theirs.step(actions)), exact=True)
        returned.append((step, copy.deepcopy(step)))
        ended = step[2] | step[3]
        if mode is AutoresetMode.DISABLED and ended.any():
            reset_both((ours, theirs), None, ended, "reset of those that ended")
    # Later steps leave what was returned alone.
    assert all(data_equivalence(*pair) for pair in returned)


def test_the_wrapper_is_part_of_the_spec_of_the_environment(few_words):
    env = ActionMaskObservation(gym.make("hangman_lab/Hangman-v0", words=few_words), "obs", "mask")
    assert env.spec is not None
    assert data_equivalence(gym.make(env.spec).reset(seed=3), env.reset(seed=3))


@pytest.mark.parametrize(
    ("name", "keys", "message"),
    [
        ("CartPole-v1", (), "^env: its info has no 'action_mask'"),
        ("Pendulum-v1", (), r"^env: its action space Box.* is not discrete"),
        ("hangman_lab/Hangman-v0", ("obs", "obs"), "mask_key: 'obs' is the key of the observation"),
        ("hangman_lab/Hangman-v0", (None, "mask"), r"mask_key: \(None, 'mask'\) are not"),
    ],
)
def test_environments_without_masks_and_keys_that_are_none_are_refused(name, keys, message):
    for wrapper, env in (
        (ActionMaskObservation, gym.make(name)),
        (VectorActionMaskObservation, gym.make_vec(name, 2)),
    ):
        with pytest.raises(InputError, match=message):
            wrapper(env, *keys).reset()
