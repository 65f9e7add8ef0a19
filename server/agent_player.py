"""The agent of the server: its hints, and the games that it plays to be watched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from agents.base import Agent, PosteriorAgent
from envs.encoding import ALPHABET, BLANK, MAX_LENGTH
from envs.errors import InputError
from envs.hangman.observation import Observation, parse_observation
from server.errors import RequestError
from server.game import Game, GameView, Guess

_MAX_WAITING = 64

T = TypeVar("T")


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


class AgentPlayer:
    """An agent on a thread of its own, so that games go on while it thinks.

    Parameters
    ----------
    name : str or None
        None where the server has no agent; then it refuses to answer.
    agent : Agent or None
        Able to tell probabilities.
    max_wrong : int

    Raises
    ------
    InputError
        If the agent cannot tell how likely letters are.
    """

    def __init__(self, name: str | None, agent: Agent | None, max_wrong: int) -> None:
        if agent is not None and not isinstance(agent, PosteriorAgent):
            raise InputError(f"--agent: {name} cannot tell how likely letters are")
        self.name = name
        self.max_wrong = max_wrong
        self._agent = agent
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="agent")
        self._num_waiting = 0

    async def hint(self, pattern: str, wrong: str) -> Hint:
        """Return a hint for a game as a person writes it.

        Parameters
        ----------
        pattern, wrong : str
            As :func:`envs.hangman.observation.parse_observation` reads them.

        Raises
        ------
        RequestError
            422 if they are not those of a game, 404 without an agent, 503 if it is busy.
        """
        try:
            observations = parse_observation(pattern, wrong, self.max_wrong)
        except InputError as error:
            raise RequestError(422, str(error)) from error
        if not (observations["word"] == BLANK).any():
            raise RequestError(422, f"pattern {pattern!r}: no letter is hidden")
        return await self._run(lambda: self._hint(observations))

    async def play(self, word: str) -> list[Turn]:
        """Let the agent play a word; the rules alone know the word.

        Raises
        ------
        RequestError
            422 if it is no word, 404 without an agent, 503 if it is busy.
        """
        secret = word.strip().lower()
        is_word = secret.isascii() and secret.isalpha() and len(secret) <= MAX_LENGTH
        if not is_word:
            raise RequestError(422, f"word: 1 to {MAX_LENGTH} letters a to z are expected")
        return await self._run(lambda: self._play(secret))

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

    def _hint(self, observations: Observation) -> Hint:
        letter = int(self._agent.act(observations, np.zeros(1, dtype=np.uint64))[0])
        probabilities = self._agent.letter_probabilities(observations)[0]
        return Hint(ALPHABET[letter], dict(zip(ALPHABET, map(float, probabilities), strict=True)))

    def _play(self, secret: str) -> list[Turn]:
        game = Game("", 0, secret, recorded=False, max_wrong=self.max_wrong)
        turns = []
        while not game.over:
            hint = self._hint(game.observe())
            game.play(Guess(hint.letter))
            turns.append(Turn(hint, game.view()))
        return turns

    async def _run(self, think: Callable[[], T]) -> T:
        if self._agent is None:
            raise RequestError(404, "this server has no agent")
        if self._num_waiting >= _MAX_WAITING:
            raise RequestError(503, "the agent is busy; try again", 1.0)
        self._num_waiting += 1
        try:
            loop: Any = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, think)
        finally:
            self._num_waiting -= 1
