"""Comparison of agents on the same words."""

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

from hangman_lab.agents.base import Agent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import hash_words
from hangman_lab.evaluation.analysis import analyze
from hangman_lab.evaluation.arena import play
from hangman_lab.evaluation.console import make_progress, stage
from hangman_lab.evaluation.plots import PLOTS, draw_plots, save_plots
from hangman_lab.evaluation.preparation import ENV_ID, Match, Request, prepare
from hangman_lab.evaluation.report_page import write_games
from hangman_lab.evaluation.statistics import compare_pairwise, summarize, win_rate
from hangman_lab.evaluation.tables import agents_table, print_comparison
from hangman_lab.run_files.directory import RunDirectory


def compare_agents(
    match: Match,
    progress: Progress | None = None,
    play: Callable[..., pd.DataFrame] = play,
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Play every word with each agent; ``play`` is called like :func:`evaluation.arena.play`.

    Returns the content of ``evaluate.py --json``, and the tables of :func:`evaluation.arena.play`
    with the columns ``agent`` and ``known`` (bool) added.
    """
    statistics, tables = {}, []
    for name in match.agents:
        games, statistics[name] = _play_agent(name, match, progress or make_progress(), play)
        tables.append(games)
    is_known = np.isin(hash_words(match.words), match.known_words)
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
        "agents": statistics,
        "pairwise": compare_pairwise(games),
    }
    return evaluation, games


def _play_agent(
    name: str, match: Match, progress: Progress, play: Callable[..., pd.DataFrame]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Play every word with one agent; return its games and their statistics."""
    agent, hashes = match.agents[name], hash_words(match.words)
    if len(match.words):
        # Compile outside of the measured time.
        play(agent, match.words[:1], match.max_wrong)
    with stage(progress, name, len(match.words)) as advance:
        start = time.perf_counter()
        games = play(agent, match.words, match.max_wrong, advance=advance)
        seconds = time.perf_counter() - start
    games.insert(0, "agent", name)
    games.insert(3, "known", np.isin(hashes, match.known_words))
    seen = np.isin(hashes, match.fitted_words.get(name, ()))
    statistics = {**summarize(games, seconds), "seen": int(seen.sum())}
    if games["known"].nunique() == 2:
        for known, won in games.groupby("known")["won"]:
            statistics["known" if known else "unseen"] = win_rate(won.sum(), len(won))
    return games, statistics


class Comparison:
    """The results of agents on the same words.

    Parameters
    ----------
    match : Match
    run : str or Path, optional
        A training run whose learning curves are plotted.
    **playing
        ``progress`` and ``play`` of :func:`compare_agents`.

    Attributes
    ----------
    games : DataFrame
        A row per game: ``agent``, ``word``, ``length``, ``known`` (whether the word is known),
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
        """Return the evaluation, the content of ``evaluate.py --json``."""
        return copy.deepcopy(self._evaluation)

    def to_csv(self, path: str | Path) -> None:
        """Write :attr:`games` as CSV; raise InputError if the file cannot be written."""
        write_games(self.games, path)

    def analyze(self, **options: Any) -> None:
        """Compute calibration and win rates with other limits, for which agents play more games.

        ``options`` are ``note`` and ``wanted`` of :func:`evaluation.analysis.analyze`.
        """
        analyze(self._match, self._evaluation, self.games, **options)

    def draw(self) -> dict[str, Figure]:
        """Return the plots of all computed statistics as Matplotlib figures, by name."""
        run = None if self._run is None else RunDirectory.open(self._run)
        return draw_plots(self._evaluation, run)

    def plot(self, name: str = "win_rate_by_length", folder: str | Path | None = None) -> Figure:
        """Return one plot, after computing the statistics that it needs.

        Parameters
        ----------
        name : str
            ``win_rate_by_length``, ``win_rate_by_limit``, ``reliability`` (needs an agent with
            letter probabilities) or ``learning_curves`` (needs a run).
        folder : str or Path, optional
            A folder to which the plot is written as PNG and SVG.

        Raises
        ------
        InputError
            If the plot is not available.
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
    """Compare agents on the same words.

    Parameters
    ----------
    agents : sequence of str, or dict of str to Agent, optional
        Names, or custom agents by name, which are fitted on the train split. By default the
        available agents.
    **options
        ``run``, ``words``, ``split``, ``secrets``, ``games``, ``max_wrong``, ``known``,
        ``drop_seen``, ``allow_seen`` and ``seed``; see
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
