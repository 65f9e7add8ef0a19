"""Comparison of agents: each plays the same words."""

from __future__ import annotations

import copy
import io
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import Progress

from agents.base import Agent
from envs.errors import InputError
from envs.words import hash_words
from evaluation.analysis import analyze
from evaluation.arena import play
from evaluation.console import make_progress, stage
from evaluation.plots import PLOTS, draw_plots, save_plots
from evaluation.preparation import ENV_ID, Match, Request, prepare
from evaluation.report_page import write_games
from evaluation.statistics import compare_pairwise, summarize, win_rate
from evaluation.tables import agents_table, print_comparison
from run_files.directory import RunDirectory


def compare_agents(
    match: Match,
    progress: Progress | None = None,
    play: Callable[..., pd.DataFrame] = play,
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Let each agent play every word.

    Parameters
    ----------
    match : Match
    progress : rich.progress.Progress, optional
        Shows how many games have ended.
    play : callable
        Plays the same games as :func:`evaluation.arena.play`, with the same parameters.

    Returns
    -------
    evaluation : dict
        What ``evaluate.py --json`` writes.
    games : DataFrame
        A row per game, as :func:`evaluation.arena.play` returns them, with the columns ``agent``
        and ``known`` (bool) besides.
    """
    hashes = hash_words(match.words)
    is_known = np.isin(hashes, match.known_words)
    figures: dict[str, Any] = {}
    tables = []
    for name, agent in match.agents.items():
        if len(match.words):
            # Compiled code is made ready outside of the measured time.
            play(agent, match.words[:1], match.max_wrong)
        with stage(progress or make_progress(), name, len(match.words)) as advance:
            start = time.perf_counter()
            games = play(agent, match.words, match.max_wrong, advance=advance)
            seconds = time.perf_counter() - start
        games.insert(0, "agent", name)
        games.insert(3, "known", is_known)
        tables.append(games)
        fitted = match.fitted_words.get(name, ())
        figures[name] = {**summarize(games, seconds), "seen": int(np.isin(hashes, fitted).sum())}
        if games["known"].nunique() == 2:
            for known, won in games.groupby("known")["won"]:
                figures[name]["known" if known else "unseen"] = win_rate(won.sum(), len(won))
    games = pd.concat(tables, ignore_index=True)
    evaluation = {
        "env": ENV_ID,
        "words": {
            "source": match.word_list.source,
            "count": len(match.word_list),
            "known": int(is_known.sum()),
            "unseen": int((~is_known).sum()),
        },
        "split": match.split,
        "seed": match.seed,
        "max_wrong": match.max_wrong,
        "known": match.known,
        "versions": {"python": platform.python_version(), "torch": version("torch")},
        "agents": figures,
        "pairwise": compare_pairwise(games),
    }
    return evaluation, games


class Comparison:
    """Agents that played the same words.

    Parameters
    ----------
    match : Match
        What is played.
    run : str or Path, optional
        The training run whose learning curves are drawn.
    **playing
        ``progress`` and ``play`` of :func:`compare_agents`.

    Attributes
    ----------
    games : DataFrame
        A row per game: ``agent``, ``word``, ``length``, ``known`` (whether it is a known word),
        ``won``, ``wrong_guesses``, ``guesses`` (their number), ``letters`` (the guesses in order).
    """

    def __init__(self, match: Match, run: str | Path | None = None, **playing: Any) -> None:
        self._evaluation, self.games = compare_agents(match, **playing)
        self._match = match
        self._run = run

    def __str__(self) -> str:
        console = Console(width=80, file=io.StringIO(), force_terminal=False)
        print_comparison(console, self._evaluation)
        return console.file.getvalue()

    def _repr_html_(self) -> str:
        table = agents_table(self._evaluation)
        return pd.DataFrame(table.rows, columns=table.headings).to_html(index=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as ``evaluate.py --json`` writes them."""
        return copy.deepcopy(self._evaluation)

    def to_csv(self, path: str | Path) -> None:
        """Write :attr:`games` as CSV; raise InputError if the file cannot be written."""
        write_games(self.games, path)

    def analyze(self, **options: Any) -> None:
        """Compute calibration and win rates with other limits, for which agents play again.

        ``options`` are ``note`` and ``wanted`` of :func:`evaluation.analysis.analyze`.
        """
        analyze(self._match, self._evaluation, self.games, **options)

    def draw(self) -> dict[str, Figure]:
        """Return the plots as Matplotlib figures, by name: of all that has been computed."""
        run = None if self._run is None else RunDirectory.open(self._run)
        return draw_plots(self._evaluation, run)

    def plot(self, name: str = "win_rate_by_length", folder: str | Path | None = None) -> Figure:
        """Return one plot; what it needs is computed first.

        Parameters
        ----------
        name : str
            One of ``win_rate_by_length``, ``win_rate_by_limit``, ``reliability`` and
            ``learning_curves``; the last two where an agent has probabilities and where a run was
            given.
        folder : str or Path, optional
            Where to write it as PNG and SVG.

        Raises
        ------
        InputError
            If there is no such plot.
        """
        self.analyze(wanted=[needed for plot, (needed, _) in PLOTS.items() if plot == name])
        figures = self.draw()
        if name not in figures:
            known = ", ".join({**PLOTS, **figures})
            raise InputError(f"plot {name!r} is not available; there are {known}")
        if folder is not None:
            save_plots({name: figures[name]}, folder)
        return figures[name]


def compare(agents: Sequence[str] | dict[str, Agent] | None = None, **options: Any) -> Comparison:
    """Let agents play the same words.

    Parameters
    ----------
    agents : sequence of str, or dict of str to Agent, optional
        Names, or custom agents by name, which are fitted on the train split. By default those at
        hand.
    **options
        ``run``, ``words``, ``split``, ``secrets``, ``games``, ``max_wrong``, ``known``,
        ``drop_seen``, ``allow_seen``, ``seed``: those of ``evaluate.py``, described in
        :class:`evaluation.preparation.Request`.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If an option is invalid, or a file cannot be used.
    """
    custom = agents if isinstance(agents, dict) else {}
    request = Request.of(agents=() if custom else agents, **options)
    return Comparison(prepare(request, custom_agents=custom), request.run)
