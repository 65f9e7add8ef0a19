"""The agent that the server asks for hints and lets be watched."""

from __future__ import annotations

from collections.abc import Sequence

from agents.loading import check_agent_names, load_agent
from server.agent_player import AgentPlayer
from training.run_directory import RunDirectory

NO_AGENT = "none"


def default_agent(run: RunDirectory | None) -> str:
    """Return the name of the agent where none is asked for."""
    return "ngram-posterior" if run is None else "ppo"


def make_agent_player(
    name: str | None, run: RunDirectory | None, words: Sequence[str], max_wrong: int
) -> AgentPlayer:
    """Return the agent, ready to play.

    Parameters
    ----------
    name : str, optional
        ``"none"`` for a server without an agent.
    run : RunDirectory, optional
        Where learned agents are read from.
    words : sequence of str
        What agents are fitted on that are not learned.
    max_wrong : int

    Raises
    ------
    InputError
        If there is no such agent, or it cannot tell how likely letters are.
    """
    if name == NO_AGENT:
        return AgentPlayer(None, None, max_wrong)
    name = name or default_agent(run)
    check_agent_names([name], run is not None, "--agent")
    files = (None, None) if run is None else (run.posterior, run.policy)
    return AgentPlayer(name, load_agent(name, words, 0, *files), max_wrong)
