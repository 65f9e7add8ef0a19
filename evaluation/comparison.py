"""Comparison of agents: each plays the same words."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from agents.posterior.prior import DEFAULT_KNOWN
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.words import WordList, hash_words
from evaluation.arena import PlayedGames, play
from evaluation.statistics import compare_pairwise, summarize, win_rate

ENV_ID = "Hangman-v0"


def _no_words() -> npt.NDArray[np.uint64]:
    return np.zeros(0, dtype=np.uint64)


@dataclass(frozen=True)
class Match:
    """Agents, the words that they play, and the rules.

    Attributes
    ----------
    agents : dict of str to Agent
        Fitted, by name.
    words : sequence of str
        The secret words.
    word_list : WordList
        The list that the words are from.
    split : str
        The name of the part that the words are, or a file.
    seed, max_wrong, repeats : int
        As for the agents and :func:`evaluation.arena.play`.
    known : float
        The prior of the agents that have one, for the record.
    known_words : ndarray of uint64
        The hashes of the known words; the others are unseen.
    fitted_words : dict of str to ndarray of uint64
        By agent, the hashes of the words that it was fitted on, if any; games on these count as
        ``seen``.
    """

    agents: dict[str, Agent]
    words: Sequence[str]
    word_list: WordList
    split: str
    seed: int = 0
    max_wrong: int = DEFAULT_MAX_WRONG
    repeats: int = 1
    known: float = DEFAULT_KNOWN
    known_words: npt.NDArray[np.uint64] = field(default_factory=_no_words)
    fitted_words: dict[str, npt.NDArray[np.uint64]] = field(default_factory=dict)

    @property
    def num_games(self) -> int:
        """Games per agent."""
        return len(self.words) * self.repeats


def compare_agents(
    match: Match,
    progress: Callable[[str, int, int], None] = lambda name, games, won: None,
    play: Callable[..., PlayedGames] = play,
) -> tuple[dict[str, Any], dict[str, PlayedGames]]:
    """Let each agent play every word.

    Parameters
    ----------
    match : Match
    progress : callable
        Called whenever games end, with the agent's name, how many ended and how many were won.
    play : callable
        What plays the games; another one than :func:`evaluation.arena.play` plays the same ones.

    Returns
    -------
    evaluation : dict
        What ``evaluate.py --json`` writes.
    played : dict of str to PlayedGames
    """
    is_known = np.isin(hash_words(match.words), match.known_words)
    kinds = {"known": is_known, "unseen": ~is_known}
    figures: dict[str, Any] = {}
    played: dict[str, PlayedGames] = {}
    for name, agent in match.agents.items():
        if len(match.words):
            # Compiled code is made ready outside of the measured time.
            play(agent, match.words[:1], match.max_wrong)
        games = play(
            agent, match.words, match.max_wrong, match.repeats, progress=partial(progress, name)
        )
        played[name] = games
        figures[name] = {**summarize(games), "seen": _count_seen(match, name)}
        if is_known.any() and not is_known.all():
            for kind, is_kind in kinds.items():
                won = games.won[is_kind[games.word_index]]
                figures[name][kind] = win_rate(won.sum(), len(won))
    evaluation = {
        "env": ENV_ID,
        "words": {
            "source": match.word_list.source,
            "count": len(match.word_list),
            **{kind: int(is_kind.sum()) for kind, is_kind in kinds.items()},
        },
        "split": match.split,
        "seed": match.seed,
        "max_wrong": match.max_wrong,
        "known": float(match.known),
        "versions": {"python": platform.python_version(), "torch": version("torch")},
        "agents": figures,
        "pairwise": compare_pairwise(played),
    }
    return evaluation, played


def _count_seen(match: Match, name: str) -> int:
    """Return the games of an agent whose words it was fitted on."""
    fitted = match.fitted_words.get(name, ())
    return int(np.isin(hash_words(match.words), fitted).sum()) * match.repeats
