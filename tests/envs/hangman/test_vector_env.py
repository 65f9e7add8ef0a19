import pickle

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

from envs.encoding import decode, letter_index
from envs.hangman.env import HangmanEnv
from envs.hangman.vector_env import HangmanVectorEnv

MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


def actions_of(random, num_games):
    return random.integers(26, size=num_games)


def test_the_autoreset_modes_are_declared(few_words):
    assert HangmanVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert HangmanVectorEnv.metadata["autoreset_modes"] == MODES
    for mode in MODES:
        env = HangmanVectorEnv(2, words=few_words, autoreset_mode=mode.value)
        assert env.autoreset_mode is mode
        assert env.metadata["autoreset_mode"] is mode
    assert HangmanVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    with pytest.raises(ValueError, match="autoreset_mode"):
        HangmanVectorEnv(2, words=few_words, autoreset_mode=AutoresetMode.DISABLED)


@pytest.mark.parametrize("mode", MODES)
def test_game_i_of_a_batch_is_the_single_game_with_that_seed(real_words, mode):
    num_games, seed = 6, 40
    batch = HangmanVectorEnv(num_games, words=real_words, autoreset_mode=mode)
    singles = [HangmanEnv(real_words) for _ in range(num_games)]
    observations, _ = batch.reset(seed=seed)
    for game, env in enumerate(singles):
        single, _ = env.reset(seed=seed + game)
        assert single["word"].tolist() == observations["word"][game].tolist()
    random = np.random.default_rng(0)
    over = np.zeros(num_games, dtype=bool)
    for _ in range(80):
        actions = actions_of(random, num_games)
        observations, rewards, terminated, _, _ = batch.step(actions)
        for game, env in enumerate(singles):
            if mode is AutoresetMode.NEXT_STEP and over[game]:
                single, _ = env.reset()
            else:
                single, reward, ended, _, _ = env.step(actions[game])
                assert reward == rewards[game]
                assert ended == terminated[game]
                if mode is AutoresetMode.SAME_STEP and ended:
                    single, _ = env.reset()
            for key in single:
                assert np.array_equal(single[key], observations[key][game])
        over = terminated


@pytest.mark.parametrize("mode", MODES)
def test_the_same_seed_gives_the_same_games_whatever_was_played_before(few_words, mode):
    env = HangmanVectorEnv(4, words=few_words, autoreset_mode=mode)

    def rollout():
        random = np.random.default_rng(1)
        return [env.reset(seed=3)] + [env.step(actions_of(random, 4)) for _ in range(50)]

    first = rollout()
    assert data_equivalence(first, rollout())


def test_seeds_may_be_listed_and_none_goes_on_with_the_stream(real_words):
    env = HangmanVectorEnv(3, words=real_words)
    single = HangmanEnv(real_words)

    def secrets():
        # A look inside, for people who look on.
        return [decode(codes) for codes in env._task.games.secrets]

    env.reset(seed=[5, 6, 7])
    env.reset(seed=[5, None, 9])
    for game, (seed, resets) in enumerate([(5, 1), (6, 2), (9, 1)]):
        single.reset(seed=seed)
        for _ in range(resets - 1):
            single.reset()
        assert secrets()[game] == single.secret
    with pytest.raises(ValueError, match="2 seeds for 3 games"):
        env.reset(seed=[1, 2])


def test_words_can_be_forced_for_all_games_or_some(few_words):
    env = HangmanVectorEnv(3, words=few_words)
    env.reset(seed=0, options={"word": ["ox", "dot", "tee"]})
    observations, *_ = env.step(np.array([letter_index(letter) for letter in "xtt"]))
    assert [decode(codes) for codes in observations["word"]] == ["_x", "__t", "t__"]
    observations, _ = env.reset(options={"word": "noon"})
    assert (observations["word"] == 1).sum(axis=1).tolist() == [4, 4, 4]
    env.reset(seed=1, options={"word": ["ox", None, "tee"]})
    twin = HangmanVectorEnv(3, words=few_words)
    twin.reset(seed=1)
    assert env._task.games.secrets[1].tolist() == twin._task.games.secrets[1].tolist()
    assert decode(env._task.games.secrets[0]) == "ox"
    with pytest.raises(ValueError, match="2 words for 3 games"):
        env.reset(options={"word": ["ox", "tee"]})
    with pytest.raises(ValueError, match="letters a to z"):
        env.reset(options={"word": "Noon"})


