"""Rewards, and what shaping does to the optimal policy.

The game with an unknown word is a Markov decision process over what the player knows: the shown
places, the guessed letters and the lives. On a tiny list it is solved exactly by value iteration
over these states, with the words that still fit as the belief.
"""

from collections import defaultdict

import numpy as np
import pytest

from hangman_lab.envs.encoding import encode_words, letter_index
from hangman_lab.envs.hangman.rules import HangmanGames, Step
from hangman_lab.envs.rewards import DenseReward, PotentialReward, SparseReward, make_reward


def step_of(**changes):
    values = {
        "newly_shown": 0,
        "lost_life": False,
        "won": False,
        "lost": False,
        "shown": 0,
        "lives": 6,
        "lengths": 4,
    } | changes
    return Step(**{name: np.array([value]) for name, value in values.items()}, max_wrong=6)


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
        (DenseReward(hit=1, miss=-3, win=10, loss=-20), [2, -3, 11, -23]),
        (PotentialReward(), [0.25, -0.5 / 6, 1 - 0.875, -1 - 0.5 / 6]),
        (PotentialReward(discount=0.5, shown=1, lives=0), [0.25, 0, 1 - 0.75, -1]),
        (PotentialReward(shown=0, lives=3, win=2, loss=-2), [0, -0.5, -1, -2.5]),
    ],
)
def test_each_event_is_paid_by_its_weight(reward, paid):
    for step, expected in zip((HIT, MISS, WIN, LOSS), paid, strict=True):
        assert reward(step)[0] == pytest.approx(expected)


def test_rewards_are_made_by_name_with_their_parameters():
    assert make_reward("sparse") == SparseReward()
    assert make_reward("dense", hit=0.5) == DenseReward(hit=0.5)
    assert make_reward("potential", discount=0.9) == PotentialReward(discount=0.9)
    custom = DenseReward(miss=-1)
    assert make_reward(custom) is custom
    with pytest.raises(ValueError, match="sparse"):
        make_reward("generous")
    with pytest.raises(TypeError):
        make_reward("sparse", hit=1)


class HangmanMDP:
    """All that can happen to a player who knows the list but not the word.

    ``values`` has the value of each letter, best policy thereafter, in every state that any play
    can reach: the words that fit, the letters guessed and the lives.
    """

    def __init__(self, words, max_wrong, reward, discount):
        self.max_wrong, self.reward, self.discount = max_wrong, reward, discount
        self.letters = sorted(set("".join(words)) | {"z"})
        self.values = {}
        for length in set(map(len, words)):
            fit = tuple(word for word in words if len(word) == length)
            self._solve(fit, frozenset(), max_wrong)

    def _outcomes(self, fit, guessed, lives, letter):
        """The next states of a guess with their probabilities and rewards, from the rules."""
        secrets = encode_words(fit)
        games = HangmanGames(len(fit), secrets.width, self.max_wrong)
        games.start(slice(None), secrets)
        for earlier in guessed:
            games.guess(np.full(len(fit), letter_index(earlier)))
        assert (games.observe()["lives"] == lives).all()
        assert len(np.unique(games.observe()["word"], axis=0)) == 1
        step = games.guess(np.full(len(fit), letter_index(letter)))
        paid = self.reward(step)
        groups = defaultdict(list)
        for number, shown in enumerate(games.observe()["word"]):
            groups[shown.tobytes(), int(step.lives[number])].append(number)
        for (_, lives_left), members in groups.items():
            assert len(set(paid[members].tolist())) == 1
            words = tuple(fit[member] for member in members)
            over = games.over[members[0]]
            state = None if over else (words, guessed | {letter}, lives_left)
            yield len(members) / len(fit), float(paid[members[0]]), state

    def _solve(self, *state):
        """Return the value of a state."""
        if state not in self.values:
            self.values[state] = {
                letter: sum(
                    share * (paid + (self.discount * self._solve(*after) if after else 0.0))
                    for share, paid, after in self._outcomes(*state, letter)
                )
                for letter in self.letters
                if letter not in state[1]
            }
        return max(self.values[state].values())

    def optimal_letters(self, state):
        values = self.values[state]
        return {letter for letter, value in values.items() if value > max(values.values()) - 1e-9}


TINY_LISTS = [
    (("ab", "ba", "cc", "bc"), 2),
    (("abc", "abd", "eee", "eef"), 1),
    (("aab", "abb", "bca", "c", "ac", "bb"), 2),
]


@pytest.mark.parametrize(("words", "max_wrong"), TINY_LISTS)
@pytest.mark.parametrize("discount", [1.0, 0.8])
def test_potential_based_shaping_leaves_the_optimal_policy_as_it_is(words, max_wrong, discount):
    sparse = HangmanMDP(words, max_wrong, SparseReward(), discount)
    shaped = HangmanMDP(words, max_wrong, PotentialReward(discount=discount), discount)
    assert len(sparse.values) > 10
    choices = set()
    for state, values in sparse.values.items():
        assert shaped.optimal_letters(state) == sparse.optimal_letters(state)
        choices.add(frozenset(sparse.optimal_letters(state)))
        fit, guessed, lives = state
        shown = sum(letter in guessed for letter in fit[0]) / len(fit[0])
        potential = 0.5 * shown + 0.5 * lives / max_wrong
        for letter, value in values.items():
            assert shaped.values[state][letter] == pytest.approx(value - potential)
    # The policies could have differed: not every letter is optimal everywhere.
    assert len(choices) > 3


@pytest.mark.parametrize(
    ("reward", "discount"),
    [
        (DenseReward(hit=1.0, miss=0.0), 0.8),
        # A potential with another discount than the learner's.
        (PotentialReward(discount=1.0, shown=9.0), 0.5),
    ],
)
def test_other_shaping_can_change_the_optimal_policy(reward, discount):
    differs = 0
    for words, max_wrong in TINY_LISTS:
        sparse = HangmanMDP(words, max_wrong, SparseReward(), discount)
        shaped = HangmanMDP(words, max_wrong, reward, discount)
        differs += sum(
            not shaped.optimal_letters(state) <= sparse.optimal_letters(state)
            for state in sparse.values
        )
    assert differs > 0
