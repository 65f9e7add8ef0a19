"""Calibration of letter probabilities, and win rates by the number of wrong guesses allowed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hangman_lab.agents.base import Agent, PosteriorAgent
from hangman_lab.envs.encoding import encode_words
from hangman_lab.envs.hangman.observation import Observation
from hangman_lab.envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames
from hangman_lab.evaluation.arena import DEFAULT_BATCH_SIZE, batches, play, split_letters
from hangman_lab.evaluation.preparation import Match
from hangman_lab.evaluation.statistics import share_interval, win_rate
from hangman_lab.run_files.words import draw_indices

LIMITS = range(1, 13)
# At most this many words are replayed with other limits, or used for calibration.
MAX_WORDS = 4000
_NUM_BINS = 20


class Turn(NamedTuple):
    """The states of M games before a guess."""

    rows: npt.NDArray[np.int64]  #: shape (M,): The rows of the games in their table.
    before: Observation  #: The observations.
    hidden: npt.NDArray[np.bool_]  #: shape (M, 26): The letters behind blanks.


def replay(games: pd.DataFrame, max_wrong: int) -> Iterator[Turn]:
    """Yield the turns of all games of a table of :func:`play`, batch by batch."""
    for batch in batches(len(games), DEFAULT_BATCH_SIZE) if len(games) else ():
        part = games[batch]
        secrets, letters = encode_words(part["word"].tolist()), split_letters(part["letters"])
        replayed = HangmanGames(len(part), secrets.width, max_wrong)
        replayed.start(slice(None), secrets)
        for guesses in letters.T:
            playing = np.flatnonzero(guesses >= 0)
            before = replayed.observe(playing)
            hidden = (secrets.letter_counts[playing] > 0) & (before["guessed"] == 0)
            replayed.guess(np.maximum(guesses, 0))
            yield Turn(batch.start + playing, before, hidden)


def reliability(
    games: pd.DataFrame, agent: PosteriorAgent, max_wrong: int = DEFAULT_MAX_WRONG
) -> dict[str, Any]:
    """Compare predicted letter probabilities with outcomes in an agent's games.

    Each unguessed letter in each state of the games is a prediction. Returns the number of
    ``predictions``; the Brier score ``brier``; ``expected_calibration_error``, the mean distance
    between probability and share, weighted by predictions; the nonempty ``bins`` of 20 bins of
    equal width, with the ``share`` of letters that were hidden, and its ``ci95``, for which the
    predictions of a word are a cluster.
    """
    if games.empty:
        return {"predictions": 0, "brier": 0.0, "expected_calibration_error": 0.0, "bins": []}
    parts = []
    for turn in replay(games, max_wrong):
        chances = agent.letter_probabilities(turn.before)
        rows, letters = np.nonzero(turn.before["guessed"] == 0)
        parts.append((chances[rows, letters], turn.hidden[rows, letters], turn.rows[rows]))
    probability, outcome, game = map(np.concatenate, zip(*parts, strict=True))
    outcome = outcome.astype(np.float64)
    position = np.minimum((probability * _NUM_BINS).astype(np.int64), _NUM_BINS - 1)
    bins = []
    for number, members in pd.Series(position).groupby(position).indices.items():
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
    agent: Agent, games: pd.DataFrame, max_wrong: int = DEFAULT_MAX_WRONG
) -> dict[str, Any]:
    """Return :func:`win_rate` for each limit of 1 to 12 wrong guesses, as text.

    At most 4,000 of the words of ``games`` are played, chosen by hash, so that all agents play the
    same. An agent that ignores lives plays once, with the highest limit; it wins under every limit
    above its number of wrong guesses. Other agents play once per limit.
    """
    games = first_games(games, MAX_WORDS)
    words = games["word"].tolist()
    if not agent.uses_lives:
        if max_wrong < LIMITS[-1]:
            games = play(agent, words, LIMITS[-1])
        wins = {limit: (games["won"] & (games["wrong_guesses"] < limit)).sum() for limit in LIMITS}
    else:
        wins = {
            limit: (games if limit == max_wrong else play(agent, words, limit))["won"].sum()
            for limit in LIMITS
        }
    return {str(limit): win_rate(number, len(games)) for limit, number in wins.items()}


def first_games(games: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return at most ``count`` of an agent's games, chosen by a hash of their words."""
    return games.iloc[np.sort(draw_indices(games["word"].tolist(), count))]


def analyze(
    match: Match,
    evaluation: dict[str, Any],
    games: pd.DataFrame,
    note: Callable[[str], object] = lambda text: None,
    wanted: Collection[str] = ("reliability", "by_limit"),
) -> None:
    """Add ``by_limit`` and, for agents with probabilities, ``reliability`` to an evaluation.

    ``evaluation`` and ``games`` are of an :class:`evaluation.comparison.Comparison`; statistics
    that have been computed are kept. ``note`` is called with a description of each step.
    """
    for name, agent in match.agents.items():
        statistics = evaluation["agents"][name]
        played = games[games["agent"] == name]
        missing = set(wanted) - statistics.keys()
        if "reliability" in missing and isinstance(agent, PosteriorAgent) and len(played):
            note(f"{name}: calibration")
            sample = first_games(played, MAX_WORDS)
            statistics["reliability"] = reliability(sample, agent, match.max_wrong)
        if "by_limit" in missing:
            note(f"{name}: other limits")
            statistics["by_limit"] = win_rate_by_limit(agent, played, match.max_wrong)
