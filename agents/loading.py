"""Agents by name, ready to play: fitted on words, or read from what a training run saved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from agents import AGENTS, make_agent
from agents.base import Agent
from agents.posterior.prior import DEFAULT_KNOWN
from envs.errors import InputError

# These are read from a run; the others are fitted on the train split.
LEARNED_AGENTS = ("ppo", "posterior")


def check_agent_names(names: Iterable[str], option: str) -> None:
    """Raise an ``InputError`` that names ``option`` if no agent has one of the names."""
    known = [*LEARNED_AGENTS, *AGENTS]
    for name in names:
        if name not in known:
            raise InputError(f"{option}: {name!r} is unknown; known are {', '.join(known)}")


def load_agent(
    name: str,
    train_words: Sequence[str],
    seed: int = 0,
    posterior: Path | None = None,
    policy: Path | None = None,
    known: float = DEFAULT_KNOWN,
) -> Agent:
    """Return an agent that is ready to play.

    Parameters
    ----------
    name : str
        One that :func:`check_agent_names` accepts.
    train_words : sequence of str
        What agents are fitted on that are not learned.
    seed : int
        Of agents that draw at random.
    posterior, policy : Path, optional
        The files of a run; learned agents need them.
    known : float
        The prior probability, 0 to 1, that the secret is a word that the run was fitted on.

    Raises
    ------
    InputError
        If a file cannot be read or is not what it should be.
    """
    if name not in LEARNED_AGENTS:
        return make_agent(name, seed).fit(train_words)
    # Imported here because torch takes seconds, which the other agents need not wait for.
    from agents.posterior.posterior import load_posterior

    model = load_posterior(posterior, known)
    if name == "posterior":
        return model
    from agents.ppo.agent import PPOAgent, load_network

    return PPOAgent(model, load_network(policy))
