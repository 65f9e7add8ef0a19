import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

from envs.encoding import encode_words, letter_index
from envs.hangman.env import HangmanEnv
from envs.hangman.rules import HangmanGames
from envs.hangman.sb3 import HangmanVecEnv
from envs.hangman.vector_env import HangmanVectorEnv
from tests.envs.hangman.referee import Referee, agrees, letter_of

REWARDS = ("sparse", "dense", "potential")
RULES = ("life", "free")


def games_of(*words, max_wrong=6, repeated_guess="life"):
    secrets = encode_words(words)
    games = HangmanGames(len(words), secrets.width, max_wrong, repeated_guess)
    games.start(slice(None), secrets)
    return games


def guess(games, letters):
    return games.guess(np.array([letter_index(letter) for letter in letters]))


def test_a_hit_uncovers_every_place_and_a_miss_costs_a_life():
    games = games_of("noon", "noon")
    step = guess(games, "nx")
    assert step.newly_shown.tolist() == [2, 0]
    assert step.lost_life.tolist() == [False, True]
    assert step.lives.tolist() == [6, 5]
    assert games.observe()["word"].tolist() == [[15, 1, 1, 15], [1, 1, 1, 1]]


def test_the_sixth_wrong_guess_loses():
    games = games_of("noon")
    for letter in "abcde":
        step = guess(games, letter)
        assert not step.lost[0]
    step = guess(games, "f")
    assert step.lost[0]
    assert not step.won[0]
    assert games.over[0]


@pytest.mark.parametrize("max_wrong", [1, 2, 10, 26])
def test_the_game_is_lost_at_exactly_max_wrong_wrong_guesses(max_wrong):
    referee = Referee("zz" if max_wrong < 26 else "z", max_wrong)
    games = games_of(referee.word, max_wrong=max_wrong)
    letters = "abcdefghijklmnopqrstuvwxy"[:max_wrong]
    for number, letter in enumerate(letters, start=1):
        referee.guess(letter)
        assert guess(games, letter).lost[0] == (number == max_wrong) == referee.lost


def test_a_word_is_won_when_every_place_is_uncovered():
    games = games_of("tee")
    assert not guess(games, "e").won[0]
    step = guess(games, "t")
    assert step.won[0]
    assert not step.lost[0]


def test_a_finished_game_ignores_guesses():
    games = games_of("ox", "ox")
    guess(games, "oo")
    guess(games, "xa")
    before = games.get_state()
    step = guess(games, "be")
    assert not step.won[0]
    assert not step.lost_life[0]
    assert step.newly_shown[0] == 0
    for name, array in games.get_state().items():
        assert array[0].tolist() == before[name][0].tolist()


@pytest.mark.parametrize(("rule", "lives"), [("life", 4), ("free", 5)])
def test_a_repeated_guess_costs_what_the_rule_says(rule, lives):
    games = games_of("noon", "noon", repeated_guess=rule)
    guess(games, "nx")
    before = games.observe()
    step = guess(games, "nx")
    assert step.newly_shown.tolist() == [0, 0]
    assert step.lost_life.tolist() == [rule == "life"] * 2
    assert games.observe()["lives"].tolist() == [lives + 1, lives]
    assert games.observe()["word"].tolist() == before["word"].tolist()
    assert games.observe()["guessed"].tolist() == before["guessed"].tolist()


@pytest.mark.parametrize("letters", [[-1], [26], [1000]])
def test_a_letter_out_of_range_is_refused_and_changes_nothing(letters):
    games = games_of("noon")
    with pytest.raises(ValueError, match=r"outside 0\.\.25"):
        games.guess(np.array(letters))
    assert games.observe()["lives"][0] == 6


@pytest.mark.parametrize("options", [{"max_wrong": 0}, {"max_wrong": 27}, {"repeated_guess": "x"}])
def test_rules_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        HangmanGames(1, 5, **options)


