"""Agents that guess letters, by name."""

from __future__ import annotations

from collections.abc import Callable

from agents.base import Agent, PosteriorAgent, ScoringAgent
from agents.dictionary import DictionaryAgent
from agents.uniform import RandomAgent
from envs.errors import InputError

__all__ = [
    "AGENTS",
    "Agent",
    "DictionaryAgent",
    "PosteriorAgent",
    "RandomAgent",
    "ScoringAgent",
    "make_agent",
]

# Each entry takes the seed of the agent's random draws.
AGENTS: dict[str, Callable[[int], Agent]] = {
    "random": lambda seed: RandomAgent(seed),
    "dictionary": lambda seed: DictionaryAgent(),
}


def make_agent(name: str, seed: int = 0) -> Agent:
    """Return the agent of that name, not fitted yet.

    Raises
    ------
    InputError
        If no agent has that name.
    """
    if name not in AGENTS:
        raise InputError(f"agent {name!r} is unknown; known are {', '.join(sorted(AGENTS))}")
    return AGENTS[name](seed)
