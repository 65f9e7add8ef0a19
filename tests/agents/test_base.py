import numpy as np
import pytest

from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.agents.dictionary import DictionaryAgent, RandomAgent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observations


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
    with pytest.raises(InputError, match="'clever' is unknown") as caught:
        make_agent("clever")
    assert all(name in str(caught.value) for name in AGENTS)


def test_a_score_that_is_not_a_number_is_refused(states):
    class Undefined(DictionaryAgent):
        def letter_scores(self, observations):
            return super().letter_scores(observations) + np.nan

    agent = Undefined().fit(["bat"])
    with pytest.raises(InputError, match=r"Undefined\.letter_scores: a score is not a number"):
        agent.act_batch(states)


@pytest.mark.parametrize("name", AGENTS)
def test_words_may_come_from_an_iterator(states, name):
    words = ["bat", "bad", "bag", "bit"]
    keys = np.arange(len(states["lives"]), dtype=np.uint64)
    letters = [make_agent(name).fit(each).act_batch(states, keys) for each in (words, iter(words))]
    np.testing.assert_array_equal(*letters)
