import numpy as np
import pytest

from hangman_lab.agents import AGENTS, Agent, PosteriorAgent, make_agent
from hangman_lab.agents.dictionary import DictionaryAgent, RandomAgent
from hangman_lab.agents.robust import RobustAgent
from hangman_lab.envs import HangmanVectorEnv
from hangman_lab.envs.encoding import letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.evaluation.arena import play


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


def test_a_score_that_is_not_a_number_is_refused(states):
    class Undefined(DictionaryAgent):
        def letter_scores(self, observations):
            return super().letter_scores(observations) + np.nan

    class Narrow(DictionaryAgent):
        def letter_scores(self, observations):
            return super().letter_scores(observations)[:, :25]

        def _letter_probabilities(self, observations):
            return self.letter_scores(observations)

    narrow = Narrow().fit(["bat"])
    for scores in (narrow.act_batch, narrow.letter_probabilities):
        with pytest.raises(InputError, match=r"25\) is not an array of numbers of shape .*, 26\)"):
            scores(states)
    agent = Undefined().fit(["bat"])
    with pytest.raises(InputError, match=r"Undefined\.letter_scores: a score is NaN"):
        agent.act_batch(states)
    agent = DictionaryAgent().fit(["bat"])
    for tolerance in (-1, np.nan, np.inf, "a"):
        agent.tolerance = tolerance
        with pytest.raises(InputError, match=r"DictionaryAgent\.tolerance: .* is not a number in"):
            agent.act_batch(states)


def test_scores_whose_sum_is_infinite_are_refused(states):
    class Huge(RandomAgent):
        def letter_scores(self, observations):
            return super().letter_scores(observations) * 1e308

    with pytest.raises(InputError, match=r"Huge\.letter_scores: a score is above 1e300"):
        Huge().act_batch(states, np.zeros(len(states["lives"]), dtype=np.uint64))


@pytest.mark.parametrize("name", AGENTS)
def test_words_may_come_from_an_iterator(states, name):
    words = ["bat", "bad", "bag", "bit"]
    keys = np.arange(len(states["lives"]), dtype=np.uint64)
    letters = [make_agent(name).fit(each).act_batch(states, keys) for each in (words, iter(words))]
    np.testing.assert_array_equal(*letters)


@pytest.mark.parametrize("letters", [None, 0, [0.0], [[0]], ["a"], [26], [-1]])
def test_letters_that_are_not_an_integer_per_game_are_refused(letters):
    class Other(Agent):
        def act_batch(self, observations, keys=None):
            return letters

    message = r"Other\.act_batch: .* is not an array of 1 integers in 0..25"
    with pytest.raises(InputError, match=message):
        Other().act(HangmanVectorEnv(1).reset()[0])
    with pytest.raises(InputError, match=message):
        play(Other(), ["cat"])


@pytest.mark.parametrize("seed", [-1, 0.5, "1", None, 2**63])
@pytest.mark.parametrize("kind", [RandomAgent, RobustAgent])
def test_a_seed_is_an_integer_of_63_bits(kind, seed):
    with pytest.raises(InputError, match=f"seed: {seed!r} is not an integer in 0"):
        kind(seed=seed)


@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("scores", [0.0, -1.0, -np.inf])
def test_a_letter_is_not_guessed_again_while_another_is_left(scores, draws):
    class Only(Agent):
        def letter_scores(self, observations):
            by_letter = np.where(np.arange(26) == letter_index("e"), 1.0, scores)
            return np.tile(by_letter, (len(observations["lives"]), 1))

    agent = Only()
    agent.draws = draws
    letters = play(agent, ["tree", "fuzz"], max_wrong=26).letters
    assert all(len(set(guesses)) == len(guesses) for guesses in letters)
    assert all(guesses[0] == "e" for guesses in letters)


def test_letter_probabilities_are_those_of_each_game_alone(states):
    class ByLives(PosteriorAgent):
        def _letter_probabilities(self, observations):
            return np.repeat(observations["lives"][:, None] / 10, 26, axis=1)

    states["lives"][:] = np.arange(len(states["lives"])) % 6 + 1
    agent = ByLives()
    expected = np.repeat(states["lives"][:, None] / 10, 26, axis=1)
    np.testing.assert_array_equal(agent.letter_probabilities(states), expected)
    states["lives"][0] = 11
    with pytest.raises(InputError, match=r"a probability is NaN or outside 0"):
        agent.letter_probabilities(states)


def test_a_new_seed_begins_new_draws(states):
    agent, twin = RandomAgent(0), RandomAgent(1)
    agent.act(states)
    agent.seed = 1
    np.testing.assert_array_equal(agent.act(states), twin.act(states))
