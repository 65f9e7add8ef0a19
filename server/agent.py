"""The agent of the server, in separate processes: hints, games to watch, and reviews."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import partial
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from async_lru import alru_cache
from pydantic import BaseModel, Field

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.envs.encoding import ALPHABET, letter_index
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.hangman.game import Game
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.word_sets import WordSets, index_words
from hangman_lab.envs.words import default_known
from hangman_lab.run_files.agents import check_agent_names, find_run, load_run_agent
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.server.errors import RequestError
from hangman_lab.server.served_words import ServedWords
from hangman_lab.server.settings import Settings

# Queued turns, shared equally by the identities: tokens, and the networks of guests.
_MAX_QUEUED = 64
# Timeout for the answer to a turn; a process that takes longer for a hint is replaced.
_SECONDS = 4.0
# The latest reviews, which are kept; each takes at most 8 KB.
_MAX_REVIEWS = 1_000
# Words played at the start, which compiles everything before the first hint.
_WARM_UP_WORDS = ("a", "qi", "letter", "zzyzx", "jazz", "mississippi", "uncopyrightables")
# In a process of the agent: the agent and the listed words, or the error of their loading.
_loaded: Future[tuple[PosteriorAgent, WordSets]] = Future()
logger = logging.getLogger("server")

T = TypeVar("T")


class Hint(BaseModel):
    """The guess of an agent, and its letter probabilities."""

    letter: str = Field(description="the best guess")
    probabilities: dict[str, float] = Field(description="of each letter, to be in the hidden part")


class AgentGame(BaseModel):
    """A game that the agent played."""

    secret: str
    turns: list[Hint] = Field(description="the hint for each guess")


class ReviewedGuess(BaseModel):
    """What a guess was worth by the letter probabilities of the agent."""

    shown: str = Field(description="the masked word before the guess")
    letter: str
    probability: float = Field(description="that the letter was in the hidden part")
    best_letter: str = Field(description="the most probable letter")
    best_probability: float
    agent_letter: str = Field(description="the agent's guess")
    agent_probability: float
    dominated: bool = Field(description="listed words fit, and none has the letter in a blank")


class Review(BaseModel):
    """The review of a finished game."""

    guesses: list[ReviewedGuess]


class AgentPlayer:
    """An agent in executors of one process each, which identities use in turns (round-robin)."""

    def __init__(
        self,
        think: Callable[[Observations], Hint],
        review: Callable[[str, str, int], str],
        make_executor: Callable[[], Executor],
        settings: Settings,
    ) -> None:
        self._think_there, self._review_there = think, review
        #: The review of a finished game, as JSON; see :meth:`_review`. A game has one identity.
        self.review = alru_cache(maxsize=_MAX_REVIEWS)(self._review)
        self._make_executor = make_executor
        self._rules = settings.rules
        self._processes: dict[Executor, list[BaseProcess]] = {}
        self._free: asyncio.Queue[Executor] = asyncio.Queue()
        #: The first hint of each executor, which loads the agent.
        self.loading = [self._start() for _ in range(settings.agent_processes)]
        for executor in self._processes:
            self._free.put_nowait(executor)
        # Round-robin: of each identity, one turn at a time waits for an executor.
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._queued: Counter[Hashable] = Counter()

    async def hint(self, observations: Observations, identity: Hashable) -> Hint:
        """Return a hint; 429 and 503 as for any turn."""
        return await self._take_turn(identity, self._think_there, observations)

    async def _review(self, word: str, letters: str, max_wrong: int, identity: Hashable) -> str:
        """Review a masked word after all guesses; 429 and 503 as for any turn."""
        return await self._take_turn(identity, self._review_there, word, letters, max_wrong)

    async def _take_turn(
        self, identity: Hashable, function: Callable[..., T], *arguments: Any
    ) -> T:
        """Call in an executor; 429 if too many turns are queued, 503 if a process ended."""
        self._queued[identity] += 1
        try:
            queued = self._queued[identity]
            if queued > max(1, _MAX_QUEUED // len(self._queued)):
                raise RequestError(429, f"{queued - 1} turns of yours are queued; try again", 1.0)
            lock = self._locks.setdefault(identity, asyncio.Lock())
            async with asyncio.timeout(_SECONDS), lock:
                # The process has its own timeout, since this one has waited for it.
                executor = await self._free.get()
                answer = await asyncio.shield(self._run(executor, function, *arguments))
        except TimeoutError:
            answer = None
        finally:
            self._queued -= Counter([identity])
        if answer is None:
            raise RequestError(503, "the agent is busy; try again", 5.0)
        return answer

    async def play(self, secret: str, identity: Hashable) -> AgentGame:
        """Let the agent play a word; 429 and 503 as for a hint."""
        game, turns = Game(secret, self._rules), []
        while not game.over:
            turns.append(hint := await self.hint(game.observations, identity))
            game.guess(letter_index(hint.letter))
        return AgentGame(secret=secret, turns=turns)

    def close(self) -> None:
        """End the processes."""
        for executor in list(self._processes):
            self._end(executor)

    def _start(self) -> Future[Hint]:
        """Make an executor; return its first hint, which its process gives once it has loaded."""
        before = multiprocessing.active_children()
        executor = self._make_executor()
        loading = executor.submit(self._think_there, Game("a", self._rules).observations)
        after = multiprocessing.active_children()
        self._processes[executor] = new = [each for each in after if each not in before]
        for process in new if hasattr(os, "setpriority") else []:  # not on Windows
            # Games have priority over hints, and over what the process imports.
            os.setpriority(os.PRIO_PROCESS, process.ident or 0, 10)
        return loading

    def _end(self, executor: Executor) -> None:
        for process in self._processes.pop(executor):
            process.kill()  # a stopped process does not handle SIGTERM
        executor.shutdown(wait=False, cancel_futures=True)

    def _replace(self, executor: Executor) -> None:
        """End an executor, and start another one, which is used once it has loaded."""
        self._end(executor)
        loading, loop = self._start(), asyncio.get_running_loop()
        new = [*self._processes][-1]  # the one that was just started
        loading.add_done_callback(lambda _: loop.call_soon_threadsafe(self._free.put_nowait, new))

    async def _run(
        self, executor: Executor, function: Callable[..., T], *arguments: Any
    ) -> T | None:
        """Return what a function returns there, or None if the process ended or hangs."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_SECONDS):
                return await loop.run_in_executor(executor, function, *arguments)
        except (BrokenExecutor, TimeoutError):
            logger.error("the agent's process ended or hangs; another one is started")
            self._replace(executor)
            return None
        finally:
            if executor in self._processes:
                self._free.put_nowait(executor)


