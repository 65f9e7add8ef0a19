import numpy as np
import pytest

from hangman_lab.envs.encoding import encode_words, letter_index
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.hangman.rules import HangmanGames
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


@pytest.mark.parametrize("max_wrong", [1, 6, 26])
def test_the_game_is_lost_at_exactly_max_wrong_wrong_guesses(max_wrong):
    referee = Referee("zz" if max_wrong < 26 else "z", max_wrong)
    games = games_of(referee.word, max_wrong=max_wrong)
    letters = "abcdefghijklmnopqrstuvwxy"[:max_wrong]
    for number, letter in enumerate(letters, start=1):
        referee.guess(letter)
        assert guess(games, letter).lost[0] == (number == max_wrong) == referee.lost


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


def test_a_state_taken_mid_game_goes_on_the_same():
    games = games_of("banana", "apple")
    guess(games, "ab")
    state = games.get_state()
    twin = HangmanGames(2, 6)
    twin.set_state(state)
    for letters in ("np", "bl", "xx"):
        one, other = guess(games, letters), guess(twin, letters)
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert games.observe()["word"].tolist() == twin.observe()["word"].tolist()
    with pytest.raises(ValueError, match="state"):
        HangmanGames(3, 6).set_state(state)
    with pytest.raises(ValueError, match="_lives"):
        twin.set_state({name: array for name, array in state.items() if name != "_lives"})


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
