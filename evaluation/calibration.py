"""Calibration of letter probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.envs.encoding import encode_words
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.evaluation.arena import replay
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
    words, parts = games["word"].tolist(), []
    is_in_word = encode_words(words).letter_counts > 0
    for playing, before, _ in replay(words, games["letters"].tolist(), rules):
        predicted = agent.letter_probabilities(before)
        rows, letters = np.nonzero(before["guessed"] == 0)
        hidden = is_in_word[playing[rows], letters]
        parts.append((predicted[rows, letters], hidden, playing[rows]))
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
