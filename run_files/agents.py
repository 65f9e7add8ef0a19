"""Agents by name, ready to play: fitted on words, or those of a training run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from agents import AGENTS, make_agent
from agents.base import Agent
from agents.posterior.prior import DEFAULT_KNOWN
from envs.errors import InputError
from run_files.config import STOCK_ALGORITHMS
from run_files.directory import PRETRAINED, RunDirectory

# Read from a run, the pretrained one for example; a stock algorithm's run has one agent, with the
# algorithm's name. All other agents are fitted on the train split.
LEARNED_AGENTS = ("ppo", "look-ahead", "posterior")


def check_agent_names(names: Iterable[str], option: str) -> None:
    """Refuse names that no agent has.

    Raises
    ------
    InputError
        It names ``option``, the name and what is allowed.
    """
    known = [*LEARNED_AGENTS, *STOCK_ALGORITHMS, *AGENTS]
    for name in names:
        if name not in known:
            raise InputError(f"{option}: {name!r} is unknown; known are {', '.join(known)}")


def find_run(path: str | Path | None, names: Iterable[str]) -> RunDirectory | None:
    """Return the run that is named, else the pretrained one if one of the agents is learned.

    Raises
    ------
    InputError
        If the folder is not that of a run.
    """
    if path is None and all(name in AGENTS for name in names):
        return None
    return RunDirectory.open(PRETRAINED if path is None else path)


def learned_agents(run: RunDirectory) -> tuple[str, ...]:
    """Return the names of a run's agents: only its policy if there is no posterior."""
    config = run.load_config()
    if not config.posterior.enabled:
        return (config.algorithm,)
    # With 0 lives the look-ahead is the posterior.
    return LEARNED_AGENTS if config.policy.look_ahead_lives else ("ppo", "posterior")


def load_run_agent(
    name: str,
    run: RunDirectory | None,
    train_words: Sequence[str],
    seed: int = 0,
    known: float = DEFAULT_KNOWN,
) -> Agent:
    """Return an agent that is ready to play.

    Parameters
    ----------
    name : str
        One that :func:`check_agent_names` accepts.
    run : RunDirectory, optional
        Of :func:`find_run`; learned agents need it.
    train_words : sequence of str
        What agents are fitted on that are not learned.
    seed : int
        Of agents that draw at random.
    known : float
        The prior probability, 0 to 1, that the secret is a word that the run was fitted on.

    Raises
    ------
    InputError
        If a file of the run cannot be read or is not what it should be, or the run has no such
        agent.
    """
    if name in AGENTS:
        return make_agent(name, seed).fit(train_words)
    # Imported here because torch takes seconds, which the other agents need not wait for.
    from agents.posterior.posterior import LookAheadAgent, load_posterior
    from agents.ppo.agent import load_network, make_policy_agent

    names = learned_agents(run)
    if name not in names:
        raise InputError(f"agents: {run.path} has no agent {name!r}, only {', '.join(names)}")
    posterior = load_posterior(run.posterior, known) if "posterior" in names else None
    if name == "posterior":
        return posterior
    if name == "look-ahead":
        return LookAheadAgent(posterior, run.load_config().policy.look_ahead_lives)
    return make_policy_agent(load_network(run.policy), posterior)
