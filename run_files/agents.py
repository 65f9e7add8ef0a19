"""Agents by name, fitted on words or loaded from a training run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from hangman_lab.agents import AGENTS, make_agent
from hangman_lab.agents.base import Agent
from hangman_lab.agents.posterior.posterior import LookAheadAgent, load_posterior
from hangman_lab.agents.posterior.prior import DEFAULT_KNOWN
from hangman_lab.agents.ppo.agent import load_network, make_policy_agent
from hangman_lab.envs.errors import InputError
from hangman_lab.run_files.config import STOCK_ALGORITHMS, OnPosteriorConfig
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory

# Loaded from a run. The run of a stock algorithm has one agent, with the name of the algorithm. All
# other agents are fitted on the train split.
LEARNED_AGENTS = ("ppo", "look-ahead", "posterior")


def check_agent_names(names: Iterable[str], option: str) -> None:
    """Raise InputError, with the name of ``option``, if an agent is unknown."""
    known = [*LEARNED_AGENTS, *STOCK_ALGORITHMS, *AGENTS]
    for name in names:
        if name not in known:
            raise InputError(f"{option}: {name!r} is unknown; known are {', '.join(known)}")


def find_run(path: str | Path | None, names: Iterable[str]) -> RunDirectory | None:
    """Return the run at ``path``, by default the pretrained run if an agent needs it."""
    if path is None and all(name in AGENTS for name in names):
        return None
    return RunDirectory.open(PRETRAINED if path is None else path)


def load_run_agent(
    name: str,
    run: RunDirectory | None,
    train_words: Sequence[str],
    seed: int = 0,
    known: float = DEFAULT_KNOWN,
) -> Agent:
    """Return a learned agent of a run, or another agent fitted on ``train_words``.

    ``known`` is the prior probability, 0 to 1, that the secret is a word that the run was fitted
    on. Raises InputError if a file of the run cannot be read or is invalid, or the run lacks the
    agent.
    """
    if name in AGENTS:
        return make_agent(name, seed).fit(train_words)
    assert run is not None
    learner = run.load_config().learner
    names = learner.agents
    if name not in names:
        raise InputError(f"agents: {run.path} has no agent {name!r}, only {', '.join(names)}")
    if "posterior" not in names:
        return make_policy_agent(load_network(run.policy), None)
    posterior = load_posterior(run.posterior, known)
    if name == "posterior":
        return posterior
    if name == "look-ahead":
        return LookAheadAgent(posterior, cast(OnPosteriorConfig, learner).look_ahead_lives)
    return make_policy_agent(load_network(run.policy), posterior)
