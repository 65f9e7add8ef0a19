"""Statistics of games that were played: rates, intervals, tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, norm, t

from envs.encoding import ALPHABET
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


def mean_interval(
    values: npt.NDArray, clusters: npt.NDArray[np.int64]
) -> tuple[float, tuple[float, float] | None]:
    """Return a mean and its 95% interval, for values that hang together in clusters.

    The interval is Student's, with the cluster-robust standard error and one degree of freedom
    less than there are clusters. Games of one word, or letters of one game, are such clusters.

    Parameters
    ----------
    values : ndarray, shape (N,)
        N is at least 1.
    clusters : ndarray of int64, shape (N,)
        The cluster of each value, numbered from 0; numbers may be left out.

    Returns
    -------
    mean : float
    interval : tuple of float, or None
        None with a single cluster, which tells nothing about how clusters differ.

    References
    ----------
    K.-Y. Liang and S. L. Zeger, "Longitudinal data analysis using generalized linear models",
    Biometrika 73 (1986).
    """
    mean = float(values.mean())
    num_clusters = len(np.unique(clusters))
    if num_clusters < 2:
        return mean, None
    half = t.ppf((1 + CONFIDENCE) / 2, num_clusters - 1) * _standard_error(values, clusters)
    return mean, (float(mean - half), float(mean + half))


def share_interval(
    outcomes: npt.NDArray, clusters: npt.NDArray[np.int64]
) -> tuple[float, tuple[float, float]]:
    """Return a share and its 95% interval, for outcomes that hang together in clusters.

    It is Wilson's with the number of independent outcomes that would have the same standard error;
    where all outcomes are equal, with the number of clusters.

    Parameters
    ----------
    outcomes : ndarray of bool or float64, shape (N,)
        0 or 1 each; N is at least 1.
    clusters : ndarray of int64, shape (N,)
        As for :func:`mean_interval`.

    References
    ----------
    E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number
    of positive counts estimated from survey data", Survey Methodology 24 (1998).
    """
    share, count = float(outcomes.mean()), float(len(np.unique(clusters)))
    error = _standard_error(outcomes, clusters) if count > 1 else 0.0
    if error > 0:
        count = min(len(outcomes), share * (1 - share) / error**2)
    z = float(norm.ppf((1 + CONFIDENCE) / 2))
    shrink = 1 + z**2 / count
    center = (share + z**2 / (2 * count)) / shrink
    half = z * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2)) / shrink
    # Rounding would else leave a share of 0 or 1 outside of its own interval.
    return share, (float(min(center - half, share)), float(max(center + half, share)))


def _standard_error(values: npt.NDArray, clusters: npt.NDArray[np.int64]) -> float:
    """Return the cluster-robust standard error of the mean; there are two clusters or more."""
    num_clusters = len(np.unique(clusters))
    deviations = np.bincount(clusters, weights=values - values.mean())
    variance = (deviations**2).sum() * num_clusters / (num_clusters - 1)
    return float(np.sqrt(variance) / len(values))


def win_rate(wins: int, games: int) -> dict[str, Any]:
    """Return ``games``, ``wins``, ``win_rate`` and its ``ci95`` as JSON holds them."""
    return {
        "games": int(games),
        "wins": int(wins),
        "win_rate": float(wins / games) if games else 0.0,
        "ci95": list(win_rate_interval(wins, games)),
    }


def summarize(played: PlayedGames, num_hardest: int = 25, num_easiest: int = 10) -> dict[str, Any]:
    """Return the figures of an agent's games as the JSON of ``evaluate.py`` holds them.

    Parameters
    ----------
    played : PlayedGames
    num_hardest : int
        How many of the words that were won least are listed. Among words that were won equally
        often, those with more wrong guesses in the mean come first, then the alphabet decides.
    num_easiest : int
        How many of the words that were won most are listed.
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
        "hardest_games": describe_words(played, hardest_words(played, num_hardest)),
        "easiest_games": describe_words(played, easiest_words(played, num_easiest)),
        "first_letters": first_letters(played),
    }


def hardest_words(played: PlayedGames, count: int) -> list[str]:
    """Return up to ``count`` words that were not always won, those that were won least first."""
    won, wrong = _means_by_word(played)
    order = np.lexsort((np.array(played.words, dtype=np.str_), -wrong, won))
    return [played.words[index] for index in order[:count] if won[index] < 1]


