"""Cats and Dogs and Guess the Word as Gymnasium vector environments."""

from __future__ import annotations

from envs.batch import BatchVectorEnv
from envs.word_guess.task import CatsAndDogsTask, GuessTheWordTask, WordGuessTask


class WordGuessVectorEnv(BatchVectorEnv):
    """What the two games share; use :class:`CatsAndDogsVectorEnv` or its sibling."""

    _task: WordGuessTask

    @property
    def allowed(self) -> tuple[str, ...]:
        """The words that may be guessed; an action is an index into them."""
        return self._task.words.allowed


class CatsAndDogsVectorEnv(WordGuessVectorEnv):
    """N games of :class:`envs.word_guess.env.CatsAndDogsEnv`, with its options, as one batch."""

    task_type = CatsAndDogsTask


class GuessTheWordVectorEnv(WordGuessVectorEnv):
    """N games of :class:`envs.word_guess.env.GuessTheWordEnv`, with its options, as one batch."""

    task_type = GuessTheWordTask
