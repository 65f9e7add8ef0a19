import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.envs.encoding import encode_words, letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.games import HangmanGames
from hangman_lab.envs.hangman.rules import GuessResult, Rules
from hangman_lab.envs.rewards import (
    WORD_GUESS_REWARDS,
    DenseReward,
    PotentialReward,
    SparseReward,
    make_reward,
)


def step_of(**changes):
    values = dict.fromkeys(("newly_shown", "shown"), 0) | {"lives": 6, "lengths": 4}
    values |= dict.fromkeys(("lost_life", "won", "lost"), False) | changes
    return GuessResult(**{name: np.array([value]) for name, value in values.items()}, max_wrong=6)


HIT = step_of(newly_shown=2, shown=2)
MISS = step_of(lost_life=True, lives=5)
WIN = step_of(newly_shown=1, shown=4, won=True)
LOSS = step_of(lost_life=True, lives=0, lost=True)


@pytest.mark.parametrize(
    ("reward", "paid"),
    [
        (SparseReward(), [0, 0, 1, -1]),
        (SparseReward(win=5, loss=-2), [0, 0, 5, -2]),
        (DenseReward(), [0.2, -0.2, 1.1, -1.2]),
        (make_reward("dense", hit=1, miss=-3, win=10, loss=-20), [2, -3, 11, -23]),
        (PotentialReward(), [0.25, -0.5 / 6, 1 - 0.875, -1 - 0.5 / 6]),
        (make_reward("potential", discount=0.5, shown=1, lives=0), [0.25, 0, 1 - 0.75, -1]),
        (PotentialReward(shown=0, lives=3, win=2, loss=-2), [0, -0.5, -1, -2.5]),
    ],
)
def test_each_event_is_paid_by_its_weight(reward, paid):
    for step, expected in zip((HIT, MISS, WIN, LOSS), paid, strict=True):
        assert reward(step)[0] == pytest.approx(expected)


class OtherReward(DenseReward):
    """A reward that a user derives from one of Hangman."""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_reward(DenseReward(), hit=5), r"parameters \['hit'\] are for a name"),
        (lambda: make_reward("dense", hits=5), "reward.parameters: 'hits' is not one of"),
        (lambda: make_reward("dense", hit="5"), "reward.parameters: hit: '5' is not a number in"),
        (lambda: SparseReward(win=float("nan")), "win: nan is not a number in"),
        (lambda: SparseReward(loss=-(10**400)), "loss: -100.*00 is not a number in"),
        (lambda: DenseReward(hit=1e308), r"reward.parameters: hit: 1e\+308 is not a number in"),
        (lambda: make_reward(OtherReward(), WORD_GUESS_REWARDS), "nor an object that is called"),
    ],
)
def test_what_is_no_reward_of_the_game_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@given(
    st.text("abcd", min_size=1, max_size=6),
    st.lists(st.sampled_from("abcdef"), max_size=12),
    st.floats(0, 1),
)
def test_potential_based_shaping_adds_the_same_to_the_return_of_every_game(word, letters, discount):
    """So it leaves the optimal policy as it is: the potential is lost at the beginning, once."""
    games, secret = HangmanGames(1, 6, Rules(3)), encode_words([word], 6)
    games.start(slice(None), secret)
    shaped = PotentialReward(discount=discount, shown=0.7, lives=0.3)
    added, weight = 0.0, 1.0
    for letter in letters:
        if games.over[0]:
            break
        step = games.guess(np.array([letter_index(letter)]))
        added += weight * float((shaped(step) - SparseReward()(step))[0])
        weight *= discount
    potential = 0.0
    if not games.over[0]:
        shown = (games.observe()["word"] > 1).sum() / len(word)
        potential = 0.7 * shown + 0.3 * games.observe()["lives"][0] / 3
    assert added == pytest.approx(weight * potential - 0.3)
