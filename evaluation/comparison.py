"""Playing several agents on the same words."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from agents.posterior.prior import DEFAULT_KNOWN
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.words import hash_words
from evaluation.arena import PlayedGames, play
from evaluation.statistics import compare_pairwise, summarize, win_rate
from evaluation.tables import print_comparison

__all__ = ["ENV_ID", "compare_agents", "print_comparison"]

ENV_ID = "Hangman-v0"


def compare_agents(
    agents: dict[str, Agent],
    words: Sequence[str],
    *,
    source: str,
    num_listed: int,
    split: str,
    seed: int = 0,
    max_wrong: int = DEFAULT_MAX_WRONG,
    repeats: int = 1,
    known: float = DEFAULT_KNOWN,
    known_words: npt.NDArray[np.uint64] | None = None,
    fitted_words: dict[str, npt.NDArray[np.uint64]] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    play: Callable[..., PlayedGames] = play,
) -> tuple[dict[str, Any], dict[str, PlayedGames]]:
    """Let each agent play every word.

    Parameters
    ----------
    agents : dict of str to Agent
        Fitted agents by name.
    words : sequence of str
        The secret words.
    source, num_listed, split : str, int, str
        Where the words come from: the list, its size, the part of it.
    seed, max_wrong, repeats : int
        As for the agents and :func:`evaluation.arena.play`.
    known : float
        The prior of the agents that have one, for the record.
    known_words : ndarray of uint64, optional
        The hashes of the known words; the others are unseen. Without it, all are unseen.
    fitted_words : dict of str to ndarray of uint64, optional
        By agent, the hashes of the words that it was fitted on; games on these count as ``seen``.
    progress : callable, optional
        Called whenever games end, with the agent's name, how many ended and how many were won.
    play : callable
        What plays the games; another one than :func:`evaluation.arena.play` plays the same ones.

    Returns
    -------
    evaluation : dict
        What ``evaluate.py --json`` writes.
    played : dict of str to PlayedGames
    """
    hashes = hash_words(words)
    is_known = np.isin(hashes, () if known_words is None else known_words)
    kinds = {"known": is_known, "unseen": ~is_known}
    figures: dict[str, Any] = {}
    played: dict[str, PlayedGames] = {}
    for name, agent in agents.items():
        if len(words):
            # Compiled code is made ready outside of the measured time.
            play(agent, words[:1], max_wrong)
        played[name] = play(
            agent,
            words,
            max_wrong,
            repeats,
            progress=None if progress is None else lambda n, won, name=name: progress(name, n, won),
        )
        fitted = (fitted_words or {}).get(name)
        seen = 0 if fitted is None else int(np.isin(hashes, fitted).sum()) * repeats
        figures[name] = {**summarize(played[name]), "seen": seen}
        if is_known.any() and not is_known.all():
            for kind, is_kind in kinds.items():
                won = played[name].won[is_kind[played[name].word_index]]
                figures[name][kind] = win_rate(won.sum(), len(won))
    evaluation = {
        "env": ENV_ID,
        "words": {
            "source": source,
            "count": num_listed,
            **{kind: int(is_kind.sum()) for kind, is_kind in kinds.items()},
        },
        "split": split,
        "seed": seed,
        "max_wrong": max_wrong,
        "known": float(known),
        "versions": {"python": platform.python_version(), "torch": version("torch")},
        "agents": figures,
        "pairwise": compare_pairwise(played),
    }
    return evaluation, played
