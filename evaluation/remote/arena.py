"""The remote arena: agents play games of a server, several at once."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from envs.encoding import ALPHABET, PADDING
from envs.errors import InputError
from envs.hangman.observation import Observation, parse_observation
from evaluation.remote.client import GameClient, RemoteGame
from evaluation.statistics import win_rate


@dataclass(frozen=True)
class RemoteGames:
    """Games that were played to their end.

    Attributes
    ----------
    games : tuple of RemoteGame
    seconds : float
        From the first request to the last answer.
    """

    games: tuple[RemoteGame, ...]
    seconds: float

    def summarize(self) -> dict[str, Any]:
        """Return the figures, named as in the JSON of ``evaluate.py``.

        Which words the agent has seen before only the server could tell: ``seen`` is None.
        """
        won = np.array([game.status == "success" for game in self.games], dtype=np.bool_)
        lengths = np.array([len(game.pattern) for game in self.games], dtype=np.int64)
        count = len(self.games)
        return {
            **win_rate(won.sum(), count),
            "mean_wrong_guesses": sum(len(game.wrong) for game in self.games) / max(count, 1),
            "mean_guesses": sum(len(game.guesses) for game in self.games) / max(count, 1),
            "games_per_second": count / self.seconds if self.seconds else 0.0,
            "seen": None,
            "by_length": {
                str(length): win_rate(won[lengths == length].sum(), (lengths == length).sum())
                for length in np.unique(lengths).tolist()
            },
        }


async def play_on_server(
    agent: Agent,
    client: GameClient,
    games: int,
    recorded: bool,
    at_once: int,
    first: int = 0,
    progress: Callable[[int, int], None] = lambda games, won: None,
) -> RemoteGames:
    """Let an agent play games of a server.

    Half of the games that are going on are at one table, half at another: while the agent thinks
    about the games of one table, the server answers those of the other.

    Parameters
    ----------
    agent : Agent
        Fitted.
    client : GameClient
        Entered.
    games : int
        How many are played.
    recorded : bool
        Whether they count, or are practice.
    at_once : int
        Games that go on at the same time.
    first : int
        The index of the first game; games of one client have different ones.
    progress : callable
        Called whenever games end, with how many ended and how many of these were won.

    Raises
    ------
    InputError
        If the server refuses, does not answer, or does not play Hangman.
    """
    coming = iter(range(first, first + games))
    thinking = asyncio.Lock()

    async def act(playing: Sequence[RemoteGame]) -> npt.NDArray[np.int64]:
        keys = np.array([game.index for game in playing], dtype=np.uint64)
        async with thinking:
            return await asyncio.to_thread(lambda: agent.act(observe(playing), keys))

    async def begin(count: int) -> list[RemoteGame]:
        begun = itertools.islice(coming, count)
        return await _gather([client.new_game(index, recorded) for index in begun])

    start = time.perf_counter()
    tables = await _gather(
        [
            _play_table(client, seats, begin, act, progress)
            for seats in (at_once - at_once // 2, at_once // 2)
            if seats
        ]
    )
    played = sorted(itertools.chain(*tables), key=lambda game: game.index)
    return RemoteGames(tuple(played), time.perf_counter() - start)


async def _play_table(
    client: GameClient,
    seats: int,
    begin: Callable[[int], Awaitable[list[RemoteGame]]],
    act: Callable[[Sequence[RemoteGame]], Awaitable[npt.NDArray[np.int64]]],
    progress: Callable[[int, int], None],
) -> list[RemoteGame]:
    """Play games until none is left to begin; each that ends makes room for the next one.

    The agent sees the games of a table as one batch; their letters are sent together.
    """
    played: list[RemoteGame] = []
    playing: list[RemoteGame] = []
    while playing := playing + await begin(seats - len(playing)):
        guesses = zip(playing, await act(playing), strict=True)
        await _gather([client.guess(game, ALPHABET[letter]) for game, letter in guesses])
        ended = [game for game in playing if game.status != "ongoing"]
        playing = [game for game in playing if game.status == "ongoing"]
        played += ended
        if ended:
            progress(len(ended), sum(game.status == "success" for game in ended))
    return played


def observe(games: Sequence[RemoteGame]) -> Observation:
    """Return what agents see of games, as a batch.

    Raises
    ------
    InputError
        If a game cannot be one of Hangman.
    """
    single = [parse_observation(game.pattern, game.wrong, game.max_wrong) for game in games]
    for game, observation in zip(games, single, strict=True):
        if int(observation["lives"][0]) != game.tries:
            raise InputError(
                f"--server: after {game.guesses!r} in {game.pattern!r} it has {game.tries} tries "
                f"left of {game.max_wrong}; that is not Hangman"
            )
    width = max(observation["word"].shape[1] for observation in single)
    return Observation(
        word=np.concatenate([_pad(observation["word"], width) for observation in single]),
        guessed=np.concatenate([observation["guessed"] for observation in single]),
        lives=np.concatenate([observation["lives"] for observation in single]),
    )


def _pad(word: npt.NDArray[np.uint8], width: int) -> npt.NDArray[np.uint8]:
    return np.pad(word, ((0, 0), (0, width - word.shape[1])), constant_values=PADDING)


async def _gather(requests: Sequence[Any]) -> list[Any]:
    """Await requests together; when one fails, the others are cancelled."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(request) for request in requests]
    except* InputError as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
