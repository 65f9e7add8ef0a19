from typing import cast

import numpy as np
import pytest

from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.agents.base import Agent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.observation import Observation, Observations, select
from tests.agents.games import observe


class FixedScores(Agent):
    """Scores letters by a fixed row."""

    def __init__(self, row, greedy, seed=0):
        self.draws, self.seed = not greedy, seed
        self.row = np.asarray(row, dtype=np.float64)

    def letter_scores(self, observations):
        return np.tile(self.row, (len(observations["lives"]), 1))


def test_a_greedy_agent_takes_the_unguessed_letter_with_the_highest_score(states):
    row = np.arange(26) % 13
    letters = FixedScores(row, greedy=True).act_batch(states)
    for guessed, letter in zip(states["guessed"], letters, strict=True):
        left = np.flatnonzero(guessed == 0)
        # The first in the alphabet among equals.
        assert letter == left[np.argmax(row[left])]


@pytest.mark.parametrize("name", ["random", "dictionary", "ngram-posterior"])
def test_a_single_observation_gets_the_letter_of_a_batch_of_one(real_words, name):
    agent = make_agent(name).fit(real_words[::50])
    batch = observe("cat", "a")
    letter = agent.act(cast(Observation, select(batch, 0)), 5)
    assert type(letter) is int
    assert np.array_equal(agent.act(batch, [5]), [letter])


def test_samples_depend_on_seed_key_and_turn(states):
    agent = FixedScores(np.ones(26), greedy=False, seed=5)
    games = np.arange(len(states["lives"]), dtype=np.uint64) * 7919
    letters = agent.act_batch(states, games)
    other = FixedScores(np.ones(26), greedy=False, seed=6)
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
