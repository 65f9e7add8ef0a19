"""What is computed from games that were played."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binomtest

from evaluation.arena import PlayedGames

CONFIDENCE = 0.95


def win_rate_interval(wins: int, games: int) -> tuple[float, float]:
    """Return the 95% Wilson score interval of a win rate; (0, 1) without a game.

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927).
    """
    if games == 0:
        return 0.0, 1.0
    interval = binomtest(int(wins), int(games)).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def win_rate(wins: int, games: int) -> dict[str, Any]:
    """Return ``games``, ``wins``, ``win_rate`` and its ``ci95`` as JSON holds them."""
    return {
        "games": int(games),
        "wins": int(wins),
        "win_rate": float(wins / games) if games else 0.0,
        "ci95": list(win_rate_interval(wins, games)),
    }


def summarize(played: PlayedGames, num_hardest: int = 25) -> dict[str, Any]:
    """Return the figures of an agent's games as the JSON of ``evaluate.py`` holds them.

    Parameters
    ----------
    played : PlayedGames
    num_hardest : int
        How many of the words that were won least are listed. Among words that were won equally
        often, those with more wrong guesses in the mean come first, then the alphabet decides.
    """
    lengths = played.lengths
    games = len(played)
    by_length = {
        str(length): win_rate(played.won[lengths == length].sum(), (lengths == length).sum())
        for length in np.unique(lengths).tolist()
    }
    return {
        **win_rate(played.won.sum(), games),
        "mean_wrong_guesses": float(played.wrong_guesses.mean()) if games else 0.0,
        "mean_guesses": float(played.num_guesses.mean()) if games else 0.0,
        "games_per_second": games / played.seconds if played.seconds else 0.0,
        "by_length": by_length,
        "hardest": hardest_words(played, num_hardest),
    }


def hardest_words(played: PlayedGames, count: int) -> list[str]:
    """Return up to ``count`` words that were not always won, those that were won least first."""
    num_words = len(played.words)
    games = np.maximum(np.bincount(played.word_index, minlength=num_words), 1)
    won = np.bincount(played.word_index, weights=played.won, minlength=num_words) / games
    wrong = np.bincount(played.word_index, weights=played.wrong_guesses, minlength=num_words)
    order = np.lexsort((np.array(played.words, dtype=np.str_), -wrong / games, won))
    return [played.words[index] for index in order[:count] if won[index] < 1]
