"""Statistics of games, compared with statsmodels and plain counts."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_statsmodels
from statsmodels.stats.proportion import proportion_confint

from hangman_lab.evaluation.statistics import (
    compare_pairwise,
    mcnemar,
    share_interval,
    summarize,
    win_rate,
    win_rate_interval,
    worst_win_rates,
)


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(counts):
    wins, games = counts
    low, high = win_rate_interval(wins, games)
    assert (low, high) == pytest.approx(proportion_confint(wins, games, method="wilson"), abs=1e-9)
    assert 0 <= low <= wins / games <= high <= 1


def test_no_games_have_empty_statistics():
    assert win_rate_interval(0, 0) == (0.0, 1.0)
    assert win_rate(0, 0) == {"games": 0, "wins": 0, "win_rate": 0.0, "ci95": [0.0, 1.0]}


@pytest.mark.parametrize("won", [0, 70, 120])
def test_the_share_interval_of_independent_outcomes_is_nearly_wilsons(won):
    outcomes = np.arange(120) < won
    share, interval = share_interval(outcomes, np.arange(120))
    assert share == won / 120
    np.testing.assert_allclose(interval, win_rate_interval(won, 120), rtol=0.005)
    # Clusters of equal outcomes count once.
    assert share_interval(np.ones(120), np.arange(120) // 10)[1] == win_rate_interval(12, 12)


def test_clusters_that_are_alike_are_no_more_than_independent_outcomes():
    outcomes = np.arange(120) % 2
    outcomes[0] = 1
    low, high = share_interval(outcomes, np.arange(120) // 10)[1]
    fewest, most = win_rate_interval(61, 120)
    assert low < fewest < most < high


@pytest.mark.parametrize("number", [3, 5, 10, 40])
def test_the_share_interval_has_95_percent_coverage_for_correlated_clusters(number):
    random = np.random.default_rng(0)
    clusters = np.repeat(np.arange(number), 10)
    rates = random.beta(2, 2, size=(2000, number))
    outcomes = random.random((2000, 10 * number)) < rates[:, clusters]
    intervals = np.array([share_interval(row, clusters)[1] for row in outcomes])
    covered = ((intervals[:, 0] <= 0.5) & (intervals[:, 1] >= 0.5)).mean()
    assert 0.94 < covered < (0.97 if number > 3 else 1)


def table(*rows):
    """Games from their words, whether they were won, wrong guesses and letters."""
    games = pd.DataFrame(rows, columns=["word", "won", "wrong_guesses", "letters"])
    return games.assign(length=games["word"].str.len(), guesses=games["letters"].str.len())


def test_games_are_summarized_overall_and_by_length():
    games = table(
        ("cat", True, 0, "act"), ("zebra", True, 2, "zebrast"), ("ox", False, 2, "oab"),
        ("apple", False, 2, "xy"), ("abbey", True, 2, "xayebz"),
    )  # fmt: skip
    statistics = summarize(games, 2.0)
    assert (statistics["games"], statistics["wins"], statistics["win_rate"]) == (5, 3, 3 / 5)
    assert statistics["ci95"] == pytest.approx(proportion_confint(3, 5, method="wilson"))
    assert statistics["mean_wrong_guesses"] == pytest.approx(8 / 5)
    assert statistics["mean_guesses"] == pytest.approx(21 / 5)
    assert statistics["games_per_second"] == 2.5
    by_length = {"2": win_rate(0, 1), "3": win_rate(1, 1), "5": win_rate(2, 3)}
    assert statistics["by_length"] == by_length
    assert statistics["hardest"] == ["apple", "ox"]
    assert statistics["hardest_games"][1] == {"word": "ox", "wrong_guesses": 2, "guesses": "oAB"}


def test_equally_hard_words_are_not_in_alphabetical_order(real_words):
    games = table(*((word, False, 6, "zzzzzz") for word in real_words))
    hardest = summarize(games, 1.0)["hardest"]
    assert hardest == summarize(games.iloc[::-1], 1.0)["hardest"]
    assert len({word[0] for word in hardest}) > 5


def test_the_worst_words_are_selected_and_measured_by_different_games():
    # Word 0 is lost in every second game, word 1 in the others, 2 to 19 in none.
    won = np.ones((4, 20))
    won[::2, 0] = won[1::2, 1] = 0
    expected = {"repeat": 4, "mean": 76 / 80, "worst_word": 1, "worst_tenth": 1 - 1 / 19 / 2}
    assert worst_win_rates(won) == pytest.approx(expected)
    won[:, 0] = 0
    assert worst_win_rates(won)["worst_word"] == 0
    assert worst_win_rates(won[:1])["worst_tenth"] == 0.5


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
def test_mcnemar_agrees_with_statsmodels(outcomes):
    counts = [[0, 0], [0, 0]]
    for a, b in outcomes:
        counts[not a][not b] += 1
    first, second = zip(*outcomes, strict=True)
    result = mcnemar(first, second)
    assert [
        [result["both_won"], result["only_first_won"]],
        [result["only_second_won"], result["neither_won"]],
    ] == counts
    expected: Any = mcnemar_of_statsmodels(counts, exact=True)
    assert result["p_value"] == pytest.approx(expected.pvalue, abs=1e-12)
    assert result["difference"] == pytest.approx(np.mean(first) - np.mean(second))


def test_every_pair_of_agents_is_compared():
    games = pd.DataFrame({"agent": list("zzxxyy"), "won": [True, True, False, False, False, True]})
    pairs = {
        (pair["first"], pair["second"]): (pair["only_first_won"], pair["only_second_won"])
        for pair in compare_pairwise(games)
    }
    assert pairs == {("z", "x"): (2, 0), ("z", "y"): (1, 0), ("x", "y"): (0, 1)}
