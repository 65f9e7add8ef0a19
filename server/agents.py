"""The agent that the server asks for hints and lets be watched, in processes of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

from agents.base import PosteriorAgent
from agents.posterior.prior import DEFAULT_KNOWN
from envs.encoding import letter_index
from envs.errors import InputError
from envs.hangman.game import Game
from envs.hangman.observation import Observation
from runs.agents import check_agent_names, find_run, load_run_agent
from runs.directory import RunDirectory
from server.agent_player import AgentPlayer, Hint, Thinker, think
from server.settings import Settings

NO_AGENT = "none"
DEFAULT_AGENT = "ppo"
# Played once before the first player asks: frequent and rare letters, short and long, words that
# no list has, so that all that is compiled at its first use has been used.
_WARM_UP_WORDS = ("a", "qi", "letter", "zzyzx", "jazz", "mississippi", "uncopyrightables")
# Of a process that thinks: its agent, or why it has none.
_loaded: list[object] = []


def make_agent_player(
    run: RunDirectory | None, words: Sequence[str], settings: Settings
) -> AgentPlayer:
    """Return the agent, ready to play at once.

    It thinks in processes of its own, which leaves this one to those who play. Their memory is
    that of the agent, each. Learned agents are those of the run, or of the pretrained policy;
    others are fitted on the words.

    Raises
    ------
    InputError
        If there is no such agent, or it cannot tell how likely letters are.
    """
    if settings.agent == NO_AGENT:
        return AgentPlayer(settings)
    name = settings.agent or DEFAULT_AGENT
    check_agent_names([name], "--agent")
    if run is None:
        run = find_run(None, [name])
    arguments = name, run, tuple(words), settings.known, settings.max_wrong

    def make_executor() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            settings.agent_processes,
            multiprocessing.get_context("spawn"),
            initializer=_load,
            initargs=arguments,
        )

    player = AgentPlayer(settings, Thinker(name, _think, make_executor, _end_processes))
    try:
        processes = range(settings.agent_processes)
        for loading in [player.executor.submit(_check_loaded) for _ in processes]:
            loading.result()
    except BrokenExecutor as error:
        raise InputError(
            f"--agent: the process of {name} ended; is there too little memory?"
        ) from error
    except BaseException:
        player.close()
        raise
    return player


def _load(
    name: str, run: RunDirectory | None, words: Sequence[str], known: float | None, max_wrong: int
) -> None:
    # Ctrl-C is the server's, which ends this process; so does the server's own end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        # Those who play go before those who ask for hints.
        os.nice(5)
    try:
        agent = load_run_agent(name, run, words, known=DEFAULT_KNOWN if known is None else known)
        if not isinstance(agent, PosteriorAgent):
            raise InputError(f"--agent: {name} cannot tell how likely letters are")
        for word in _WARM_UP_WORDS:
            game = Game(word, max_wrong)
            while not game.over:
                game.guess(letter_index(think(agent, game.observations).letter))
        _loaded[:] = [agent]
    except InputError as error:
        _loaded[:] = [error]


def _end_with_parent() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)


def _end_processes() -> None:
    for process in multiprocessing.active_children():
        process.terminate()


def _check_loaded() -> None:
    if isinstance(_loaded[0], InputError):
        raise _loaded[0]


def _think(observations: Observation) -> Hint:
    return think(_loaded[0], observations)
