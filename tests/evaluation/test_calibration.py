"""Calibration, compared with plain computations."""

import numpy as np
import pytest

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.calibration import reliability
from hangman_lab.evaluation.statistics import share_interval
from hangman_lab.run_files.words import draw_words


class Certain(PosteriorAgent):
    """Has the same probabilities in every state: 0.9 for a, 0.3 for b, 0.1 for the rest."""

    def _letter_probabilities(self, observations):
        chances = np.array([0.9, 0.3] + [0.1] * 24)
        return np.where(observations["guessed"] == 0, chances, 0.0)


def test_reliability_compares_probabilities_with_outcomes():
    # The guesses are a, and a and b twice; in each of the five states 24 letters are not hidden.
    result = reliability(play(Certain(), ["a", "ab", "b"]), Certain(), Rules())
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


def test_the_games_of_2000_words_are_replayed(real_words):
    words = real_words[:2_100]
    games = play(Certain(), words)
    chosen = games["word"].isin(draw_words(words, 2_000))
    assert reliability(games, Certain(), Rules()) == reliability(
        games.loc[chosen], Certain(), Rules()
    )
