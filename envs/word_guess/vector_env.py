"""Cats and Dogs and Guess the Word as Gymnasium vector environments."""

from __future__ import annotations

from typing import Unpack

from gymnasium.vector import AutoresetMode

from envs.batch import BatchVectorEnv
from envs.word_guess.task import (
    CatsAndDogsTask,
    GuessTheWordTask,
    WordGuessOptions,
    WordGuessTask,
)


class WordGuessVectorEnv(BatchVectorEnv):
    """What the two games share; use :class:`CatsAndDogsVectorEnv` or its sibling.

    Game ``i`` of a batch that was seeded with ``s`` is the game of a single environment that was
    seeded with ``s + i``: the same words, observations, rewards and ends.

    Parameters
    ----------
    num_envs : int
    max_episode_steps, autoreset_mode, render_mode
        As for :class:`envs.batch.BatchVectorEnv`.
    **options
        As for :class:`envs.word_guess.env.CatsAndDogsEnv`.

    Raises
    ------
    ValueError
        If a parameter is out of its range.
    """

    _task: WordGuessTask
    _task_type: type[WordGuessTask]

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Unpack[WordGuessOptions],
    ) -> None:
        task = self._task_type(num_envs, **options)
        super().__init__(task, max_episode_steps, autoreset_mode, render_mode)

    @property
    def allowed(self) -> tuple[str, ...]:
        """The words that may be guessed; an action is an index into them."""
        return self._task.words.allowed


class CatsAndDogsVectorEnv(WordGuessVectorEnv):
    """N games of :class:`envs.word_guess.env.CatsAndDogsEnv`, played as one batch."""

    _task_type = CatsAndDogsTask


class GuessTheWordVectorEnv(WordGuessVectorEnv):
    """N games of :class:`envs.word_guess.env.GuessTheWordEnv`, played as one batch."""

    _task_type = GuessTheWordTask
