"""Calibration and limits, compared with plain computations."""

import numpy as np
import pytest

from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.evaluation import calibration
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.calibration import first_games, reliability, win_rate_by_limit
from hangman_lab.evaluation.statistics import share_interval

LISTED = [
    *("apple", "ample", "amble", "jazz", "zebra", "quiz", "banana", "bandana", "rhythm", "onion"),
    *("union", "opinion", "tether", "letter", "better", "setter", "kettle", "settle", "a", "i"),
]


@pytest.fixture(scope="module")
def dictionary():
    return make_agent("dictionary").fit(LISTED[::2])


class Certain(PosteriorAgent):
    """Has the same probabilities in every state: 0.9 for a, 0.3 for b, 0.1 for the rest."""

    def _letter_probabilities(self, observations):
        chances = np.array([0.9, 0.3] + [0.1] * 24)
        return np.where(observations["guessed"] == 0, chances, 0.0)


def test_reliability_compares_probabilities_with_outcomes():
    # The guesses are a, and a and b twice; in each of the five states 24 letters are not hidden.
    result = reliability(play(Certain(), ["a", "ab", "b"]), Certain())
    assert result["predictions"] == 3 + 5 + 120
    brier = (2 * 0.1**2 + 0.9**2) + (4 * 0.7**2 + 0.3**2) + 120 * 0.1**2
    assert result["brier"] == pytest.approx(brier / 128)
    assert result["expected_calibration_error"] == pytest.approx((12 + 5 * 0.5 + 0.7) / 128)
    columns = ("low", "high", "predictions", "mean_probability", "share")
    bins = [[row[column] for column in columns] for row in result["bins"]]
    expected = [[0.1, 0.15, 120, 0.1, 0], [0.3, 0.35, 5, 0.3, 0.8], [0.9, 0.95, 3, 0.9, 2 / 3]]
    np.testing.assert_allclose(bins, expected)
    # The predictions of b in a word are a cluster.
    _, interval = share_interval(np.array([0, 1, 1, 1, 1]), np.array([0, 1, 1, 2, 2]))
    assert result["bins"][1]["ci95"] == pytest.approx(interval)


@pytest.mark.parametrize("name", AGENTS)
def test_agents_that_ignore_lives_guess_the_same_under_any_limit(name):
    agent = make_agent(name, seed=1).fit(LISTED)
    by_limit = win_rate_by_limit(agent, play(agent, LISTED, 3), 3)
    assert list(by_limit) == [str(limit) for limit in (3, *range(5, 13))]
    for limit, row in by_limit.items():
        again = play(agent, LISTED, int(limit))
        assert (row["games"], row["wins"]) == (len(again), again["won"].sum())


def test_other_limits_are_played_against_the_same_host(dictionary):
    games = play(dictionary, LISTED, evil_words=LISTED)
    by_limit = win_rate_by_limit(dictionary, games.assign(word=LISTED), evil_words=LISTED)
    for limit, row in by_limit.items():
        assert row["wins"] == play(dictionary, LISTED, int(limit), evil_words=LISTED)["won"].sum()
    assert (
        by_limit["5"]["wins"] < win_rate_by_limit(dictionary, play(dictionary, LISTED))["5"]["wins"]
    )


def test_all_agents_play_the_same_words_with_other_limits(monkeypatch, dictionary):
    monkeypatch.setattr(calibration, "MAX_WORDS", 5)
    words = first_games(play(dictionary, LISTED), 5)["word"].tolist()
    for agent in (make_agent("minimax").fit(LISTED), dictionary):
        by_limit = win_rate_by_limit(agent, play(agent, LISTED))
        for limit, row in by_limit.items():
            assert row["games"] == 5
            assert row["wins"] == play(agent, words, int(limit))["won"].sum()
