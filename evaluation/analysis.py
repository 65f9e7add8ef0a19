"""Analysis of games beyond who won: information, letters, calibration, limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent, PosteriorAgent
from agents.candidates import CandidateIndex
from envs.encoding import NUM_LETTERS
from evaluation.arena import PlayedGames, play
from evaluation.comparison import Match
from evaluation.replay import replay
from evaluation.statistics import mean_interval, share_interval, win_rate
from runs.words import draw_indices

LIMITS = tuple(range(1, 13))
# The words that an agent which looks at its lives plays once per limit.
MAX_WORDS_A_LIMIT = 4000
# The words whose games are weighed in bits and whose predictions are held against the outcome.
MAX_GAMES_WEIGHED = 4000
NUM_BINS = 20


def information_gain(played: PlayedGames, index: CandidateIndex) -> npt.NDArray[np.float64]:
    """Return the bits that each guess of each game gained.

    A guess gains ``log2(n) - log2(m)`` bits if ``n`` words of a list were consistent with what
    was seen before it, and ``m`` are after it. The player does not know the list.

    Parameters
    ----------
    played : PlayedGames
    index : CandidateIndex
        Of a list that has all the secret words.

    Returns
    -------
    ndarray of float64, shape (N, turns)
        NaN after the end of a game.

    Raises
    ------
    ValueError
        If a secret word is not in the list.
    """
    gains = np.full(played.letters.shape, np.nan)
    left = np.full(len(played), np.nan)
    for turn in replay(played):
        if turn.number == 0:
            left[turn.games] = _bits(index, turn.before)
        after = _bits(index, turn.after)
        gains[turn.games, turn.number] = left[turn.games] - after
        left[turn.games] = after
    return gains


def information_by_turn(played: PlayedGames, index: CandidateIndex) -> list[dict[str, Any]]:
    """Return the mean of :func:`information_gain` for each turn.

    Returns
    -------
    list of dict
        ``turn`` from 1, ``guesses``, ``mean_bits`` and its ``ci95`` (None for a single word).
    """
    gains = information_gain(played, index)
    figures = []
    for turn in range(gains.shape[1]):
        games = np.flatnonzero(~np.isnan(gains[:, turn]))
        if len(games):
            mean, interval = mean_interval(gains[games, turn], played.word_index[games])
            figures.append(
                {
                    "turn": turn + 1,
                    "guesses": len(games),
                    "mean_bits": mean,
                    "ci95": None if interval is None else list(interval),
                }
            )
    return figures


def letters_by_turn(played: PlayedGames) -> list[list[int]]:
    """Return for each turn how many games guessed each of the 26 letters."""
    return [
        np.bincount(guessed[guessed >= 0], minlength=NUM_LETTERS).tolist()
        for guessed in played.letters.T
    ]


def reliability(
    played: PlayedGames, agent: PosteriorAgent, num_bins: int = NUM_BINS
) -> dict[str, Any]:
    """Hold the probabilities of an agent, in the states of games, against what was hidden.

    Every letter that had not been guessed, in every state, is one prediction.

    Returns
    -------
    dict
        ``predictions``; ``brier``, their mean squared error; ``expected_calibration_error``, the
        mean distance between probability and share, weighted by predictions; ``bins`` of equal
        width that have predictions, each with ``low``, ``high``, ``predictions``,
        ``mean_probability``, ``share`` of letters that were hidden and its ``ci95``, in which
        the predictions of one word are a cluster.
    """
    turns = list(replay(played))
    probabilities, outcomes, words = [], [], []
    for turn in turns:
        chances = agent.letter_probabilities(turn.before)
        rows, letters = np.nonzero(turn.before["guessed"] == 0)
        probabilities.append(chances[rows, letters])
        outcomes.append(turn.hidden[rows, letters])
        words.append(played.word_index[turn.games[rows]])
    if not turns:
        return {"predictions": 0, "brier": 0.0, "expected_calibration_error": 0.0, "bins": []}
    probability = np.concatenate(probabilities)
    outcome = np.concatenate(outcomes).astype(np.float64)
    word = np.concatenate(words)
    position = np.minimum((probability * num_bins).astype(np.int64), num_bins - 1)
    order = np.argsort(position, kind="stable")
    bounds = np.searchsorted(position[order], np.arange(num_bins + 1))
    bins = []
    for number in range(num_bins):
        members = order[bounds[number] : bounds[number + 1]]
        if len(members):
            share, interval = share_interval(outcome[members], word[members])
            bins.append(
                {
                    "low": number / num_bins,
                    "high": (number + 1) / num_bins,
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
    played: PlayedGames,
    repeats: int = 1,
    limits: Sequence[int] = LIMITS,
    max_words: int = MAX_WORDS_A_LIMIT,
) -> dict[str, Any]:
    """Return the win rate for each number of wrong guesses that loses.

    An agent that does not look at its lives is played once, with the highest limit: it wins under
    a limit if it made fewer wrong guesses than that. Others are played once per limit.

    Parameters
    ----------
    agent : Agent
    played : PlayedGames
        Its games on the words, which are not played again under their own limit.
    repeats : int
        Games per word.
    limits : sequence of int
        Numbers of wrong guesses, 1 to 26.
    max_words : int
        An agent that looks at its lives plays at most so many of the words, drawn by hash.

    Returns
    -------
    dict
        By limit, as text: ``games``, ``wins``, ``win_rate``, ``ci95``.
    """
    if not agent.uses_lives:
        longest = (
            played
            if played.max_wrong >= max(limits)
            else play(agent, played.words, max(limits), repeats)
        )
        return {
            str(limit): win_rate(
                (longest.won & (longest.wrong_guesses < limit)).sum(), len(longest)
            )
            for limit in limits
        }
    chosen = np.sort(draw_indices(played.words, max_words))
    words = [played.words[index] for index in chosen]
    own = np.isin(played.word_index, chosen)
    figures = {}
    for limit in limits:
        won = (
            played.won[own] if limit == played.max_wrong else play(agent, words, limit, repeats).won
        )
        figures[str(limit)] = win_rate(won.sum(), len(won))
    return figures


def first_games(played: PlayedGames, count: int) -> PlayedGames:
    """Return the games of at most ``count`` words, drawn by hash so that any order will do."""
    if len(played.words) <= count:
        return played
    chosen = np.sort(draw_indices(played.words, count))
    games = np.flatnonzero(np.isin(played.word_index, chosen))
    return PlayedGames(
        words=tuple(played.words[index] for index in chosen),
        word_index=np.searchsorted(chosen, played.word_index[games]),
        won=played.won[games],
        wrong_guesses=played.wrong_guesses[games],
        letters=played.letters[games],
        max_wrong=played.max_wrong,
        seconds=played.seconds * len(games) / len(played),
    )


def analyze(
    match: Match,
    evaluation: dict[str, Any],
    played: dict[str, PlayedGames],
    note: Callable[[str, str], None] = lambda name, text: None,
) -> None:
    """Add to the figures of each agent what plots need.

    Parameters
    ----------
    match : Match
        Guesses are weighed by its whole word list; secret words that are not in it are added.
    evaluation : dict
        What :func:`evaluation.comparison.compare_agents` returned; to each agent's figures are
        added ``by_limit``, ``information_gain``, ``letters_by_turn``, and ``reliability`` where
        the agent has probabilities and played a game.
    played : dict of str to PlayedGames
        By agent.
    note : callable
        Called with an agent's name and what is done with it.
    """
    index = CandidateIndex(sorted({*match.words, *match.word_list.words}))
    for name, agent in match.agents.items():
        figures = evaluation["agents"][name]
        weighed = first_games(played[name], MAX_GAMES_WEIGHED)
        figures["letters_by_turn"] = letters_by_turn(played[name])
        note(name, "weighing guesses")
        figures["information_gain"] = information_by_turn(weighed, index)
        if isinstance(agent, PosteriorAgent) and len(weighed):
            note(name, "calibration")
            figures["reliability"] = reliability(weighed, agent)
        note(name, "other limits")
        figures["by_limit"] = win_rate_by_limit(agent, played[name], match.repeats)
        note(name, "done")


def _bits(index: CandidateIndex, observations: Any) -> npt.NDArray[np.float64]:
    _, candidates = index.count(observations)
    if not candidates.all():
        raise ValueError("a secret word is not in the list that guesses are weighed by")
    return np.log2(candidates)
