import numpy as np
import pytest

from hangman_lab.agents import AGENTS, Agent, PosteriorAgent, make_agent
from hangman_lab.agents.dictionary import DictionaryAgent, RandomAgent
from hangman_lab.agents.robust import RobustAgent
from hangman_lab.envs.encoding import letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.arena import play


class Scorer(PosteriorAgent):
    """Has the same scores, which are its probabilities, in each game."""

    def __init__(self, scores, draws=False):
        self.scores, self.draws = scores, draws

    def _letter_probabilities(self, observations):
        return np.tile(self.scores, (len(observations["lives"]), 1))


@pytest.mark.parametrize("tolerance", [0, 1])
def test_a_greedy_agent_takes_the_unguessed_letter_with_the_highest_score(states, tolerance):
    agent = DictionaryAgent().fit(["bat", "bad", "bag", "bit"])
    agent.tolerance = tolerance
    scores = agent.letter_scores(states)
    letters = agent.act_batch(states)
    for guessed, row, letter in zip(states["guessed"], scores, letters, strict=True):
        left = np.flatnonzero(guessed == 0)
        # The first in the alphabet among equals.
        assert letter == left[np.argmax(row[left] >= row[left].max() - tolerance)]


def test_samples_depend_on_seed_key_and_turn(states):
    agent, other = RandomAgent(seed=5), RandomAgent(seed=6)
    games = np.arange(len(states["lives"]), dtype=np.uint64) * 7919
    letters = agent.act_batch(states, games)
    assert (other.act_batch(states, games) != letters).mean() > 0.5
    assert (agent.act_batch(states, games + np.uint64(1)) != letters).mean() > 0.5
    start: Observations = states | {"guessed": np.zeros_like(states["guessed"])}
    first = agent.act_batch(start, games)
    start["guessed"][:, 25] = 1
    # The same draw would give a neighbouring letter.
    assert (abs(agent.act_batch(start, games) - first) > 1).mean() > 0.5


def test_an_unknown_agent_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="agent: 'clever' is not one of") as caught:
        make_agent("clever")
    assert all(name in str(caught.value) for name in AGENTS)


@pytest.mark.parametrize("method", ["act", "letter_probabilities"])
@pytest.mark.parametrize(
    ("scores", "problem"), [(np.full(26, np.nan), "NaN or infinite"), (np.ones(25), "shape")]
)
def test_scores_of_another_shape_and_infinite_ones_are_refused(states, method, scores, problem):
    with pytest.raises(ValueError, match=problem):
        getattr(Scorer(scores), method)(states)


@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("others", [0.0, -1.0])
def test_a_letter_is_not_guessed_again_while_another_is_left(others, draws):
    scores = np.where(np.arange(26) == letter_index("e"), 1.0, others)
    letters = play(Scorer(scores, draws), ["tree", "fuzz"], Rules(26)).letters
    assert all(len(set(guesses)) == len(guesses) for guesses in letters)
    assert all(guesses[0] == "e" for guesses in letters)


def test_letter_probabilities_are_those_of_each_game_alone(states):
    class ByLives(PosteriorAgent):
        def _letter_probabilities(self, observations):
            return np.repeat(observations["lives"][:, None] / 10, 26, axis=1)

    lives = np.arange(len(states["lives"])) % 6 + 1
    probabilities = ByLives().letter_probabilities(states | {"lives": lives})
    np.testing.assert_array_equal(probabilities, np.repeat(lives[:, None] / 10, 26, axis=1))


@pytest.mark.parametrize("name", AGENTS)
def test_words_may_come_from_an_iterator(states, name):
    words = ["bat", "bad", "bag", "bit", "cabbages", "extraction"]
    keys = np.arange(len(states["lives"]), dtype=np.uint64)
    letters = [make_agent(name).fit(each).act_batch(states, keys) for each in (words, iter(words))]
    np.testing.assert_array_equal(*letters)


@pytest.mark.parametrize("letters", [0, [[0]], [26], [-1]])
def test_letters_that_are_not_one_per_game_are_refused(letters):
    class Other(Agent):
        def act_batch(self, observations, keys=None):
            return letters

    with pytest.raises(InputError, match=r"shape|actions: \S+ is outside 0\.\.25"):
        play(Other(), ["cat"])


@pytest.mark.parametrize("seed", [-1, 0.5, "1", None, 2**63])
@pytest.mark.parametrize("kind", [RandomAgent, RobustAgent])
def test_a_seed_is_an_integer_of_63_bits(kind, seed):
    with pytest.raises(InputError, match=f"seed: {seed!r} is not an integer in 0"):
        kind(seed=seed)
