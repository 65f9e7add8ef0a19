"""Pooling of lengths."""

from hangman_lab.evaluation.plots import pool_lengths
from hangman_lab.evaluation.statistics import win_rate


def by_length(games):
    return {str(length): win_rate(count // 2, count) for length, count in games.items()}


def test_lengths_of_few_games_are_pooled_only_at_both_ends():
    games = {1: 2, 2: 20, 3: 10, 4: 100, 5: 5, 6: 50, 7: 40, 8: 4, 21: 2}
    pooled = pool_lengths(by_length(games))
    assert list(pooled) == ["1-3", "4", "5", "6", "7-21"]
    assert [cell["games"] for cell in pooled.values()] == [32, 100, 5, 50, 46]
    assert pooled["1-3"] == win_rate(16, 32)
    assert pool_lengths(by_length({3: 4, 5: 2})) == {"3-5": win_rate(3, 6)}
