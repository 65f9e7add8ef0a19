"""The agent that the server asks for hints and lets be watched."""

from __future__ import annotations

from collections.abc import Sequence

from agents.loading import check_agent_names
from server.agent_player import AgentPlayer
from training.run_agents import find_run, load_run_agent
from training.run_directory import RunDirectory

NO_AGENT = "none"
DEFAULT_AGENT = "ppo"


def make_agent_player(
    name: str | None, run: RunDirectory | None, words: Sequence[str], max_wrong: int
) -> AgentPlayer:
    """Return the agent, ready to play.

    Parameters
    ----------
    name : str, optional
        ``"none"`` for a server without an agent.
    run : RunDirectory, optional
        Where learned agents are read from; the pretrained policy by default.
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
    name = name or DEFAULT_AGENT
    check_agent_names([name], "--agent")
    if run is None:
        run = find_run(None, [name])
    return AgentPlayer(name, load_run_agent(name, run, words), max_wrong)