def make_agent_player(
    run: RunDirectory | None, words: ServedWords, settings: Settings
) -> AgentPlayer | None:
    """Return the agent, loaded and compiled, or None; InputError if it can give no hints."""
    name = settings.agent
    if name == "none":
        return None
    check_agent_names([name], "--agent", run)
    # Texts, since pickling tuples of many words would hold up the event loop.
    texts = " ".join(words.to_fit), " ".join(words.listed)
    load = partial(start_loading, name, run or find_run(None, [name]), *texts, settings)
    player = AgentPlayer(_think_here, _review_here, load, settings)
    try:
        for loading in player.loading:
            loading.result()
    except BaseException as error:
        player.close()
        if isinstance(error, BrokenExecutor):
            message = f"--agent: the process of {name} ended; is there too little memory?"
            raise InputError(message) from error
        raise
    return player


def start_loading(*arguments: Any) -> ProcessPoolExecutor:
    """Start a process that loads the agent; return at once."""
    executor = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    # As a task: a thread sends it. The caller sends an initializer, until the process has read it.
    executor.submit(_load, *arguments)
    return executor


def think(agent: PosteriorAgent, observations: Observations) -> Hint:
    """Return the hint for one game."""
    letter = int(agent.act_batch(observations, np.zeros(1, dtype=np.uint64))[0])
    probabilities = zip(ALPHABET, agent.letter_probabilities(observations)[0].tolist(), strict=True)
    return Hint(letter=ALPHABET[letter], probabilities=dict(probabilities))


def review(agent: PosteriorAgent, listed: WordSets, word: str, letters: str, max_wrong: int) -> str:
    """Return the :class:`Review` of a game as JSON."""
    # Imported here, since the server's own process needs no pandas.
    from hangman_lab.evaluation.reviews import review_games

    table = review_games(agent, listed, [word], [letters], Rules(max_wrong))
    guesses = [ReviewedGuess(**row) for row in table.to_dict("records")]
    return Review(guesses=guesses).model_dump_json()


def _think_here(observations: Observations) -> Hint:
    return think(_loaded.result()[0], observations)


def _review_here(word: str, letters: str, max_wrong: int) -> str:
    return review(*_loaded.result(), word, letters, max_wrong)


def _load(
    name: str, run: RunDirectory | None, to_fit: str, listed: str, settings: Settings
) -> None:
    # Ctrl-C ends the server, and the server its processes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        common = settings.common or 0.0
        known = default_known(common) if settings.known is None else settings.known
        agent = load_run_agent(name, run, to_fit.split(), known=known, common=common)
        if not isinstance(agent, PosteriorAgent):
            raise InputError(f"--agent: {name} has no letter probabilities")
        index = index_words(listed.split())
        for word in _WARM_UP_WORDS:
            game = Game(word, settings.rules)
            while not game.over:
                game.guess(letter_index(think(agent, game.observations).letter))
            review(agent, index, game.word, game.guesses, settings.max_wrong)
        _loaded.set_result((agent, index))
    except Exception as error:
        _loaded.set_exception(error)


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
    os._exit(1)
