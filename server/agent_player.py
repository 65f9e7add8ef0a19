"""The agent of the server: its hints, and the games that it plays to be watched."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel, Field

from agents.base import PosteriorAgent
from envs.encoding import ALPHABET, BLANK, MAX_LENGTH, letter_index
from envs.errors import InputError
from envs.hangman.game import Game
from envs.hangman.observation import Observation, parse_observation
from server import metrics
from server.errors import RequestError
from server.game import Status
from server.settings import Settings
from server.turns import Turns

# The group of a player, and the player.
Asking = tuple[Hashable, Hashable]
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
    """An agent, and where it thinks."""

    name: str
    # Takes the observations of one game; runs in the executor.
    think: Callable[[Observation], Hint]
    # Called again if its processes have died.
    make_executor: Callable[[], Executor]
    # Called at the end, before the executor is shut down.
    close: Callable[[], None] = lambda: None


class AgentPlayer:
    """An agent that thinks elsewhere, one turn after the other, for each player in turn.

    A game that is watched is as many :class:`server.turns.Turns` as it has guesses. Without a
    thinker, where the server has no agent, it refuses to answer.
    """

    def __init__(self, settings: Settings, thinker: Thinker | None = None) -> None:
        self.name = thinker and thinker.name
        self.executor = thinker and thinker.make_executor()
        self._thinker = thinker
        self._max_wrong = settings.max_wrong
        self._turns = Turns(
            settings.agent_processes, settings.agent_waiting, settings.agent_waiting_each
        )

    async def hint(self, pattern: str, wrong: str, player: Asking) -> HintAnswer:
        """Return a hint for a game as :func:`envs.hangman.observation.parse_observation` reads it.

        Refused: 422 if they are not those of a game, 404 without an agent, 429 or 503 if it is
        busy.
        """
        try:
            observations = parse_observation(pattern, wrong, self._max_wrong)
        except InputError as error:
            raise RequestError(422, str(error)) from error
        if not (observations["word"] == BLANK).any():
            raise RequestError(422, f"pattern {pattern!r}: no letter is hidden")
        if observations["guessed"].all():
            raise RequestError(422, f"pattern {pattern!r}: no letter is left for the blanks")
        hint = await self._think(player, observations)
        return HintAnswer(agent=self.name, **vars(hint))

    async def play(self, word: str, player: Asking) -> AgentGameAnswer:
        """Let the agent play a word, which the rules alone know; 422 if it is no word."""
        secret = word.strip().lower()
        if not (secret.isascii() and secret.isalpha() and len(secret) <= MAX_LENGTH):
            raise RequestError(422, f"word: 1 to {MAX_LENGTH} letters a to z are expected")
        game = Game(secret, self._max_wrong)
        turns = []
        while not game.over:
            hint = await self._think(player, game.observations)
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

    async def _think(self, player: Asking, observations: Observation) -> Hint:
        if self._thinker is None:
            raise RequestError(404, "this server has no agent")
        loop = asyncio.get_running_loop()
        async with self._turns.turn(*player):
            executor = self.executor
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
