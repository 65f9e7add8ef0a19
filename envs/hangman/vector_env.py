"""Hangman as a Gymnasium vector environment: N games in one batch of arrays."""

from __future__ import annotations

from envs.batch import BatchVectorEnv
from envs.hangman.task import HangmanTask


class HangmanVectorEnv(BatchVectorEnv):
    """N games of :class:`envs.hangman.env.HangmanEnv`, with its options, played as one batch."""

    task_type = HangmanTask
