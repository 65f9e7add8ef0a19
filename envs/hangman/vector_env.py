"""Hangman as a Gymnasium vector environment: N games in one batch of arrays."""

from __future__ import annotations

from typing import Unpack

from gymnasium.vector import AutoresetMode

from envs.batch import BatchVectorEnv
from envs.hangman.task import HangmanOptions, HangmanTask


class HangmanVectorEnv(BatchVectorEnv):
    """N games of :class:`envs.hangman.env.HangmanEnv`, played as one batch.

    Game ``i`` of a batch that was seeded with ``s`` is the game of a ``HangmanEnv`` that was
    seeded with ``s + i``: the same words, observations, rewards and ends.

    Parameters
    ----------
    num_envs : int
    max_episode_steps, autoreset_mode, render_mode
        As for :class:`envs.batch.BatchVectorEnv`.
    **options
        As for :class:`envs.hangman.env.HangmanEnv`.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Unpack[HangmanOptions],
    ) -> None:
        task = HangmanTask(num_envs, **options)
        super().__init__(task, max_episode_steps, autoreset_mode, render_mode)
