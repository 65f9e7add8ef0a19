"""The agent of the server: its hints, and the games that it plays to be watched."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from agents.base import PosteriorAgent
from envs.encoding import ALPHABET, BLANK, MAX_LENGTH, letter_index
from envs.errors import InputError
from envs.hangman.game import Game
from envs.hangman.observation import Observation, parse_observation
from envs.hangman.rules import DEFAULT_MAX_WRONG
from server import metrics
from server.errors import RequestError
from server.game import Status

# The group of a player, and the player.
Asking = tuple[Hashable, Hashable]
_Turn = tuple[Observation, asyncio.Future]
logger = logging.getLogger("server")


class Hint(BaseModel):
    """What an agent thinks of a state of a game."""

    letter: str = Field(description="what it would guess")
    probabilities: dict[str, float] = Field(
        description="for each letter how likely it is in the hidden part of the word"
    )


class HintAnswer(Hint):
    """What the agent thinks."""

    agent: str


class TurnAnswer(Hint):
    """One guess of the agent: what it thought, and how the game stood after it."""

    word: str
    tries_remains: int
    wrong: str


class AgentGameAnswer(BaseModel):
    """A game that the agent played."""

    agent: str
    status: Status
    turns: list[TurnAnswer]


def think(agent: PosteriorAgent, observations: Observation) -> Hint:
    """Return what an agent thinks of one game."""
    letter = int(agent.act(observations, np.zeros(1, dtype=np.uint64))[0])
    probabilities = agent.letter_probabilities(observations)[0].tolist()
    return Hint(
        letter=ALPHABET[letter], probabilities=dict(zip(ALPHABET, probabilities, strict=True))
    )


@dataclass(frozen=True)
class Thinker:
    """An agent, and where it thinks.

    Attributes
    ----------
    name : str
    think : callable
        Takes the observations of one game and returns a Hint; it runs in the executor.
    make_executor : callable
        Returns an executor; called again if its processes have died.
    workers : int
        Turns that are thought about at once.
    close : callable
        Called at the end, before the executor is shut down.
    """

    name: str
    think: Callable[[Observation], Hint]
    make_executor: Callable[[], Executor]
    workers: int = 1
    close: Callable[[], None] = lambda: None


class AgentPlayer:
    """An agent that thinks elsewhere, one turn after the other, for each player in turn.

    A player who asks for much waits for its own turns: of those who wait, whoever was served
    longest ago is served next, and a game that is watched is as many turns as it has guesses.
    Groups of players take turns first, then the players of a group: guests cost nothing, so that
    all of an address are one group.

    Parameters
    ----------
    thinker : Thinker or None
        None where the server has no agent; then it refuses to answer.
    max_wrong : int
        The number of wrong guesses that loses.
    max_waiting, max_waiting_each : int
        Turns that wait, of everybody and of one player. A group may have half of all.

    Attributes
    ----------
    name : str or None
    executor : Executor or None
        Where the agent thinks.
    """

    def __init__(
        self,
        thinker: Thinker | None = None,
        max_wrong: int = DEFAULT_MAX_WRONG,
        max_waiting: int = 64,
        max_waiting_each: int = 8,
    ) -> None:
        self.name = thinker and thinker.name
        self.executor = thinker and thinker.make_executor()
        self._thinker = thinker
        self._max_wrong = max_wrong
        self._max_waiting = max_waiting
        self._max_waiting_each = max_waiting_each
        self._num_running = 0
        # By group and player, whoever was served longest ago first.
        self._waiting: OrderedDict[Hashable, OrderedDict[Hashable, deque[_Turn]]] = OrderedDict()

    async def hint(self, pattern: str, wrong: str, player: Asking) -> HintAnswer:
        """Return a hint for a game as a person writes it.

        Parameters
        ----------
        pattern, wrong : str
            As :func:`envs.hangman.observation.parse_observation` reads them.
        player : tuple
            The group and the player whose turn it is.

        Raises
        ------
        RequestError
            422 if they are not those of a game, 404 without an agent, 429 or 503 if it is busy.
        """
        try:
            observations = parse_observation(pattern, wrong, self._max_wrong)
        except InputError as error:
            raise RequestError(422, str(error)) from error
        if not (observations["word"] == BLANK).any():
            raise RequestError(422, f"pattern {pattern!r}: no letter is hidden")
        if observations["guessed"].all():
            raise RequestError(422, f"pattern {pattern!r}: no letter is left for the blanks")
        hint = await self._run(player, observations)
        return HintAnswer(agent=self.name, **vars(hint))

    async def play(self, word: str, player: Asking) -> AgentGameAnswer:
        """Let the agent play a word; the rules alone know the word.

        Raises
        ------
        RequestError
            422 if it is no word, 404 without an agent, 429 or 503 if it is busy.
        """
        secret = word.strip().lower()
        if not (secret.isascii() and secret.isalpha() and len(secret) <= MAX_LENGTH):
            raise RequestError(422, f"word: 1 to {MAX_LENGTH} letters a to z are expected")
        game = Game(secret, self._max_wrong)
        turns = []
        while not game.over:
            hint = await self._run(player, game.observations)
            game.guess(letter_index(hint.letter))
            state = {"word": game.word, "tries_remains": game.lives, "wrong": game.wrong_letters}
            turns.append(TurnAnswer(**vars(hint), **state))
        status = "success" if game.won else "failed"
        return AgentGameAnswer(agent=self.name, status=status, turns=turns)

    def close(self) -> None:
        """End the executor, without waiting for what it is thinking."""
        if self._thinker is not None:
            self._thinker.close()
            self.executor.shutdown(wait=False, cancel_futures=True)

    async def _run(self, player: Asking, observations: Observation) -> Hint:
        if self._thinker is None:
            raise RequestError(404, "this server has no agent")
        group, name = player
        mine = self._waiting.get(group, {}).get(name, ())
        if len(mine) >= self._max_waiting_each:
            message = f"{len(mine)} turns of the agent wait for you already; try again"
            raise RequestError(429, message, 1.0)
        counts = {each: sum(map(len, players.values())) for each, players in self._waiting.items()}
        all_full = sum(counts.values()) >= self._max_waiting
        if all_full or counts.get(group, 0) >= max(1, self._max_waiting // 2):
            raise RequestError(503, "the agent is busy; try again", 1.0)
        future = asyncio.get_running_loop().create_future()
        players = self._waiting.setdefault(group, OrderedDict())
        players.setdefault(name, deque()).append((observations, future))
        metrics.THINKING.inc()
        self._start()
        return await future

    def _start(self) -> None:
        while self._waiting and self._num_running < self._thinker.workers:
            group, players = self._waiting.popitem(last=False)
            name, mine = players.popitem(last=False)
            observations, future = mine.popleft()
            metrics.THINKING.dec()
            # Behind everybody else.
            if mine:
                players[name] = mine
            if players:
                self._waiting[group] = players
            if not future.done():
                self._num_running += 1
                task = asyncio.ensure_future(self._think_elsewhere(observations))
                task.add_done_callback(lambda task, future=future: self._finish(task, future))

    async def _think_elsewhere(self, observations: Observation) -> Hint:
        executor = self.executor
        loop: Any = asyncio.get_running_loop()
        begun = time.perf_counter()
        try:
            hint = await loop.run_in_executor(executor, self._thinker.think, observations)
        except BrokenExecutor as error:
            logger.error("the agent's process ended; another one is started")
            if self.executor is executor:
                self.executor = self._thinker.make_executor()
            raise RequestError(503, "the agent is busy; try again", 5.0) from error
        metrics.THINK_SECONDS.observe(time.perf_counter() - begun)
        return hint

    def _finish(self, task: asyncio.Task[Hint], future: asyncio.Future[Hint]) -> None:
        self._num_running -= 1
        if task.cancelled():
            future.cancel()
        elif (error := task.exception()) is not None:
            if not future.done():
                future.set_exception(error)
        elif not future.done():
            future.set_result(task.result())
        self._start()
