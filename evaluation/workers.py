"""The games of an evaluation on Ray's workers: the batches of ``play``, each wherever a core is."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from envs.errors import InputError
from envs.hangman.rules import DEFAULT_MAX_WRONG
from evaluation.arena import (
    DEFAULT_BATCH_SIZE,
    Batch,
    PlayedGames,
    join_batches,
    list_games,
    play_batch,
)

# A batch that loses so many workers, of memory for example, loses all of them.
_MAX_LOSSES = 10
# Batches that wait at each core, so that none is idle.
_QUEUED = 2
# The agent of this worker, and the object that it came in.
_held: dict[str, Agent] = {}


class Workers:
    """Plays as :func:`evaluation.arena.play` does, to the bit.

    A batch is the unit that is handed out: what an agent computes may depend, in its last bits, on
    which games are computed at once. The batch of a worker that is lost is played again.

    Parameters
    ----------
    ray : module
        Of :func:`evaluation.ray_cluster.ray_cluster`.
    """

    def __init__(self, ray: ModuleType) -> None:
        self._ray = ray
        self._play = ray.remote(num_cpus=1, max_retries=_MAX_LOSSES)(_play_batch)
        self._agent: Agent | None = None
        self._shipped: Any = None

    def play(
        self,
        agent: Agent,
        words: Sequence[str],
        max_wrong: int = DEFAULT_MAX_WRONG,
        repeats: int = 1,
        batch_size: int = DEFAULT_BATCH_SIZE,
        progress: Callable[[int, int], None] | None = None,
    ) -> PlayedGames:
        """Let an agent play every word; see :func:`evaluation.arena.play`.

        Raises
        ------
        InputError
            If a batch loses one worker after the other.
        """
        self._ship(agent)
        word_index, keys = list_games(words, repeats)
        firsts = range(0, len(word_index), batch_size)
        batches: list[Batch | None] = [None] * len(firsts)
        start = time.perf_counter()
        playing: dict[Any, int] = {}
        coming = iter(range(len(firsts)))
        while True:
            room = _QUEUED * max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
            while len(playing) < room and (number := next(coming, None)) is not None:
                batch = slice(firsts[number], firsts[number] + batch_size)
                secrets = [words[index] for index in word_index[batch]]
                # In a list, so that a worker fetches the agent once, not once per batch.
                task = self._play.remote([self._shipped], secrets, keys[batch], max_wrong)
                playing[task] = number
            if not playing:
                break
            ended, _ = self._ray.wait(list(playing), num_returns=1)
            for task in ended:
                number = playing.pop(task)
                batches[number] = self._get(task)
                if progress is not None:
                    won = batches[number][0]
                    progress(len(won), int(won.sum()))
        seconds = time.perf_counter() - start
        return join_batches(words, word_index, batches, max_wrong, seconds)

    def _ship(self, agent: Agent) -> None:
        """Put the agent where each machine fetches it from once, whatever number of workers."""
        if agent is self._agent:
            return
        # As bytes: arrays that Ray shared between workers could not be written to, and compiled
        # code takes them for another type.
        self._shipped = self._ray.put(np.frombuffer(pickle.dumps(agent, protocol=5), np.uint8))
        self._agent = agent

    def _get(self, task: Any) -> Batch:
        try:
            return self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            raise error.as_instanceof_cause() from None
        except self._ray.exceptions.RayError as error:
            detail = str(error).splitlines()[0]
            raise InputError(
                f"--workers: games lost their worker again and again ({detail})"
            ) from error


def _play_batch(
    shipped: list[Any], words: list[str], keys: npt.NDArray[np.uint64], max_wrong: int
) -> Batch:
    import numba
    import ray
    import torch

    key = shipped[0].hex()
    if key not in _held:
        _held.clear()
        numba.set_num_threads(1)
        torch.set_num_threads(1)
        _held[key] = pickle.loads(ray.get(shipped[0]))
    return play_batch(_held[key], words, keys, max_wrong)
