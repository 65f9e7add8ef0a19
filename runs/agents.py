"""Agents by name where some are those of a run: of the one that is named, or the pretrained one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from agents.base import Agent
from agents.loading import LEARNED_AGENTS, load_agent
from agents.posterior.prior import DEFAULT_KNOWN
from runs.directory import PRETRAINED, RunDirectory


def find_run(path: str | Path | None, names: Iterable[str]) -> RunDirectory | None:
    """Return the run that is named, else the pretrained one if one of the agents is learned.

    Raises
    ------
    InputError
        If the folder is not that of a run.
    """
    if path is None and not any(name in LEARNED_AGENTS for name in names):
        return None
    return RunDirectory.open(PRETRAINED if path is None else path)


def load_run_agent(
    name: str,
    run: RunDirectory | None,
    train_words: Sequence[str],
    seed: int = 0,
    known: float = DEFAULT_KNOWN,
) -> Agent:
    """Return an agent that is ready to play; see :func:`agents.loading.load_agent`.

    Parameters
    ----------
    name : str
    run : RunDirectory, optional
        Of :func:`find_run`; learned agents need it.
    train_words : sequence of str
    seed : int
    known : float
    """
    files = (None, None) if run is None else (run.posterior, run.policy)
    return load_agent(name, train_words, seed, *files, known)
