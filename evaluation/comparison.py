"""Playing several agents on the same words, as data and as tables."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from agents.base import Agent
from envs.hangman.rules import DEFAULT_MAX_WRONG
from envs.words import hash_words
from evaluation.arena import PlayedGames, play
from evaluation.statistics import summarize

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
    fitted_words: dict[str, np.ndarray] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
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
    fitted_words : dict of str to ndarray of uint64, optional
        By agent, the sorted hashes of the words that it was fitted on; games on these count as
        ``seen``.
    progress : callable, optional
        Called after each batch with the agent's name, games played and games won.

    Returns
    -------
    evaluation : dict
        What ``evaluate.py --json`` writes.
    played : dict of str to PlayedGames
    """
    hashes = hash_words(words)
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
    evaluation = {
        "env": ENV_ID,
        "words": {"source": source, "count": num_listed},
        "split": split,
        "seed": seed,
        "max_wrong": max_wrong,
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "agents": figures,
    }
    return evaluation, played


def print_comparison(console: Console, evaluation: dict[str, Any]) -> None:
    """Print the table of agents and the table by word length."""
    agents = evaluation["agents"]
    title = (
        f"{evaluation['env']}, {evaluation['split']} words of {evaluation['words']['source']}, "
        f"{evaluation['max_wrong']} wrong guesses lose"
    )
    table = Table(title=escape(title), box=SIMPLE_HEAD)
    table.add_column("agent", no_wrap=True)
    for heading in ("games", "wins", "win rate", "95% CI", "wrong", "guesses", "games/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, figures in agents.items():
        low, high = figures["ci95"]
        table.add_row(
            name + (" (seen)" if figures["seen"] else ""),
            f"{figures['games']:,}",
            f"{figures['wins']:,}",
            f"{figures['win_rate']:.1%}",
            f"{100 * low:.1f}-{100 * high:.1f}",
            f"{figures['mean_wrong_guesses']:.2f}",
            f"{figures['mean_guesses']:.2f}",
            f"{figures['games_per_second']:,.0f}",
        )
    console.print(table)

    by_length = Table(title="win rate by word length", box=SIMPLE_HEAD)
    by_length.add_column("letters", justify="right")
    by_length.add_column("games", justify="right")
    for name in agents:
        by_length.add_column(name, justify="right")
    lengths = sorted(
        {int(length) for figures in agents.values() for length in figures["by_length"]}
    )
    for length in lengths:
        cells = [figures["by_length"][str(length)] for figures in agents.values()]
        by_length.add_row(
            str(length), f"{cells[0]['games']:,}", *(f"{cell['win_rate']:.1%}" for cell in cells)
        )
    console.print(by_length)
