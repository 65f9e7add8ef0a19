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
from agents.posterior.prior import DEFAULT_KNOWN
from envs.errors import InputError
from envs.words import hash_words
from evaluation.analysis import analyze
from evaluation.arena import PlayedGames, play
from evaluation.comparison import compare_agents, print_comparison
from evaluation.learning_curves import LearningCurves, read_learning_curves
from evaluation.plots import PLOT_NAMES, draw_plots, save_plots
from evaluation.preparation import Prepared, Request, prepare
from evaluation.statistics import guesses_in_order
from evaluation.tables import agents_table

CSV_COLUMNS = ("word", "agent", "won", "guesses", "known")


class Comparison:
    """Agents that played the same words.

    Parameters
    ----------
    prepared : Prepared
        What was played.
    evaluation : dict
        The figures.
    played : dict of str to PlayedGames
        The games, by agent.
    """

    def __init__(
        self, prepared: Prepared, evaluation: dict[str, Any], played: dict[str, PlayedGames]
    ) -> None:
        self.evaluation = evaluation
        self.played = played
        self._prepared = prepared
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
            is_known = np.isin(hash_words(played.words), self._prepared.known_words)
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
        prepared = self._prepared
        analyze(
            self.evaluation,
            prepared.agents,
            self.played,
            prepared.task.word_list.words,
            prepared.request.repeats,
            note,
        )
        self._is_analyzed = True

    def draw(self) -> dict[str, Figure]:
        """Return all plots as Matplotlib figures, by name."""
        if self._figures is None:
            self.analyze()
            run = self._prepared.request.run
            curves: LearningCurves | None = None if run is None else read_learning_curves(run)
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


def compare(
    agents: Sequence[str] | dict[str, Agent] | None = None,
    *,
    run: str | Path | None = None,
    words: str | Path | None = None,
    split: str | None = None,
    secrets: str | Path | None = None,
    games: int | None = None,
    repeats: int = 1,
    max_wrong: int | None = None,
    known: float = DEFAULT_KNOWN,
    drop_seen: bool = False,
    allow_seen: bool = False,
    seed: int = 0,
) -> Comparison:
    """Let agents play the same words; the options are those of ``evaluate.py``.

    Parameters
    ----------
    agents : sequence of str, or dict of str to Agent, optional
        Names, or custom agents by name, which are fitted on the train split. Those at hand
        if not given.
    run : str or Path, optional
        A training run: its policy, its word list and its split; the pretrained one if not given.
    words : str or Path, optional
        A word list; the default list or the run's if not given.
    split : {"test", "valid", "train"}, optional
        Test if not given.
    secrets : str or Path, optional
        Play exactly the words of this file.
    games : int, optional
        Play so many words, drawn by seed; all if not given.
    repeats : int
        Games per word.
    max_wrong : int, optional
        Wrong guesses allowed; 6 or the run's if not given.
    known : float
        The prior probability, 0 to 1, that the secret is a word that the run was fitted on; at 0
        these words are refused.
    drop_seen, allow_seen : bool
        Leave out known words, or play them in spite of ``known=0``.
    seed : int
        Of random draws.

    Raises
    ------
    InputError
        If what is asked for cannot be done.
    """
    custom: dict[str, Agent] = {}
    names: Sequence[str] | None = None
    if isinstance(agents, dict):
        custom, names = agents, ()
    elif agents is not None:
        names = tuple(agents)
    request = Request(
        agents=names,
        run=None if run is None else str(run),
        words=None if words is None else str(words),
        split=split,
        secrets=None if secrets is None else str(secrets),
        games=games,
        repeats=repeats,
        max_wrong=max_wrong,
        known=known,
        drop_seen=drop_seen,
        allow_seen=allow_seen,
        seed=seed,
    )
    return play_prepared(prepare(request, more_agents=custom))


def play_prepared(
    prepared: Prepared,
    progress: Callable[[str, int, int], None] | None = None,
    play: Callable[..., PlayedGames] = play,
) -> Comparison:
    """Play what was prepared; ``progress`` and ``play`` are those of ``compare_agents``."""
    task, request = prepared.task, prepared.request
    evaluation, played = compare_agents(
        prepared.agents,
        prepared.words,
        source=task.word_list.source,
        num_listed=len(task.word_list),
        split=task.split,
        seed=request.seed,
        max_wrong=task.max_wrong,
        repeats=request.repeats,
        known=request.known,
        known_words=prepared.known_words,
        fitted_words=prepared.fitted_words,
        progress=progress,
        play=play,
    )
    return Comparison(prepared, evaluation, played)
