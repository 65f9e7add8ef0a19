import numpy as np
import pytest

from hangman_lab.envs.encoding import encode_words, letter_index
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.hangman.rules import HangmanGames
from tests.envs.hangman.referee import Referee, agrees, letter_of


def test_a_finished_game_ignores_guesses():
    games = HangmanGames(2, 2)
    games.start(slice(None), encode_words(["ox", "ox"]))
    for letters in ("oo", "xa"):
        games.guess(np.array([letter_index(letter) for letter in letters]))
    before = games.get_state()
    step = games.guess(np.array([1, 4]))
    assert not step.won[0]
    assert not step.lost_life[0]
    assert step.newly_shown[0] == 0
    for name, array in games.get_state().items():
        assert array[0].tolist() == before[name][0].tolist()


@pytest.mark.parametrize("rule", ["life", "free"])
def test_single_games_agree_with_the_referee(few_words, rule):
    random = np.random.default_rng(1)
    env = HangmanEnv(few_words, reward="dense", repeated_guess=rule, max_wrong=5)
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
            assert paid == pytest.approx(referee.play(letter_of(action)), abs=1e-12)
            assert terminated is referee.over
            assert truncated is False
        observation, info = env.reset()
