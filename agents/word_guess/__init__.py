"""Agents that guess whole words, by name."""

from __future__ import annotations

from collections.abc import Callable

from hangman_lab.agents.base import agent_named
from hangman_lab.agents.word_guess.base import RandomConsistentAgent, WordGuessAgent
from hangman_lab.agents.word_guess.filter import FilterAgent
from hangman_lab.agents.word_guess.partition import PartitionAgent

__all__ = ["WORD_GUESS_AGENTS", "WordGuessAgent", "make_word_guess_agent"]

# The number of guesses compared by rollouts. docs/word_guess.md shows the effect of more.
_LOOKAHEAD = 40

# Each factory takes the seed of the agent's random draws.
WORD_GUESS_AGENTS: dict[str, Callable[[int], WordGuessAgent]] = {
    "filter": lambda seed: FilterAgent(seed=seed),
    "minimax": lambda seed: PartitionAgent("minimax", lookahead=_LOOKAHEAD),
    "minimax-greedy": lambda seed: PartitionAgent("minimax"),
    "minimax-all": lambda seed: PartitionAgent("minimax", any_word=True),
    "entropy": lambda seed: PartitionAgent("entropy", lookahead=_LOOKAHEAD),
    "entropy-greedy": lambda seed: PartitionAgent("entropy"),
    "entropy-all": lambda seed: PartitionAgent("entropy", any_word=True),
    "random-consistent": lambda seed: RandomConsistentAgent(seed),
}


def make_word_guess_agent(name: str, seed: int = 0) -> WordGuessAgent:
    """Return a new agent by name, not fitted yet; raise InputError if the name is unknown."""
    return agent_named(WORD_GUESS_AGENTS, name, "those that guess words", seed)