@pytest.mark.parametrize("mode", MODES)
def test_a_step_limit_truncates_and_the_next_game_counts_anew(mode):
    env = HangmanVectorEnv(1, 3, words=["noon"], autoreset_mode=mode)
    env.reset(seed=0)
    truncations = []
    for step in range(12):
        # Letters that are not in the word: the sixth would lose.
        _, _, terminated, truncated, infos = env.step(np.array([step % 5]))
        assert not terminated[0]
        truncations.append(bool(truncated[0]))
        if truncated[0] and mode is AutoresetMode.SAME_STEP:
            assert infos["final_obs"][0]["lives"] == 3
    period = 3 if mode is AutoresetMode.SAME_STEP else 4
    assert truncations == [step % period == 2 for step in range(12)]


def test_an_action_after_a_truncation_cannot_end_the_game_that_is_left():
    env = HangmanVectorEnv(1, 1, words=["ox"])
    env.reset(seed=0)
    env.step(np.array([letter_index("o")]))
    observations, rewards, terminated, truncated, infos = env.step(np.array([letter_index("x")]))
    assert not terminated[0]
    assert not truncated[0]
    assert rewards[0] == 0
    assert observations["word"][0].tolist() == [1, 1]
    assert not infos["won"][0]


def test_what_was_returned_is_left_alone_by_later_steps(few_words):
    env = HangmanVectorEnv(8, words=few_words, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=0)
    random = np.random.default_rng(0)
    for _ in range(30):
        kept = env.step(actions_of(random, 8))
        copy = pickle.loads(pickle.dumps(kept))
        env.step(actions_of(random, 8))
        assert data_equivalence(kept, copy)


@pytest.mark.parametrize("mode", MODES)
def test_a_saved_state_goes_on_with_the_same_games(few_words, mode):
    env = HangmanVectorEnv(16, 7, words=few_words, autoreset_mode=mode, reward="dense")
    env.reset(seed=2)
    random = np.random.default_rng(5)
    for _ in range(20):
        env.step(actions_of(random, 16))
    twin = HangmanVectorEnv(16, 7, words=few_words, autoreset_mode=mode, reward="dense")
    twin.set_state(env.get_state())
    assert data_equivalence(dict(env.observe()), dict(twin.observe()))
    for _ in range(60):
        actions = actions_of(random, 16)
        assert data_equivalence(env.step(actions), twin.step(actions))


def test_a_pickle_round_trip_goes_on_with_the_same_games(few_words):
    env = HangmanVectorEnv(4, words=few_words)
    env.reset(seed=2)
    twin = pickle.loads(pickle.dumps(env))
    for action in range(26):
        actions = np.full(4, action)
        assert data_equivalence(env.step(actions), twin.step(actions))


def test_each_game_is_rendered(few_words):
    text = HangmanVectorEnv(3, words=few_words, render_mode="ansi")
    text.reset(seed=0)
    assert len(text.render()) == 3
    assert all("lives  6 of 6" in game for game in text.render())
    pictures = HangmanVectorEnv(2, words=few_words, render_mode="rgb_array")
    pictures.reset(seed=0)
    assert [picture.shape for picture in pictures.render()] == [(400, 640, 3)] * 2
    assert HangmanVectorEnv(2, words=few_words).render() is None


def test_misuse_is_refused(few_words):
    env = HangmanVectorEnv(2, words=few_words)
    with pytest.raises(ValueError, match="reset first"):
        env.step(np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="reset first"):
        env.get_state()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"shape \(3,\) is not \(2,\)"):
        env.step(np.zeros(3, dtype=np.int64))
    with pytest.raises(ValueError, match=r"0\.\.25"):
        env.step(np.array([0, 26]))
    with pytest.raises(ValueError, match="num_envs"):
        HangmanVectorEnv(0, words=few_words)
    with pytest.raises(ValueError, match="max_episode_steps"):
        HangmanVectorEnv(1, 0, words=few_words)
    with pytest.raises(ValueError, match="render_mode"):
        HangmanVectorEnv(1, words=few_words, render_mode="human")
