"""Playing every secret word of a game in which whole words are guessed, and the figures of it."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from agents.word_guess import WordGuessAgent, make_word_guess_agent
from envs.keyed_random import keyed_bits
from envs.word_guess.answers import AnswerRule
from envs.word_guess.rules import WordGuessGames
from envs.word_guess.variants import Variant
from envs.word_guess.words import GuessWords, random_words
from envs.words import hash_words
from evaluation.statistics import CONFIDENCE

DEFAULT_AGENTS = ("filter", "minimax", "entropy", "random-consistent")
DEFAULT_BATCH_SIZE = 8192
MAX_SHARE = 20


@dataclass(frozen=True)
class PlayedGames:
    """Games that were played to their end; arrays have a first axis of games.

    Attributes
    ----------
    words : tuple of str
        The secret word of each game.
    cluster : ndarray of int64, shape (N,)
        Games with the same number are not independent: those of one word, or of one list.
    num_guesses : ndarray of int64, shape (N,)
        The last guess included.
    solved : ndarray of bool, shape (N,)
        Whether the secret was found in ``max_guesses`` guesses.
    max_guesses : int
    seconds : float
        Time that the agent and the rules took together.
    """

    words: tuple[str, ...]
    cluster: npt.NDArray[np.int64]
    num_guesses: npt.NDArray[np.int64]
    solved: npt.NDArray[np.bool_]
    max_guesses: int
    seconds: float

    def __len__(self) -> int:
        return len(self.words)


def play(
    agent: WordGuessAgent,
    rule: AnswerRule,
    words: GuessWords,
    secrets: Sequence[str],
    max_guesses: int,
    repeats: int = 1,
    batch_size: int = DEFAULT_BATCH_SIZE,
    progress: Callable[[int, int], None] | None = None,
) -> PlayedGames:
    """Let an agent play every secret.

    Random draws are keyed by the word and the repeat, so that a word's games are the same in any
    order or batch.

    Parameters
    ----------
    agent : WordGuessAgent
        Fitted to the words and the rule; it sees observations alone.
    rule : AnswerRule
    words : GuessWords
    secrets : sequence of str
        The words that are played, all among the secrets of ``words``.
    max_guesses : int
    repeats : int
        Games a word.
    batch_size : int
        Games that are played at once.
    progress : callable, optional
        Called after each batch with the number of games played and solved since the last call.
    """
    word_index = np.repeat(np.arange(len(secrets)), repeats)
    keys = keyed_bits(hash_words(secrets)[word_index], np.tile(np.arange(repeats), len(secrets)))
    index = words.encode(secrets)
    num_guesses = np.zeros(len(word_index), dtype=np.int64)
    solved = np.zeros(len(word_index), dtype=np.bool_)
    start = time.perf_counter()
    for first in range(0, len(word_index), batch_size):
        batch = slice(first, first + batch_size)
        games = WordGuessGames(len(word_index[batch]), rule, words, max_guesses)
        games.start(slice(None), index[word_index[batch]])
        playing = np.arange(len(games))
        while len(playing):
            guesses = np.zeros(len(games), dtype=np.int64)
            guesses[playing] = agent.act(games.observe(playing), keys[batch][playing])
            games.guess(guesses)
            playing = np.flatnonzero(~games.over)
        num_guesses[batch] = games.observe()["num_guesses"]
        solved[batch] = games.won
        if progress is not None:
            progress(len(games), int(games.won.sum()))
    return PlayedGames(
        words=tuple(secrets[index] for index in word_index),
        cluster=word_index,
        num_guesses=num_guesses,
        solved=solved,
        max_guesses=max_guesses,
        seconds=time.perf_counter() - start,
    )


def summarize(played: PlayedGames, num_toughest: int = 25) -> dict[str, Any]:
    """Return the figures of an agent's games as the JSON of ``evaluate.py`` holds them.

    A game that was not solved counts with all its guesses in ``mean_guesses`` and ``max_guesses``,
    and as not solved in ``solved_within``.

    Parameters
    ----------
    played : PlayedGames
    num_toughest : int
        How many of the words that took most guesses in the mean are listed.
    """
    games = len(played)
    guesses, solved = played.num_guesses, played.solved
    counts = np.bincount(guesses[solved], minlength=MAX_SHARE + 1)
    within = counts.cumsum()
    return {
        "games": games,
        "solved": int(solved.sum()),
        "solved_rate": float(solved.mean()),
        "ci95": _share_interval(solved, played.cluster),
        "mean_guesses": float(guesses.mean()),
        "mean_guesses_ci95": _mean_interval(guesses, played.cluster),
        "max_guesses": int(guesses.max()),
        "solved_within": {
            str(limit): float(within[limit] / games) for limit in range(1, MAX_SHARE + 1)
        },
        "histogram": {
            str(number): int(counts[number]) for number in np.flatnonzero(counts).tolist()
        },
        "toughest": _toughest(played, num_toughest),
        "games_per_second": games / played.seconds if played.seconds else 0.0,
    }


def compare_on_list(
    variant: Variant,
    names: Sequence[str],
    words: GuessWords,
    *,
    source: str,
    secrets: Sequence[str] | None = None,
    seed: int = 0,
    max_guesses: int | None = None,
    repeats: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, Any]:
    """Let each agent play the secrets of one list; return what ``evaluate.py --json`` writes.

    Parameters
    ----------
    variant : Variant
    names : sequence of str
        Names of agents.
    words : GuessWords
        What agents are fitted to.
    source : str
        Where the words come from.
    secrets : sequence of str, optional
        The words that are played; all secrets of ``words`` if not given.
    seed : int
        Of the agents that draw at random.
    max_guesses : int, optional
        The variant's if not given.
    repeats : int
        Games a word.
    progress : callable, optional
        Called after each batch with the agent's name, games played and games solved.
    """
    limit = variant.max_guesses if max_guesses is None else max_guesses
    listed = [words.allowed[index] for index in words.secrets]
    rule = AnswerRule(words.encoded.width, variant.count_misplaced)
    figures = {}
    for name in names:
        agent = make_word_guess_agent(name, seed).fit(listed, rule, words.allowed)
        # Compiled code is made ready outside of the measured time.
        play(agent, rule, words, listed[:1], limit)
        advance = None if progress is None else _named(progress, name)
        played = play(agent, rule, words, secrets or listed, limit, repeats, progress=advance)
        figures[name] = summarize(played)
    described = {"source": source, "count": len(listed), "allowed": len(words)}
    return _evaluation(variant, described, seed, limit, figures)


def compare_on_random_lists(
    variant: Variant,
    names: Sequence[str],
    *,
    num_lists: int,
    num_words: int = 100,
    seed: int = 0,
    max_guesses: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, Any]:
    """Let each agent play every word of lists of random letters.

    List ``i`` is ``random_words(num_words, length, seed=(seed, i))``. The parameters are those of
    :func:`compare_on_list`.
    """
    limit = variant.max_guesses if max_guesses is None else max_guesses
    rule = AnswerRule(variant.word_length, variant.count_misplaced)
    lists = [
        random_words(num_words, variant.word_length, (seed, number)) for number in range(num_lists)
    ]
    figures = {}
    for name in names:
        agent = make_word_guess_agent(name, seed)
        parts = []
        for listed in lists:
            words = GuessWords(listed, word_length=variant.word_length)
            agent.fit(listed, rule)
            if not parts:
                play(agent, rule, words, listed[:1], limit)
            parts.append(play(agent, rule, words, listed, limit))
            if progress is not None:
                progress(name, len(parts[-1]), int(parts[-1].solved.sum()))
        figures[name] = summarize(_join(parts))
    described = {"source": "random letters", "count": num_words, "lists": num_lists}
    return _evaluation(variant, described, seed, limit, figures)


def _evaluation(
    variant: Variant, words: dict[str, Any], seed: int, limit: int, figures: dict[str, Any]
) -> dict[str, Any]:
    return {
        "env": variant.env_id,
        "words": words,
        "seed": seed,
        "max_guesses": limit,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "agents": figures,
    }


def _named(progress: Callable[[str, int, int], None], name: str) -> Callable[[int, int], None]:
    return lambda games, solved: progress(name, games, solved)


def _join(parts: Sequence[PlayedGames]) -> PlayedGames:
    """Return the games of several lists as one; each list is a cluster."""
    return PlayedGames(
        words=tuple(word for part in parts for word in part.words),
        cluster=np.repeat(np.arange(len(parts)), [len(part) for part in parts]),
        num_guesses=np.concatenate([part.num_guesses for part in parts]),
        solved=np.concatenate([part.solved for part in parts]),
        max_guesses=parts[0].max_guesses,
        seconds=sum(part.seconds for part in parts),
    )


def _standard_error(values: npt.NDArray, cluster: npt.NDArray[np.int64]) -> float:
    """Return the standard error of the mean when whole clusters are drawn at random."""
    games = np.bincount(cluster)
    if len(games) < 2:
        return 0.0
    deviations = np.bincount(cluster, weights=values - values.mean())
    num_clusters = len(games)
    variance = (deviations**2).sum() * num_clusters / (num_clusters - 1)
    return float(np.sqrt(variance) / len(values))


def _mean_interval(values: npt.NDArray, cluster: npt.NDArray[np.int64]) -> list[float]:
    """Return the normal 95% interval of a mean."""
    half = norm.ppf((1 + CONFIDENCE) / 2) * _standard_error(values, cluster)
    return [float(values.mean() - half), float(values.mean() + half)]


def _share_interval(solved: npt.NDArray[np.bool_], cluster: npt.NDArray[np.int64]) -> list[float]:
    """Return the 95% Wilson interval of a share.

    Where clusters vary more than independent games would, the games count as fewer, so many that
    independent ones would have the same standard error.
    """
    games, share = float(len(solved)), float(solved.mean())
    error = _standard_error(solved.astype(np.float64), cluster)
    if error > 0:
        games = min(games, share * (1 - share) / error**2)
    z = float(norm.ppf((1 + CONFIDENCE) / 2))
    shrink = 1 + z**2 / games
    center = (share + z**2 / (2 * games)) / shrink
    half = z * np.sqrt(share * (1 - share) / games + z**2 / (4 * games**2)) / shrink
    # Rounding would else leave a share of 0 or 1 outside of its own interval.
    return [float(min(center - half, share)), float(max(center + half, share))]


def _toughest(played: PlayedGames, count: int) -> list[dict[str, Any]]:
    """Return the words that took most guesses in the mean, and that mean."""
    words, position = np.unique(np.array(played.words), return_inverse=True)
    mean = np.bincount(position, weights=played.num_guesses) / np.bincount(position)
    order = np.lexsort((words, -mean))[:count]
    return [{"word": str(words[index]), "mean_guesses": float(mean[index])} for index in order]
