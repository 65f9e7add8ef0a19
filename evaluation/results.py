"""The result of a comparison of agents, as an object for programs and notebooks."""

from __future__ import annotations

import copy
import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console

from agents.base import Agent
from envs.errors import InputError
from envs.words import hash_words
from evaluation.analysis import analyze
from evaluation.arena import PlayedGames
from evaluation.comparison import Match, compare_agents
from evaluation.learning_curves import read_learning_curves
from evaluation.plots import PLOT_NAMES, draw_plots, save_plots
from evaluation.preparation import Request, prepare
from evaluation.statistics import guesses_in_order
from evaluation.tables import agents_table, print_comparison

CSV_COLUMNS = ("word", "agent", "won", "guesses", "known")


class Comparison:
    """Agents that played the same words.

    Parameters
    ----------
    match : Match
        What was played.
    evaluation : dict
        The figures.
    played : dict of str to PlayedGames
        The games, by agent.
    run : str or Path, optional
        The training run whose learning curves are drawn.
    """

    def __init__(
        self,
        match: Match,
        evaluation: dict[str, Any],
        played: dict[str, PlayedGames],
        run: str | Path | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.played = played
        self._match = match
        self._run = run
        self._is_analyzed = False
        self._figures: dict[str, Figure] | None = None

    def __str__(self) -> str:
        console = Console(width=80, file=io.StringIO(), force_terminal=False)
        print_comparison(console, self.evaluation)
        return console.file.getvalue()

    def _repr_html_(self) -> str:
        table = agents_table(self.evaluation)
        head = "".join(f"<th>{heading}</th>" for heading in table.headings)
        body = "".join(
            "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in table.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as ``evaluate.py --json`` writes them."""
        return copy.deepcopy(self.evaluation)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """Write one row per game: word, agent, won (1 or 0), guesses in order, known (1 or 0).

        Parameters
        ----------
        path : str or Path, optional
            Without it, the text is returned.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(CSV_COLUMNS)
        for name, played in self.played.items():
            is_known = np.isin(hash_words(played.words), self._match.known_words)
            writer.writerows(
                (
                    played.words[played.word_index[game]],
                    name,
                    int(played.won[game]),
                    guesses_in_order(played, game),
                    int(is_known[played.word_index[game]]),
                )
                for game in range(len(played))
            )
        if path is None:
            return text.getvalue()
        try:
            Path(path).write_text(text.getvalue(), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot write the games ({error.strerror})") from error
        return None

    def analyze(self, note: Callable[[str, str], None] = lambda name, text: None) -> None:
        """Compute what the plots need; more games are played for other limits.

        Parameters
        ----------
        note : callable
            Called with an agent's name and what is done with it.
        """
        if self._is_analyzed:
            return
        analyze(self._match, self.evaluation, self.played, note)
        self._is_analyzed = True

    def draw(self) -> dict[str, Figure]:
        """Return all plots as Matplotlib figures, by name."""
        if self._figures is None:
            self.analyze()
            curves = None if self._run is None else read_learning_curves(self._run)
            self._figures = draw_plots(self.evaluation, curves)
        return self._figures

    def plot(self, name: str = "win_rate_by_length", folder: str | Path | None = None) -> Figure:
        """Return one plot.

        Parameters
        ----------
        name : str
            One of ``win_rate_by_length``, ``win_rate_by_limit``, ``information_gain``,
            ``letters_by_turn``, ``reliability`` and ``learning_curves``; the last two where an
            agent has probabilities and where a run was given.
        folder : str or Path, optional
            Where to write it as PNG and SVG.

        Raises
        ------
        InputError
            If there is no such plot.
        """
        figures = self.draw()
        if name not in figures:
            why = "has nothing to show here" if name in PLOT_NAMES else "is unknown"
            raise InputError(f"plot {name!r} {why}; there are {', '.join(figures)}")
        if folder is not None:
            save_plots({name: figures[name]}, folder)
        return figures[name]


def compare(agents: Sequence[str] | dict[str, Agent] | None = None, **options: Any) -> Comparison:
    """Let agents play the same words.

    Parameters
    ----------
    agents : sequence of str, or dict of str to Agent, optional
        Names, or custom agents by name, which are fitted on the train split. Those at hand
        if not given.
    **options
        ``run``, ``words``, ``split``, ``secrets``, ``games``, ``repeats``, ``max_wrong``,
        ``known``, ``drop_seen``, ``allow_seen``, ``seed``: those of ``evaluate.py``, described in
        :class:`evaluation.preparation.Request`.

    Raises
    ------
    InputError
        If what is asked for cannot be done.
    TypeError
        If there is no such option.
    """
    custom = agents if isinstance(agents, dict) else {}
    names = () if custom else agents
    match = prepare(Request(agents=names, **options), custom_agents=custom)
    return Comparison(match, *compare_agents(match), run=options.get("run"))
