"""Cats and Dogs and Guess the Word as Gymnasium vector environments."""

from __future__ import annotations

from envs.batch import BatchVectorEnv
from envs.word_guess.task import CatsAndDogsTask, GuessTheWordTask, WordGuessTask


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

    @property
    def allowed(self) -> tuple[str, ...]:
        """The words that may be guessed; an action is an index into them."""
        return self._task.words.allowed


class CatsAndDogsVectorEnv(WordGuessVectorEnv):
    """N games of :class:`envs.word_guess.env.CatsAndDogsEnv`, played as one batch."""

    task_type = CatsAndDogsTask


class GuessTheWordVectorEnv(WordGuessVectorEnv):
    """N games of :class:`envs.word_guess.env.GuessTheWordEnv`, played as one batch."""

    task_type = GuessTheWordTask
