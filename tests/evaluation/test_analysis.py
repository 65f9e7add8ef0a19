"""Calibration and limits, compared with plain computations."""

import numpy as np
import pytest

from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.evaluation import analysis
from hangman_lab.evaluation.analysis import first_games, reliability, win_rate_by_limit
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.statistics import share_interval
from tests.envs.hangman.referee import Referee

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
LISTED = [
    *("apple", "ample", "amble", "jazz", "zebra", "quiz", "banana", "bandana", "rhythm", "onion"),
    *("union", "opinion", "tether", "letter", "better", "setter", "kettle", "settle", "a", "i"),
]


@pytest.fixture(scope="module")
def dictionary():
    return make_agent("dictionary").fit(LISTED[::2])


class Recorder(PosteriorAgent):
    """Plays by an agent's probabilities, and records them with their states."""

    def __init__(self, agent):
        self.agent = agent
        self.asked = []

    def letter_probabilities(self, observations):
        chances = self.agent.letter_probabilities(observations)
        self.asked += zip(observations["guessed"], chances, strict=True)
        return chances


def predictions_of(games, agent):
    """Return each letter's probability in each state of the referee's games, outcome and game."""
    predictions = []
    for game in games.itertuples():
        referee = Referee(game.word)
        recorder = Recorder(agent)
        play(recorder, [game.word])
        assert len(recorder.asked) == game.guesses
        for (guessed, chances), letter in zip(recorder.asked, game.letters, strict=True):
            assert {ALPHABET[index] for index in np.flatnonzero(guessed)} == set(referee.guessed)
            for index in np.flatnonzero(guessed == 0):
                predictions.append((chances[index], ALPHABET[index] in game.word, game.Index))
            referee.guess(letter)
    return np.array(predictions, dtype=float).T


def test_reliability_compares_probabilities_with_outcomes(dictionary):
    games = play(dictionary, LISTED)
    chance, hidden, game = predictions_of(games, dictionary)
    result = reliability(games, dictionary)
    assert result["predictions"] == len(chance)
    assert result["brier"] == pytest.approx(((chance - hidden) ** 2).mean())
    assert sum(row["predictions"] for row in result["bins"]) == len(chance)
    position = np.minimum(np.floor(chance * 20), 19)
    error = 0.0
    for row in result["bins"]:
        members = position == round(row["low"] * 20)
        assert row["predictions"] == members.sum()
        assert row["mean_probability"] == pytest.approx(chance[members].mean())
        assert row["share"] == pytest.approx(hidden[members].mean())
        _, interval = share_interval(hidden[members], game[members].astype(int))
        assert row["ci95"] == pytest.approx(interval)
        error += members.mean() * abs(chance[members].mean() - hidden[members].mean())
    assert result["expected_calibration_error"] == pytest.approx(error)


@pytest.mark.parametrize("name", AGENTS)
def test_agents_that_do_not_use_their_lives_guess_the_same_under_any_limit(name):
    agent = make_agent(name, seed=1).fit(LISTED)
    by_limit = win_rate_by_limit(agent, play(agent, LISTED))
    for limit in range(1, 13):
        again = play(agent, LISTED, limit)
        assert by_limit[str(limit)]["games"] == len(again)
        assert by_limit[str(limit)]["wins"] == again["won"].sum()


class CarefulAgent(PosteriorAgent):
    """Guesses from the end of the alphabet with its last life."""

    def act_batch(self, observations, keys=None):
        free = observations["guessed"] == 0
        last = 25 - free[:, ::-1].argmax(axis=1)
        return np.where(observations["lives"] == 1, last, free.argmax(axis=1))

    def letter_probabilities(self, observations):
        return np.where(observations["guessed"] == 0, 0.25, 0.0)


def test_all_agents_play_the_same_words_with_other_limits(monkeypatch, dictionary):
    monkeypatch.setattr(analysis, "MAX_WORDS", 5)
    words = first_games(play(dictionary, LISTED), 5)["word"].tolist()
    for agent in (CarefulAgent(), dictionary):
        by_limit = win_rate_by_limit(agent, play(agent, LISTED))
        for limit, row in by_limit.items():
            assert row["games"] == 5
            assert row["wins"] == play(agent, words, int(limit))["won"].sum()
