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

from agents.base import PosteriorAgent
from envs.encoding import ALPHABET, BLANK, MAX_LENGTH
from envs.errors import InputError
from envs.hangman.observation import Observation, parse_observation
from server import metrics
from server.errors import RequestError
from server.game import Game, GameView, Guess

# The group of a player, and the player.
Asking = tuple[Hashable, Hashable]
_Turn = tuple[Observation, asyncio.Future]
logger = logging.getLogger("server")


@dataclass(frozen=True)
class Hint:
    """What an agent thinks of a state of a game.

    Attributes
    ----------
    letter : str
        What it would guess.
    probabilities : dict of str to float
        For each letter a to z how likely it stands behind a blank; 0 for guessed letters.
    """

    letter: str
    probabilities: dict[str, float]


@dataclass(frozen=True)
class Turn:
    """One guess of an agent: what it thought before, and how the game stood after."""

    hint: Hint
    view: GameView


def think(agent: PosteriorAgent, observations: Observation) -> Hint:
    """Return what an agent thinks of one game."""
    letter = int(agent.act(observations, np.zeros(1, dtype=np.uint64))[0])
    probabilities = agent.letter_probabilities(observations)[0]
    return Hint(ALPHABET[letter], dict(zip(ALPHABET, map(float, probabilities), strict=True)))


class AgentPlayer:
    """An agent that thinks elsewhere, one turn after the other, for each player in turn.

    A player who asks for much waits for its own turns: of those who wait, whoever was served
    longest ago is served next, and a game that is watched is as many turns as it has guesses.
    Groups of players take turns first, then the players of a group: guests cost nothing, so that
    all of an address are one group.

    Parameters
    ----------
    name : str or None
        None where the server has no agent; then it refuses to answer.
    think : callable, optional
        Takes the observations of one game and returns a Hint; it runs in the executor.
    make_executor : callable, optional
        Returns an executor; called again if its processes have died.
    max_wrong, workers : int
    max_waiting, max_waiting_each : int
        Turns that wait, of everybody and of one player. A group may have half of all.
    close : callable
        Called at the end, before the executor is shut down.

    Attributes
    ----------
    executor : Executor or None
        Where the agent thinks.
    """

    def __init__(
        self,
        name: str | None,
        think: Callable[[Observation], Hint] | None = None,
        make_executor: Callable[[], Executor] | None = None,
        max_wrong: int = 6,
        workers: int = 1,
        max_waiting: int = 64,
        max_waiting_each: int = 8,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.max_wrong = max_wrong
        self._think = think
        self._make_executor = make_executor
        self.executor = None if make_executor is None else make_executor()
        self._workers = workers
        self._max_waiting = max_waiting
        self._max_waiting_each = max_waiting_each
        self._close = close
        self._num_running = 0
        # By group and player, whoever was served longest ago first.
        self._waiting: OrderedDict[Hashable, OrderedDict[Hashable, deque[_Turn]]] = OrderedDict()

    async def hint(self, pattern: str, wrong: str, player: Asking) -> Hint:
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
            observations = parse_observation(pattern, wrong, self.max_wrong)
        except InputError as error:
            raise RequestError(422, str(error)) from error
        if not (observations["word"] == BLANK).any():
            raise RequestError(422, f"pattern {pattern!r}: no letter is hidden")
        if observations["guessed"].all():
            raise RequestError(422, f"pattern {pattern!r}: no letter is left for the blanks")
        return await self._run(player, observations)

    async def play(self, word: str, player: Asking) -> list[Turn]:
        """Let the agent play a word; the rules alone know the word.

        Raises
        ------
        RequestError
            422 if it is no word, 404 without an agent, 429 or 503 if it is busy.
        """
        secret = word.strip().lower()
        is_word = secret.isascii() and secret.isalpha() and len(secret) <= MAX_LENGTH
        if not is_word:
            raise RequestError(422, f"word: 1 to {MAX_LENGTH} letters a to z are expected")
        game = Game("", 0, secret, recorded=False, max_wrong=self.max_wrong)
        turns = []
        while not game.over:
            hint = await self._run(player, game.observe())
            game.play(Guess(hint.letter))
            turns.append(Turn(hint, game.view()))
        return turns

    def close(self) -> None:
        """End the executor, without waiting for what it is thinking."""
        self._close()
        if self.executor is not None:
            self.executor.shutdown(wait=False, cancel_futures=True)

    async def _run(self, player: Asking, observations: Observation) -> Hint:
        if self.executor is None:
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
        while self._waiting and self._num_running < self._workers:
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
            hint = await loop.run_in_executor(executor, self._think, observations)
        except BrokenExecutor as error:
            logger.error("the agent's process ended; another one is started")
            if self.executor is executor:
                self.executor = self._make_executor()
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
