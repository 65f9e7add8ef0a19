"""Calibration of letter probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.envs.encoding import FIRST_LETTER, encode_words
from hangman_lab.envs.hangman.games import HangmanGames
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.statistics import share_interval
from hangman_lab.run_files.words import draw_indices

# The games of at most this many words are replayed.
MAX_WORDS = 2000
_NUM_BINS = 20


def reliability(games: pd.DataFrame, agent: PosteriorAgent, rules: Rules) -> dict[str, Any]:
    """Compare predicted letter probabilities with outcomes in an agent's games.

    Each unguessed letter in each state is a prediction. There must be a game; of more than 2,000,
    that many are chosen by the hashes of their words. Returns the number of ``predictions``; the
    Brier score ``brier``; ``expected_calibration_error``, the mean distance between probability and
    share, weighted by predictions; the nonempty ``bins`` of 20 bins of equal width, with the
    ``share`` of letters that were hidden, and its ``ci95``, for which the predictions of a word are
    a cluster.
    """
    games = games.iloc[np.sort(draw_indices(games["word"].tolist(), MAX_WORDS))]
    secrets = encode_words(games["word"].tolist())
    replayed = HangmanGames(len(secrets), secrets.width, rules)
    replayed.start(slice(None), secrets)
    parts = []
    # The letters of each turn, negative after the end.
    for guesses in encode_words(games["letters"].tolist()).codes.T.astype(np.int64) - FIRST_LETTER:
        playing = np.flatnonzero(guesses >= 0)
        before = replayed.observe(playing)
        predicted = agent.letter_probabilities(before)
        rows, letters = np.nonzero(before["guessed"] == 0)
        hidden = secrets.letter_counts[playing[rows], letters] > 0
        parts.append((predicted[rows, letters], hidden, playing[rows]))
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
