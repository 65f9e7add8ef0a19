"""Statistics of games: rates, intervals, tests."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import bdtr, stdtrit

from hangman_lab.envs.words import hash_words
from hangman_lab.evaluation.intervals import CONFIDENCE, win_rate_interval

_NUM_HARDEST = 25


def share_interval(
    outcomes: npt.NDArray, clusters: npt.NDArray[np.int64]
) -> tuple[float, tuple[float, float]]:
    """Return a share and its 95% interval, for outcomes with dependence within clusters.

    Outcomes that are floats in 0..1 have a mean in place of a share. The interval is Wilson's for
    the effective number of independent outcomes, which Student's quantiles reduce for few clusters;
    if all outcomes are equal, for the number of clusters.

    References
    ----------
    The effective number of outcomes, with Clopper and Pearson's interval: E. L. Korn and B. I.
    Graubard, "Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data", Survey Methodology 24 (1998). Wilson's interval with it: N. Dean
    and M. Pagano, "Evaluating confidence interval methods for binomial proportions in clustered
    surveys", Journal of Survey Statistics and Methodology 3 (2015).
    """
    share, number, count = float(outcomes.mean()), len(outcomes), len(np.unique(clusters))
    error, effective = 0.0, float(count)
    if count > 1:  # the cluster-robust standard error
        deviations = np.bincount(clusters, weights=outcomes - outcomes.mean())
        variance = (deviations**2).sum() * count / (count - 1)
        error = float(np.sqrt(variance) / number)
    if error > 0:
        quantiles = stdtrit([number - 1, count - 1], (1 + CONFIDENCE) / 2)
        effective = share * (1 - share) / error**2
        if outcomes.dtype.kind != "f":  # numbers between 0 and 1 vary less than shares
            effective = min(number, effective)
        effective *= (quantiles[0] / quantiles[1]) ** 2
    low, high = win_rate_interval(share * effective, effective)
    return share, (float(low), float(high))


def win_rate(wins: int, games: int) -> dict[str, Any]:
    """Return ``games``, ``wins``, ``win_rate`` and its ``ci95`` as JSON values."""
    return {
        "games": int(games),
        "wins": int(wins),
        "win_rate": float(wins / games) if games else 0.0,
        "ci95": list(win_rate_interval(wins, games)),
    }


def worst_win_rates(won: npt.ArrayLike) -> dict[str, float]:
    """Return the win rates of the ``worst_word``, the ``worst_tenth`` and all words (``mean``).

    ``won``, shape (repetitions, words), is whether each game was won. Every second repetition
    selects the words, and the others measure them: in the same games, the lowest of many rates is
    low by chance. Words that tie in the selection share their mean rate.
    """
    games = np.asarray(won, dtype=np.float64)
    chosen_by = games[::2].mean(axis=0)
    rates = games[1::2].mean(axis=0) if len(games) > 1 else chosen_by
    # The mean rate of a word's ties, for each word in the order of the selection, worst first.
    _, ties = np.unique(chosen_by, return_inverse=True)
    rates = (np.bincount(ties, rates) / np.bincount(ties))[np.sort(ties)]
    tenth, mean = float(rates[: -(-len(rates) // 10)].mean()), float(games.mean())
    worst = {"worst_word": float(rates[0]), "worst_tenth": tenth}
    return {"repeat": len(games), "mean": mean} | worst


def basic_statistics(games: pd.DataFrame, seconds: float) -> dict[str, Any]:
    """Return the statistics of :func:`summarize` that name no words."""
    count = len(games)
    by_length = games.groupby("length")["won"].agg(["sum", "count"])
    return {
        **win_rate(games.won.sum(), count),
        "mean_wrong_guesses": float(games.wrong_guesses.mean()) if count else 0.0,
        "mean_guesses": float(games.guesses.mean()) if count else 0.0,
        "games_per_second": count / seconds if seconds else 0.0,
        "by_length": {
            str(length): win_rate(wins, number) for length, wins, number in by_length.itertuples()
        },
    }


def summarize(games: pd.DataFrame, seconds: float) -> dict[str, Any]:
    """Return the statistics of the games of :func:`evaluation.arena.play`, which took ``seconds``.

    The hardest words are lost words with the fewest letters found; ties are ordered by hash.
    """
    # Lost games have the same number of wrong guesses, so that fewer guesses found fewer letters.
    distinct = games.drop_duplicates(["word", "letters"])  # an evil host's games can be alike
    lost = distinct.loc[~distinct["won"]]
    # Many games are lost without a hit; alphabetical order would show only words with an A.
    lost = lost.assign(hash=hash_words(lost["word"])).sort_values(["guesses", "hash"])
    hardest = lost.head(_NUM_HARDEST)
    described = hardest.loc[:, ["word", "wrong_guesses", "letters"]].to_dict("records")
    for game in described:
        letters = game.pop("letters")
        game["guesses"] = "".join(
            letter if letter in game["word"] else letter.upper() for letter in letters
        )
    return {
        **basic_statistics(games, seconds),
        "hardest": hardest["word"].tolist(),
        "hardest_games": described,
    }


def mcnemar(first: npt.ArrayLike, second: npt.ArrayLike) -> dict[str, Any]:
    """Compare two agents on the same words by McNemar's exact test.

    ``first`` and ``second`` are whether each agent won each word, in the same order. Words are
    taken as independent. ``difference`` is of the win rates (first less second); the two-sided
    ``p_value`` is that of the hypothesis that both win equally often.

    References
    ----------
    Q. McNemar, "Note on the sampling error of the difference between correlated proportions or
    percentages", Psychometrika 12 (1947).
    """
    a, b = np.asarray(first, dtype=np.bool_), np.asarray(second, dtype=np.bool_)
    only_first, only_second = int((a & ~b).sum()), int((b & ~a).sum())
    discordant = only_first + only_second
    return {
        "words": len(a),
        "both_won": int((a & b).sum()),
        "only_first_won": only_first,
        "only_second_won": only_second,
        "neither_won": int((~a & ~b).sum()),
        "difference": (only_first - only_second) / len(a) if len(a) else 0.0,
        # Both tails; their sum counts a tie twice.
        "p_value": min(2 * float(bdtr(min(only_first, only_second), discordant, 0.5)), 1.0),
    }


def compare_pairwise(games: pd.DataFrame) -> list[dict[str, Any]]:
    """Return :func:`mcnemar` for each pair of agents, with their names as ``first`` and ``second``.

    ``games`` has the column ``agent``; all agents played the same words in the same order.
    """
    won = {name: played["won"] for name, played in games.groupby("agent", sort=False)}
    return [
        {"first": first, "second": second, **mcnemar(won[first], won[second])}
        for first, second in combinations(won, 2)
    ]