def test_a_state_taken_mid_game_goes_on_the_same():
    games = games_of("banana", "apple")
    guess(games, "ab")
    state = games.get_state()
    twin = HangmanGames(2, 6)
    twin.set_state(state)
    for letters in ("np", "bl", "xx"):
        one, other = guess(games, letters), guess(twin, letters)
        assert all(a.tolist() == b.tolist() for a, b in zip(one, other, strict=True))
    assert games.observe()["word"].tolist() == twin.observe()["word"].tolist()
    with pytest.raises(ValueError, match="state"):
        HangmanGames(3, 6).set_state(state)
    with pytest.raises(ValueError, match="_lives"):
        twin.set_state({name: array for name, array in state.items() if name != "_lives"})


def secret_sequence(words, seed, number, **options):
    """The secrets that an env seeded with ``seed`` hides, one after the other."""
    env = HangmanEnv(words, **options)
    env.reset(seed=seed)
    secrets = [env.secret]
    for _ in range(number - 1):
        env.reset()
        secrets.append(env.secret)
    return secrets


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reward", REWARDS)
def test_single_games_agree_with_the_referee(few_words, reward, rule):
    random = np.random.default_rng(1)
    env = HangmanEnv(few_words, reward=reward, repeated_guess=rule, max_wrong=5)
    width = max(map(len, few_words))
    observation, info = env.reset(seed=7)
    for _ in range(400):
        referee = Referee(env.secret, 5, rule)
        while True:
            assert agrees(observation, referee, width)
            assert env.observation_space.contains(observation)
            assert info["action_mask"].dtype == np.int8
            assert info["action_mask"].tolist() == referee.mask()
            assert env.action_masks().dtype == np.bool_
            assert env.action_masks().tolist() == [bool(bit) for bit in referee.mask()]
            assert info["won"] is referee.won
            if referee.over:
                break
            # Letters are drawn from all 26, so that guesses repeat.
            action = int(random.integers(26))
            observation, paid, terminated, truncated, info = env.step(action)
            assert paid == pytest.approx(referee.play(letter_of(action), reward), abs=1e-12)
            assert terminated is referee.over
            assert truncated is False
        observation, info = env.reset()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reward", REWARDS)
