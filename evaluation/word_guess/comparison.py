"""Comparison of agents that guess whole words, each on the same lists."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from agents.word_guess import make_word_guess_agent
from envs.word_guess.answers import AnswerRule
from envs.word_guess.variants import Variant
from envs.word_guess.words import GuessWords, random_words
from evaluation.statistics import mean_interval, share_interval
from evaluation.word_guess.arena import PlayedGames, play

# The shares of games solved are given up to so many guesses.
MAX_SHARE = 20


@dataclass(frozen=True)
class WordGuessMatch:
    """Lists of words that are played with each agent, and the rules.

    Attributes
    ----------
    variant : Variant
    lists : tuple of GuessWords
        What agents are fitted to, one after the other.
    secrets : tuple of tuple of str
        The words of each list that are played.
    source : str
        Where the words come from.
    seed : int
        Of the agents that draw at random.
    max_guesses : int, optional
        The variant's if not given.
    repeats : int
        Games per word.
    """

    variant: Variant
    lists: tuple[GuessWords, ...]
    secrets: tuple[tuple[str, ...], ...]
    source: str
    seed: int = 0
    max_guesses: int | None = None
    repeats: int = 1

    @property
    def num_games(self) -> int:
        """Games per agent."""
        return sum(map(len, self.secrets)) * self.repeats


def random_lists(
    variant: Variant,
    num_lists: int,
    num_words: int = 100,
    seed: int = 0,
    max_guesses: int | None = None,
) -> WordGuessMatch:
    """Return a match on every word of lists of random letters.

    List ``i`` is ``random_words(num_words, length, seed=(seed, i))``. The parameters are those of
    :class:`WordGuessMatch`.
    """
    length = variant.word_length
    secrets = tuple(random_words(num_words, length, (seed, index)) for index in range(num_lists))
    lists = tuple(GuessWords(words, word_length=length) for words in secrets)
    return WordGuessMatch(variant, lists, secrets, "random letters", seed, max_guesses)


def compare_agents(
    match: WordGuessMatch,
    names: Sequence[str],
    progress: Callable[[str, int, int], None] = lambda name, games, solved: None,
) -> dict[str, Any]:
    """Let each agent play every secret; return what ``evaluate.py --json`` writes.

    Parameters
    ----------
    match : WordGuessMatch
    names : sequence of str
        Names of agents.
    progress : callable
        Called after each batch with the agent's name, games played and games solved.
    """
    variant, first = match.variant, match.lists[0]
    rule = AnswerRule(first.encoded.width, variant.count_misplaced)
    limit = variant.max_guesses if match.max_guesses is None else match.max_guesses
    figures = {}
    for name in names:
        agent = make_word_guess_agent(name, match.seed)
        parts = []
        for words, secrets in zip(match.lists, match.secrets, strict=True):
            listed = [words.allowed[index] for index in words.secrets]
            agent.fit(listed, rule, words.allowed)
            if not parts:
                # Compiled code is made ready outside of the measured time.
                play(agent, rule, words, listed[:1], limit)
            parts.append(
                play(
                    agent,
                    rule,
                    words,
                    secrets,
                    limit,
                    match.repeats,
                    progress=partial(progress, name),
                )
            )
        figures[name] = summarize(parts[0] if len(parts) == 1 else _join(parts))
    size = {"lists": len(match.lists)} if len(match.lists) > 1 else {"allowed": len(first)}
    return {
        "env": variant.env_id,
        "words": {"source": match.source, "count": len(first.secrets), **size},
        "seed": match.seed,
        "max_guesses": limit,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "agents": figures,
    }


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
    solved_rate, solved_interval = share_interval(solved, played.cluster)
    mean_guesses, guesses_interval = mean_interval(guesses, played.cluster)
    return {
        "games": games,
        "solved": int(solved.sum()),
        "solved_rate": solved_rate,
        "ci95": list(solved_interval),
        "mean_guesses": mean_guesses,
        "mean_guesses_ci95": None if guesses_interval is None else list(guesses_interval),
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


def _toughest(played: PlayedGames, count: int) -> list[dict[str, Any]]:
    """Return the words that took most guesses in the mean, and that mean."""
    words, position = np.unique(np.array(played.words), return_inverse=True)
    mean = np.bincount(position, weights=played.num_guesses) / np.bincount(position)
    order = np.lexsort((words, -mean))[:count]
    return [{"word": str(words[index]), "mean_guesses": float(mean[index])} for index in order]
