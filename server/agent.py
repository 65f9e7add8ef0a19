"""The agent of the server, in processes of its own: hints, and games to watch."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import partial
from weakref import WeakValueDictionary

import numpy as np
from pydantic import BaseModel, Field

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.envs.encoding import ALPHABET, BLANK, MAX_LENGTH, letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.observation import Observation, parse_observation
from hangman_lab.run_files.agents import check_agent_names, find_run, load_run_agent
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.server import observability
from hangman_lab.server.errors import RequestError
from hangman_lab.server.games import Status
from hangman_lab.server.settings import Settings

# Queued turns, which are shared evenly by those who ask: a token, or the guests of a network.
_MAX_QUEUED = 64
# Words played at the start, so that everything is compiled before the first hint.
_WARM_UP_WORDS = ("a", "qi", "letter", "zzyzx", "jazz", "mississippi", "uncopyrightables")
# In a process of the agent: the agent, or why it was not loaded.
_loaded: Future[PosteriorAgent] = Future()
logger = logging.getLogger("server")


class Hint(BaseModel):
    """What an agent thinks of a state of a game."""

    letter: str = Field(description="the best guess")
    probabilities: dict[str, float] = Field(description="that a letter is in the hidden part")


class HintAnswer(Hint):
    """A hint and its agent."""

    agent: str


class TurnAnswer(Hint):
    """A guess of the agent, and the game after it."""

    word: str
    tries_remains: int
    wrong: str


class AgentGameAnswer(BaseModel):
    """A game that the agent played."""

    agent: str
    secret: str
    status: Status
    turns: list[TurnAnswer]


class AgentPlayer:
    """An agent that thinks in executors of one process each."""

    def __init__(
        self,
        name: str,
        think: Callable[[Observation], Hint],
        make_executor: Callable[[], Executor],
        settings: Settings,
    ) -> None:
        self.name = name
        self._think_there = think
        self._make_executor = make_executor
        self._max_wrong = settings.max_wrong
        self.executors = [make_executor() for _ in range(settings.agent_processes)]
        self._free: asyncio.Queue[int] = asyncio.Queue()
        for number in range(len(self.executors)):
            self._free.put_nowait(number)
        # Each identity waits for an executor with one turn, so that identities take turns.
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._queued: Counter[Hashable] = Counter()

    async def hint(self, pattern: str, wrong: str, identity: Hashable) -> HintAnswer:
        """Return a hint for a game; 422 if it is invalid or has no guess left."""
        try:
            observations = parse_observation(pattern, wrong, self._max_wrong)
        except InputError as error:
            raise RequestError(422, str(error)) from error
        if not (observations["word"] == BLANK).any():
            raise RequestError(422, f"pattern {pattern!r}: no letter is hidden")
        if observations["guessed"].all():
            raise RequestError(422, f"pattern {pattern!r}: no letter is left for the blanks")
        hint = await self._think(identity, observations)
        return HintAnswer(agent=self.name, **vars(hint))

    async def play(self, word: str, identity: Hashable) -> AgentGameAnswer:
        """Let the agent play a word that only the rules see; 422 if it is invalid."""
        secret = word.strip().lower()
        if not (secret.isascii() and secret.isalpha() and len(secret) <= MAX_LENGTH):
            raise RequestError(422, f"word: 1 to {MAX_LENGTH} letters a to z are expected")
        game = Game(secret, self._max_wrong)
        turns = []
        while not game.over:
            hint = await self._think(identity, game.observations)
            game.guess(letter_index(hint.letter))
            state = {"word": game.word, "tries_remains": game.lives, "wrong": game.wrong_letters}
            turns.append(TurnAnswer(**vars(hint), **state))
        status: Status = "success" if game.won else "failed"
        return AgentGameAnswer(agent=self.name, secret=secret, status=status, turns=turns)

    def close(self) -> None:
        """End the executors at once."""
        for process in multiprocessing.active_children():
            process.terminate()
        for executor in self.executors:
            executor.shutdown(wait=False, cancel_futures=True)

    async def _think(self, identity: Hashable, observations: Observation) -> Hint:
        self._queued[identity] += 1
        lock = self._locks.setdefault(identity, asyncio.Lock())
        try:
            queued = self._queued[identity]
            if queued > max(1, _MAX_QUEUED // len(self._queued)):
                message = f"{queued - 1} turns of the agent wait for you already; try again"
                raise RequestError(429, message, 1.0)
            with observability.THINKING.track_inprogress():
                async with lock:
                    number = await self._free.get()
                    try:
                        return await self._run(number, observations)
                    finally:
                        self._free.put_nowait(number)
        finally:
            self._queued -= Counter([identity])

    async def _run(self, number: int, observations: Observation) -> Hint:
        executor, loop = self.executors[number], asyncio.get_running_loop()
        try:
            with observability.THINK_SECONDS.time():
                return await loop.run_in_executor(executor, self._think_there, observations)
        except BrokenExecutor as error:
            logger.error("the agent's process ended; another one is started")
            self.executors[number] = self._make_executor()
            raise RequestError(503, "the agent is busy; try again", 5.0) from error


def make_agent_player(
    run: RunDirectory | None, words: Sequence[str], settings: Settings
) -> AgentPlayer | None:
    """Return the agent, if any, warm; InputError if it is unknown or gives no probabilities."""
    if settings.agent == "none":
        return None
    name = settings.agent or "ppo"
    check_agent_names([name], "--agent")
    arguments = name, run or find_run(None, [name]), tuple(words), settings
    context = multiprocessing.get_context("spawn")
    make_executor = partial(ProcessPoolExecutor, 1, context, _load, arguments)
    player = AgentPlayer(name, _think_here, make_executor, settings)
    try:
        # Each process has loaded its agent when it answers.
        observations = Game("a", settings.max_wrong).observations
        for future in [each.submit(_think_here, observations) for each in player.executors]:
            future.result()
    except BaseException as error:
        player.close()
        if isinstance(error, BrokenExecutor):
            message = f"--agent: the process of {name} ended; is there too little memory?"
            raise InputError(message) from error
        raise
    return player


def think(agent: PosteriorAgent, observations: Observation) -> Hint:
    """Return the hint for one game."""
    letter = int(agent.act_batch(observations, np.zeros(1, dtype=np.uint64))[0])
    probabilities = zip(ALPHABET, agent.letter_probabilities(observations)[0].tolist(), strict=True)
    return Hint(letter=ALPHABET[letter], probabilities=dict(probabilities))


def _think_here(observations: Observation) -> Hint:
    return think(_loaded.result(), observations)


def _load(name: str, run: RunDirectory | None, words: Sequence[str], settings: Settings) -> None:
    # Ctrl-C is for the server, with which this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):  # Games have priority over hints.
        os.nice(5)
    try:
        agent = load_run_agent(name, run, words, known=settings.known)
        if not isinstance(agent, PosteriorAgent):
            raise InputError(f"--agent: {name} has no letter probabilities")
        for word in _WARM_UP_WORDS:
            game = Game(word, settings.max_wrong)
            while not game.over:
                game.guess(letter_index(think(agent, game.observations).letter))
        _loaded.set_result(agent)
    except InputError as error:
        _loaded.set_exception(error)


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
    os._exit(1)
