"""Agents that guess whole words, by name."""

from __future__ import annotations

from collections.abc import Callable

from agents.word_guess.base import WordGuessAgent
from agents.word_guess.filter import FilterAgent
from agents.word_guess.partition import EntropyAgent, MinimaxAgent
from agents.word_guess.random_consistent import RandomConsistentAgent
from envs.errors import InputError

__all__ = [
    "WORD_GUESS_AGENTS",
    "EntropyAgent",
    "FilterAgent",
    "MinimaxAgent",
    "RandomConsistentAgent",
    "WordGuessAgent",
    "make_word_guess_agent",
]

# How many guesses the agents that look ahead compare. docs/word_guess.md has what more would give.
LOOKAHEAD = 40

# Each entry takes the seed of the agent's random draws.
WORD_GUESS_AGENTS: dict[str, Callable[[int], WordGuessAgent]] = {
    "filter": lambda seed: FilterAgent(seed=seed),
    "filter-alphabetical": lambda seed: FilterAgent(order="list"),
    "filter-pseudo-code": lambda seed: FilterAgent("pseudo-code", seed=seed),
    "minimax": lambda seed: MinimaxAgent(lookahead=LOOKAHEAD),
    "minimax-greedy": lambda seed: MinimaxAgent(),
    "minimax-all": lambda seed: MinimaxAgent("all"),
    "entropy": lambda seed: EntropyAgent(lookahead=LOOKAHEAD),
    "entropy-greedy": lambda seed: EntropyAgent(),
    "entropy-all": lambda seed: EntropyAgent("all"),
    "random-consistent": lambda seed: RandomConsistentAgent(seed),
}


def make_word_guess_agent(name: str, seed: int = 0) -> WordGuessAgent:
    """Return the agent of that name, not fitted yet.

    Raises
    ------
    InputError
        If no agent has that name.
    """
    if name not in WORD_GUESS_AGENTS:
        known = ", ".join(sorted(WORD_GUESS_AGENTS))
        raise InputError(f"agent {name!r} is unknown; those that guess words are {known}")
    return WORD_GUESS_AGENTS[name](seed)
