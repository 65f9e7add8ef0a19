import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from evaluation.arena import PlayedGames
from evaluation.statistics import (
    hardest_words,
    share_interval,
    summarize,
    win_rate,
    win_rate_interval,
)


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(counts):
    wins, games = counts
    low, high = win_rate_interval(wins, games)
    expected = proportion_confint(wins, games, alpha=0.05, method="wilson")
    assert (low, high) == pytest.approx(expected, abs=1e-9)
    assert 0 <= low <= wins / games <= high <= 1


def test_no_game_tells_nothing():
    assert win_rate_interval(0, 0) == (0.0, 1.0)
    assert win_rate(0, 0) == {"games": 0, "wins": 0, "win_rate": 0.0, "ci95": [0.0, 1.0]}


def played_games():
    """Two games of each of four words: always, once, never (twice) won."""
    return PlayedGames(
        words=("cat", "zebra", "apple", "ox"),
        word_index=np.array([0, 0, 1, 1, 2, 2, 3, 3]),
        won=np.array([1, 1, 1, 0, 0, 0, 0, 0], dtype=bool),
        wrong_guesses=np.array([0, 2, 1, 6, 6, 6, 6, 6]),
        letters=np.array([[0, 1, -1], [2, 3, 4], *[[5, 6, 7]] * 6], dtype=np.int8),
        max_wrong=6,
        seconds=2.0,
    )


def test_games_are_summed_up_overall_and_by_length():
    figures = summarize(played_games())
    assert figures["games"] == 8
    assert figures["wins"] == 3
    assert figures["win_rate"] == pytest.approx(3 / 8)
    assert figures["ci95"] == pytest.approx(proportion_confint(3, 8, method="wilson"))
    assert figures["mean_wrong_guesses"] == pytest.approx(33 / 8)
    assert figures["mean_guesses"] == pytest.approx(23 / 8)
    assert figures["games_per_second"] == pytest.approx(4)
    assert list(figures["by_length"]) == ["2", "3", "5"]
    assert figures["by_length"]["5"]["games"] == 4
    assert figures["by_length"]["5"]["wins"] == 1
    assert sum(row["games"] for row in figures["by_length"].values()) == 8
    assert figures["hardest"] == ["apple", "ox", "zebra"]


def test_the_hardest_words_come_first_and_won_words_never():
    assert hardest_words(played_games(), 2) == ["apple", "ox"]
    assert hardest_words(played_games(), 99) == ["apple", "ox", "zebra"]


@pytest.mark.parametrize("won", [0, 70, 120])
def test_the_interval_of_a_share_of_independent_outcomes_is_nearly_that_of_a_win_rate(won):
    outcomes = np.arange(120) < won
    share, interval = share_interval(outcomes, np.arange(120))
    assert share == won / 120
    np.testing.assert_allclose(interval, win_rate_interval(won, 120), rtol=0.005)


def test_the_interval_of_a_share_holds_the_truth_19_times_in_20_when_clusters_go_alike():
    random = np.random.default_rng(0)
    clusters = np.repeat(np.arange(40), 10)
    rates = random.beta(2, 2, size=(2000, 40))
    outcomes = random.random((2000, 400)) < rates[:, clusters]
    intervals = np.array([share_interval(row, clusters)[1] for row in outcomes])
    assert 0.93 < ((intervals[:, 0] <= 0.5) & (intervals[:, 1] >= 0.5)).mean() < 0.97
