"""Calibration of letter probabilities, and win rates by the number of wrong guesses allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from hangman_lab.agents.base import Agent, PosteriorAgent
from hangman_lab.envs.encoding import encode_words
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames
from hangman_lab.evaluation.arena import Advance, play, split_letters
from hangman_lab.evaluation.statistics import share_interval, win_rate
from hangman_lab.run_files.words import draw_indices

# With fewer, the look-ahead, of games with three lives, is slow: all words fit when it begins.
LIMITS = range(5, 13)
# At most this many words are replayed with other limits, or used for calibration.
MAX_WORDS = 2000
_NUM_BINS = 20


def reliability(
    games: pd.DataFrame, agent: PosteriorAgent, max_wrong: int = DEFAULT_MAX_WRONG
) -> dict[str, Any]:
    """Compare predicted letter probabilities with outcomes in an agent's games.

    Each unguessed letter in each state of the games is a prediction; there must be a game. Returns
    the number of ``predictions``; the Brier score ``brier``; ``expected_calibration_error``, the
    mean distance between probability and share, weighted by predictions; the nonempty ``bins`` of
    20 bins of equal width, with the ``share`` of letters that were hidden, and its ``ci95``, for
    which the predictions of a word are a cluster.
    """
    secrets = encode_words(games["word"].tolist())
    replayed = HangmanGames(len(secrets), secrets.width, max_wrong)
    replayed.start(slice(None), secrets)
    parts = []
    for guesses in split_letters(games["letters"]).T:
        playing = np.flatnonzero(guesses >= 0)
        before = replayed.observe(playing)
        chances = agent.letter_probabilities(before)
        rows, letters = np.nonzero(before["guessed"] == 0)
        hidden = secrets.letter_counts[playing[rows], letters] > 0
        parts.append((chances[rows, letters], hidden, playing[rows]))
        replayed.guess(np.maximum(guesses, 0))
    probability, outcome, game = map(np.concatenate, zip(*parts, strict=True))
    outcome = outcome.astype(np.float64)
    position = np.minimum((probability * _NUM_BINS).astype(np.int64), _NUM_BINS - 1)
    bins = []
    for number in np.unique(position).tolist():
        members = np.flatnonzero(position == number)
        share, interval = share_interval(outcome[members], game[members])
        bins.append(
            {
                "low": number / _NUM_BINS,
                "high": (number + 1) / _NUM_BINS,
                "predictions": len(members),
                "mean_probability": float(probability[members].mean()),
                "share": share,
                "ci95": list(interval),
            }
        )
    distance = sum(row["predictions"] * abs(row["mean_probability"] - row["share"]) for row in bins)
    return {
        "predictions": len(outcome),
        "brier": float(((probability - outcome) ** 2).mean()),
        "expected_calibration_error": distance / len(outcome),
        "bins": bins,
    }


def win_rate_by_limit(
    agent: Agent,
    games: pd.DataFrame,
    max_wrong: int = DEFAULT_MAX_WRONG,
    advance: Advance = lambda count: None,
    **host: Any,
) -> dict[str, Any]:
    """Return :func:`win_rate` for ``max_wrong`` and each of 5 to 12 wrong guesses, as text.

    At most 2,000 of the words of ``games`` are played, chosen by hash, so that all agents play the
    same. An agent that ignores lives plays once, with the highest limit; it wins under every limit
    above its number of wrong guesses. Other agents play once per limit. ``advance`` is called with
    the number of limits done.
    """
    games = first_games(games, MAX_WORDS)
    words = games["word"].tolist()
    limits = sorted({max_wrong, *LIMITS})
    if not agent.uses_lives and max_wrong < limits[-1]:
        games = play(agent, words, limits[-1], **host)
    rates = {}
    for limit in limits:
        if not agent.uses_lives:
            won = games.won & (games.wrong_guesses < limit)
        elif limit == max_wrong:
            won = games.won
        else:
            won = play(agent, words, limit, **host).won
        rates[str(limit)] = win_rate(won.sum(), len(games))
        advance(1)
    return rates


def first_games(games: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return at most ``count`` of an agent's games, chosen by a hash of their words."""
    return games.iloc[np.sort(draw_indices(games["word"].tolist(), count))]
