"""The agent that the server asks for hints and lets be watched."""

from __future__ import annotations

from collections.abc import Sequence

from agents.loading import LEARNED_AGENTS, check_agent_names, load_agent
from server.agent_player import AgentPlayer
from training.run_directory import PRETRAINED, RunDirectory

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
    if name in LEARNED_AGENTS and run is None:
        run = RunDirectory.open(PRETRAINED)
    files = (None, None) if run is None else (run.posterior, run.policy)
    return AgentPlayer(name, load_agent(name, words, 0, *files), max_wrong)
