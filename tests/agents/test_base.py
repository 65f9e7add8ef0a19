import numpy as np
import pytest
from scipy.stats import chisquare

from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.agents.base import ScoringAgent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.env import HangmanEnv
from hangman_lab.envs.hangman.observation import select
from tests.agents.games import random_states


class FixedScores(ScoringAgent):
    """Scores letters by a fixed row."""

    def __init__(self, row, greedy, seed=0):
        super().__init__(greedy, seed)
        self.row = np.asarray(row, dtype=np.float64)

    def letter_scores(self, observations):
        return np.tile(self.row, (len(observations["lives"]), 1))


@pytest.fixture(scope="module")
def states(real_words):
    return random_states(real_words)[0]


def test_a_greedy_agent_takes_the_unguessed_letter_with_the_highest_score(states):
    row = np.arange(26) % 13
    letters = FixedScores(row, greedy=True).act(states)
    assert letters.dtype == np.int64
    guessed = states["guessed"] != 0
    for game, letter in enumerate(letters):
        assert not guessed[game, letter]
        left = np.flatnonzero(~guessed[game])
        # The first in the alphabet among equals.
        assert letter == left[np.argmax(row[left])]


@pytest.mark.parametrize("name", ["random", "dictionary", "ngram-posterior"])
def test_a_single_observation_gets_the_letter_of_a_batch_of_one(real_words, name):
    agent = make_agent(name).fit(real_words[::50])
    env = HangmanEnv(words=real_words[1:2])
    observation, _ = env.reset()
    letter = agent.act(observation)
    assert type(letter) is int
    batch = {key: np.array([value]) for key, value in observation.items()}
    assert agent.act(batch).tolist() == [letter]


def test_a_sampling_agent_samples_by_score(states):
    row = np.zeros(26)
    row[[1, 4, 9]] = [1, 2, 5]
    start = select(states, np.zeros(30_000, dtype=np.int64))
    start = {**start, "guessed": np.zeros((30_000, 26), dtype=np.int8)}
    counts = np.bincount(FixedScores(row, greedy=False).act(start), minlength=26)
    assert counts.sum() == counts[[1, 4, 9]].sum()
    assert chisquare(counts[[1, 4, 9]], 30_000 * np.array([1, 2, 5]) / 8).pvalue > 1e-3
    # A guessed letter is not drawn, whatever its score.
    start["guessed"][:, 9] = 1
    assert set(FixedScores(row, greedy=False).act(start)) == {1, 4}


def test_samples_depend_on_seed_key_and_turn(states):
    agent = FixedScores(np.ones(26), greedy=False, seed=5)
    num_games = len(states["lives"])
    games = np.arange(num_games, dtype=np.uint64) * 7919
    letters = agent.act(states, games)
    # In any order and any batch.
    order = np.random.default_rng(0).permutation(num_games)
    assert agent.act(select(states, order), games[order]).tolist() == letters[order].tolist()
    for batch in np.array_split(np.arange(num_games), 9):
        assert agent.act(select(states, batch), games[batch]).tolist() == letters[batch].tolist()
    alone = select(states, slice(3, 4))
    assert agent.act(alone, games[3:4])[0] == letters[3]
    # Again the same; with another seed or other games not.
    assert agent.act(states, games).tolist() == letters.tolist()
    other = FixedScores(np.ones(26), greedy=False, seed=6)
    assert (other.act(states, games) != letters).mean() > 0.5
    assert (agent.act(states, games + np.uint64(1)) != letters).mean() > 0.5


def test_each_turn_of_a_game_has_a_new_sample(states):
    agent = FixedScores(np.ones(26), greedy=False)
    start = select(states, np.zeros(1000, dtype=np.int64))
    start = {**start, "guessed": np.zeros((1000, 26), dtype=np.int8)}
    first = agent.act(start)
    start["guessed"][:, 25] = 1
    assert (agent.act(start) != first).mean() > 0.5


def test_finished_games_and_empty_batches_are_accepted(states):
    done = {**select(states, slice(0, 3)), "guessed": np.ones((3, 26), dtype=np.int8)}
    for greedy in (True, False):
        assert FixedScores(np.ones(26), greedy).act(done).tolist() == [0, 0, 0]
        assert len(FixedScores(np.ones(26), greedy).act(select(states, slice(0)))) == 0


def test_an_unknown_agent_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="'clever' is unknown") as caught:
        make_agent("clever")
    for name in AGENTS:
        assert name in str(caught.value)
