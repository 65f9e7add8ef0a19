"""Hangman as a Gymnasium vector environment: N games in one batch of arrays."""

from __future__ import annotations

from envs.batch import BatchVectorEnv
from envs.hangman.task import HangmanTask


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

    task_type = HangmanTask