def test_batched_games_agree_with_the_referee(few_words, reward, rule, mode):
    num_games, num_steps, seed, width = 96, 150, 11, max(map(len, few_words))
    random = np.random.default_rng(2)
    env = HangmanVectorEnv(
        num_games, words=few_words, reward=reward, repeated_guess=rule, autoreset_mode=mode
    )
    coming = [iter(secret_sequence(few_words, seed + game, num_steps)) for game in range(num_games)]
    observations, infos = env.reset(seed=seed)
    referees = [Referee(next(secrets), repeated_guess=rule) for secrets in coming]
    ended = 0
    for _ in range(num_steps):
        actions = random.integers(26, size=num_games)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        finished = 0
        for game, action in enumerate(actions):
            referee = referees[game]
            if mode is AutoresetMode.NEXT_STEP and referee.over:
                referees[game] = referee = Referee(next(coming[game]), repeated_guess=rule)
                assert rewards[game] == 0
                assert not terminated[game]
            else:
                paid = referee.play(letter_of(action), reward)
                assert rewards[game] == pytest.approx(paid, abs=1e-12)
                assert terminated[game] == referee.over
                finished += referee.over
                if mode is AutoresetMode.SAME_STEP and referee.over:
                    assert agrees(infos["final_obs"][game], referee, width)
                    last = infos["final_info"]
                    assert last["action_mask"][game].tolist() == referee.mask()
                    assert last["won"][game] == referee.won
                    referees[game] = referee = Referee(next(coming[game]), repeated_guess=rule)
            seen = {key: observations[key][game] for key in observations}
            assert agrees(seen, referee, width)
            assert infos["action_mask"][game].tolist() == referee.mask()
            assert infos["won"][game] == referee.won
        assert ("final_obs" in infos) == (mode is AutoresetMode.SAME_STEP and finished > 0)
        assert env.action_masks().tolist() == (infos["action_mask"] == 1).tolist()
        ended += finished
    assert ended > 1000


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reward", REWARDS)
def test_games_for_stable_baselines_agree_with_the_referee(few_words, reward, rule):
    num_games, num_steps, seed, width = 96, 150, 5, max(map(len, few_words))
    random = np.random.default_rng(3)
    env = HangmanVecEnv(num_games, words=few_words, reward=reward, repeated_guess=rule)
    coming = [iter(secret_sequence(few_words, seed + game, num_steps)) for game in range(num_games)]
    env.seed(seed)
    env.reset()
    referees = [Referee(next(secrets), repeated_guess=rule) for secrets in coming]
    returns, lengths, ended = np.zeros(num_games), np.zeros(num_games), 0
    for _ in range(num_steps):
        actions = random.integers(26, size=num_games)
        observations, rewards, dones, infos = env.step(actions)
        assert rewards.dtype == np.float32
        masks = env.action_masks()
        for game, action in enumerate(actions):
            referee = referees[game]
            paid = referee.play(letter_of(action), reward)
            assert rewards[game] == pytest.approx(paid, abs=1e-6)
            returns[game] += paid
            lengths[game] += 1
            assert dones[game] == referee.over
            if referee.over:
                assert agrees(infos[game]["terminal_observation"], referee, width)
                assert infos[game]["won"] is referee.won
                assert infos[game]["episode"]["r"] == pytest.approx(returns[game], abs=1e-6)
                assert infos[game]["episode"]["l"] == lengths[game]
                assert infos[game]["TimeLimit.truncated"] is False
                referees[game] = referee = Referee(next(coming[game]), repeated_guess=rule)
                returns[game] = lengths[game] = 0
                ended += 1
            else:
                assert "episode" not in infos[game]
                assert "terminal_observation" not in infos[game]
            seen = {key: observations[key][game] for key in observations}
            assert agrees(seen, referee, width)
            assert masks[game].tolist() == [bool(bit) for bit in referee.mask()]
    assert ended > 1000


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
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        assert ours.dtype == object, path
        assert ours.shape == theirs.shape, path
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same_layout(one, other, f"{path}[{number}]")
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype, path
        assert ours.tolist() == theirs.tolist(), path
    else:
        assert ours == theirs, path


@pytest.mark.parametrize("limit", [None, 4])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_the_batch_answers_as_gymnasiums_own_vector_env_does(few_words, mode, limit):
    num_games = 12
    random = np.random.default_rng(4)

    def single():
        env = HangmanEnv(few_words, reward="dense", max_wrong=4)
        return env if limit is None else TimeLimit(env, limit)

    theirs = SyncVectorEnv([single] * num_games, autoreset_mode=mode)
    ours = HangmanVectorEnv(
        num_games, limit, words=few_words, reward="dense", max_wrong=4, autoreset_mode=mode
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert_same_layout(ours.reset(seed=3), theirs.reset(seed=3), "reset")
    for step in range(250):
        if step == 100:
            assert_same_layout(ours.reset(), theirs.reset(), "second reset")
        if step == 150:
            seeds = [*range(num_games - 1), None]
            assert_same_layout(ours.reset(seed=seeds), theirs.reset(seed=seeds), "reset by list")
        if step == 200:
            options = {"word": "noon"}
            assert_same_layout(
                ours.reset(options=options), theirs.reset(options=options), "forced word"
            )
        actions = random.integers(26, size=num_games)
        for name, one, other in zip(
            ("observations", "rewards", "terminated", "truncated", "infos"),
            ours.step(actions),
            theirs.step(actions),
            strict=True,
        ):
            assert_same_layout(one, other, f"step {step} {name}")
