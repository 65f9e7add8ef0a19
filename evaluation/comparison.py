"""Comparison of agents on the same words."""

from __future__ import annotations

import copy
import io
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import Progress

from hangman_lab.agents.base import Agent, PosteriorAgent
from hangman_lab.envs.errors import InputError, check_choice
from hangman_lab.envs.words import hash_words
from hangman_lab.evaluation import arena
from hangman_lab.evaluation.calibration import reliability
from hangman_lab.evaluation.options import EvaluationOptions
from hangman_lab.evaluation.preparation import ENV_ID, EvaluationSetup, prepare
from hangman_lab.evaluation.reviews import review_agents
from hangman_lab.evaluation.statistics import (
    basic_statistics,
    compare_pairwise,
    summarize,
    win_rate,
    worst_win_rates,
)
from hangman_lab.evaluation.tables import print_comparison
from hangman_lab.terminal.arguments import require
from hangman_lab.terminal.console import make_progress, stage

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Comparison:
    """The results of agents, each of which plays every word of ``setup``.

    Attributes
    ----------
    games : DataFrame
        A row per game: ``agent``, ``word``, ``length``, ``is_known`` (whether the word is),
        ``won``, ``wrong_guesses``, ``guesses`` (their number), ``letters`` (the guesses in order).
    """

    def __init__(self, setup: EvaluationSetup, progress: Progress | None = None) -> None:
        self._setup = setup
        play = partial(arena.play, rules=setup.rules, host_words=setup.host_words)
        hashes = hash_words(setup.words)
        is_known = np.isin(hashes, setup.known_words)
        statistics: dict[str, dict[str, Any]] = {}
        tables = []
        progress = progress or make_progress()
        with stage(progress, "compiling", 1, unit=""):
            for agent in setup.agents.values():
                play(agent, setup.words[:1])
        for name, agent in setup.agents.items():
            with stage(progress, name, len(setup.words)) as advance:
                start = time.perf_counter()
                games = play(agent, setup.words, advance=advance)
                seconds = time.perf_counter() - start
                won = [games["won"]]
                for number in range(1, setup.repeat if agent.draws else 1):
                    won.append(play(agent, setup.words, repetition=number)["won"])
            summary = statistics[name] = summarize(games, seconds)
            if setup.repeat > 1 and len(setup.words):
                summary["worst"] = worst_win_rates(won)
            if not agent.draws:
                # Against an evil host, its games of a length are the same.
                distinct = games.drop_duplicates(["word", "letters"])
                summary["by_length"] = basic_statistics(distinct, seconds)["by_length"]
            summary["fitted"] = int(np.isin(hashes, setup.fitted_words.get(name, ())).sum())
            if 0 < is_known.sum() < len(is_known):
                for kind, part in games.groupby(np.where(is_known, "known", "unseen")):
                    summary[f"{kind}_words"] = win_rate(part.won.sum(), len(part))
            games.insert(2, "is_known", is_known)
            games.insert(0, "agent", name)
            tables.append(games)
        self.games = pd.concat(tables, ignore_index=True)
        self._evaluation: dict[str, Any] = {
            "env": ENV_ID,
            "words": {
                "source": setup.word_list.source,
                "count": len(setup.word_list),
                "num_known": int(is_known.sum()),
                "num_unseen": int((~is_known).sum()),
            },
            "split": setup.split,
            "seed": setup.seed,
            **asdict(setup.rules),
            "known": setup.known,
            "common": setup.common,
            "versions": {"python": platform.python_version(), "numpy": np.__version__},
            "agents": statistics,
            "pairwise": compare_pairwise(self.games),
        }

    def __repr__(self) -> str:
        printed = io.StringIO()
        print_comparison(Console(width=80, file=printed, force_terminal=False), self._evaluation)
        return printed.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation, the content of ``evaluate.py --json``."""
        return copy.deepcopy(self._evaluation)

    def calibrate(self, progress: Progress | None = None) -> None:
        """Add ``reliability`` to the statistics of agents with letter probabilities."""
        progress = progress or make_progress()
        for name, agent in self._setup.agents.items():
            summary = self._evaluation["agents"][name]
            games = self.games.loc[self.games["agent"] == name]
            if "reliability" in summary or not (isinstance(agent, PosteriorAgent) and len(games)):
                continue
            with stage(progress, f"{name}, calibration", 1, unit=""):
                summary["reliability"] = reliability(games, agent, self._setup.rules)

    def review(self, progress: Progress | None = None) -> pd.DataFrame:
        """Add ``review`` to the statistics of agents: what their guesses were worth.

        They are judged by the policy of the run, or the pretrained one. Returns a row per guess of
        at most 2,000 games per agent; see :func:`evaluation.reviews.review_agents`. InputError if
        the policy cannot be loaded.
        """
        progress = progress or make_progress()
        policy, listed = self._setup.load_reviewer()
        # Against an evil host, games can be alike.
        games = self.games.drop_duplicates(["agent", "word", "letters"])
        table, reviews = review_agents(policy, listed, games, self._setup.rules, progress)
        for name, summary in reviews.items():
            self._evaluation["agents"][name]["review"] = summary
        return table

    def plot(self, name: str = "win_rate_by_length") -> Figure:
        """Return the plot ``win_rate_by_length`` or ``reliability``.

        Reliability needs an agent with letter probabilities. InputError if the plot is not
        available, or Matplotlib is not installed.
        """
        require("a plot", "report", "matplotlib")
        from hangman_lab.evaluation.plots import PLOTS, draw_plots

        check_choice("plot", name, PLOTS)
        if name == "reliability":
            self.calibrate()
        figures = draw_plots(self._evaluation)
        if name not in figures:
            raise InputError(f"plot {name!r} is not available: no agent has what it shows")
        return figures[name]


def compare(
    agents: Sequence[str] | Mapping[str, Agent] | None = None, **options: Any
) -> Comparison:
    """Compare agents on the same words.

    Parameters
    ----------
    agents : sequence of str, or mapping of str to Agent, optional
        Names, or custom agents by name, which are fitted on the train split. By default the
        available agents.
    **options
        Those of :class:`evaluation.options.EvaluationOptions`, for example ``run``, ``words`` (a
        file or a list), ``games`` and ``known``.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If an option is invalid, or a file cannot be used.
    """
    if isinstance(agents, str):
        raise InputError(f"agents: {agents!r} is not a list of names")
    custom = agents if isinstance(agents, Mapping) else None
    chosen = EvaluationOptions.of(agents=agents if custom is None else (), **options)
    return Comparison(prepare(chosen, custom_agents=custom))