def easiest_words(played: PlayedGames, count: int) -> list[str]:
    """Return up to ``count`` words that were won, those that were won most first.

    Among words that were won equally often, those with fewer wrong guesses in the mean come
    first, then longer ones (a short word without a wrong guess is luck), then the alphabet decides.
    """
    won, wrong = _means_by_word(played)
    lengths = np.array([len(word) for word in played.words], dtype=np.int64)
    order = np.lexsort((np.array(played.words, dtype=np.str_), -lengths, wrong, -won))
    return [played.words[index] for index in order[:count] if won[index] > 0]


def describe_words(played: PlayedGames, words: Sequence[str]) -> list[dict[str, Any]]:
    """Return how each of some words went.

    Returns
    -------
    list of dict
        ``word``, ``games``, ``wins``, ``mean_wrong_guesses``, and ``guesses``: the letters of its
        first game in order, those that are not in the word in upper case.
    """
    position = {word: index for index, word in enumerate(played.words)}
    described = []
    for word in words:
        games = np.flatnonzero(played.word_index == position[word])
        described.append(
            {
                "word": word,
                "games": len(games),
                "wins": int(played.won[games].sum()),
                "mean_wrong_guesses": float(played.wrong_guesses[games].mean()),
                "guesses": "".join(
                    letter if letter in word else letter.upper()
                    for letter in guesses_in_order(played, games[0])
                ),
            }
        )
    return described


def guesses_in_order(played: PlayedGames, game: int) -> str:
    """Return the letters that were guessed in one game, in lower case."""
    letters = played.letters[game]
    return "".join(ALPHABET[letter] for letter in letters[letters >= 0])


def first_letters(played: PlayedGames) -> list[dict[str, Any]]:
    """Return which letters were guessed first, and how often they were in the word.

    Returns
    -------
    list of dict
        ``letter``, ``games``, ``share`` of the games, ``hits``, ``hit_rate`` and its ``ci95``;
        the most frequent letter first, then by the alphabet.
    """
    if not len(played):
        return []
    first = played.letters[:, 0]
    is_in_word = np.array([[letter in word for letter in ALPHABET] for word in played.words])
    hit = is_in_word[played.word_index, first]
    games = np.bincount(first, minlength=len(ALPHABET))
    hits = np.bincount(first, weights=hit, minlength=len(ALPHABET)).astype(np.int64)
    return [
        {
            "letter": ALPHABET[letter],
            "games": int(games[letter]),
            "share": float(games[letter] / len(played)),
            "hits": int(hits[letter]),
            "hit_rate": float(hits[letter] / games[letter]),
            "ci95": list(win_rate_interval(hits[letter], games[letter])),
        }
        for letter in np.argsort(-games, kind="stable").tolist()
        if games[letter]
    ]


def mcnemar(first: PlayedGames, second: PlayedGames) -> dict[str, Any]:
    """Compare two agents on the same words by McNemar's exact test.

    The test takes its pairs as independent. Where words were played more than once, the first
    game of each word counts.

    Returns
    -------
    dict
        ``words``, ``both_won``, ``only_first_won``, ``only_second_won``, ``neither_won``,
        ``difference`` of the win rates on these games (first less second), and the two-sided
        ``p_value`` of the hypothesis that both win equally often.

    Raises
    ------
    ValueError
        If they did not play the same words.

    References
    ----------
    Q. McNemar, "Note on the sampling error of the difference between correlated proportions or
    percentages", Psychometrika 12 (1947).
    """
    if first.words != second.words:
        raise ValueError("the agents did not play the same words")
    a, b = (
        played.won[np.unique(played.word_index, return_index=True)[1]] for played in (first, second)
    )
    only_first, only_second = int((a & ~b).sum()), int((b & ~a).sum())
    discordant = only_first + only_second
    return {
        "words": len(a),
        "both_won": int((a & b).sum()),
        "only_first_won": only_first,
        "only_second_won": only_second,
        "neither_won": int((~a & ~b).sum()),
        "difference": (only_first - only_second) / len(a) if len(a) else 0.0,
        "p_value": float(binomtest(only_first, discordant).pvalue) if discordant else 1.0,
    }


def compare_pairwise(played: dict[str, PlayedGames]) -> list[dict[str, Any]]:
    """Return :func:`mcnemar` of each two agents, with their names as ``first`` and ``second``."""
    return [
        {"first": first, "second": second, **mcnemar(played[first], played[second])}
        for first, second in combinations(played, 2)
    ]


def _means_by_word(
    played: PlayedGames,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the win rate and the mean number of wrong guesses of each word."""
    num_words = len(played.words)
    games = np.maximum(np.bincount(played.word_index, minlength=num_words), 1)
    won = np.bincount(played.word_index, weights=played.won, minlength=num_words)
    wrong = np.bincount(played.word_index, weights=played.wrong_guesses, minlength=num_words)
    return won / games, wrong / games
