"""Agents that guess letters, by name."""

from __future__ import annotations

from collections.abc import Callable

from hangman_lab.agents.base import Agent, PosteriorAgent
from hangman_lab.agents.decomposition import DecompositionAgent
from hangman_lab.agents.dictionary import (
    DictionaryAgent,
    OverallFrequencyAgent,
    RandomAgent,
    TopHeavyFrequencyAgent,
)
from hangman_lab.agents.minimax import MinimaxAgent
from hangman_lab.agents.ngram import NgramAgent
from hangman_lab.agents.ngram_posterior import NgramPosteriorAgent
from hangman_lab.agents.robust import RobustAgent
from hangman_lab.envs.errors import check_choice

__all__ = ["AGENTS", "Agent", "PosteriorAgent", "make_agent"]

# Each factory takes the seed of the agent's random draws.
AGENTS: dict[str, Callable[[int], Agent]] = {
    "random": RandomAgent,
    "benchmark": lambda seed: DictionaryAgent(literal=True),
    "dictionary": lambda seed: DictionaryAgent(),
    "minimax": lambda seed: MinimaxAgent(),
    "overall-frequency": lambda seed: OverallFrequencyAgent(seed=seed),
    "overall-frequency-greedy": lambda seed: OverallFrequencyAgent(greedy=True),
    "top-heavy": lambda seed: TopHeavyFrequencyAgent(seed=seed),
    "top-heavy-greedy": lambda seed: TopHeavyFrequencyAgent(greedy=True),
    "ngram": lambda seed: NgramAgent(),
    "decomposition": lambda seed: DecompositionAgent(),
    "ngram-posterior": lambda seed: NgramPosteriorAgent(),
    "robust": RobustAgent,
}


def make_agent(name: str, seed: int = 0, common: float = 0.0) -> Agent:
    """Return a new agent by name, not fitted yet; raise InputError if the name is unknown.

    ``common`` is that of :class:`DictionaryAgent`.
    """
    check_choice("agent", name, AGENTS)
    if name == "dictionary":
        return DictionaryAgent(common=common)
    return AGENTS[name](seed)
