"""The arena of whole words: agents play every secret word, in batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.word_guess import WordGuessAgent
from envs.word_guess.answers import AnswerRule
from envs.word_guess.rules import WordGuessGames
from envs.word_guess.words import GuessWords
from evaluation.arena import list_games

DEFAULT_BATCH_SIZE = 8192


@dataclass(frozen=True)
class PlayedGames:
    """Games that were played to their end; arrays have a first axis of games.

    Attributes
    ----------
    words : tuple of str
        The secret word of each game.
    cluster : ndarray of int64, shape (N,)
        Games with the same number are not independent: those of one word, or of one list.
    num_guesses : ndarray of int64, shape (N,)
        The last guess included.
    solved : ndarray of bool, shape (N,)
        Whether the secret was found in ``max_guesses`` guesses.
    max_guesses : int
    seconds : float
        Time that the agent and the rules took together.
    """

    words: tuple[str, ...]
    cluster: npt.NDArray[np.int64]
    num_guesses: npt.NDArray[np.int64]
    solved: npt.NDArray[np.bool_]
    max_guesses: int
    seconds: float

    def __len__(self) -> int:
        return len(self.words)


def play(
    agent: WordGuessAgent,
    rule: AnswerRule,
    words: GuessWords,
    secrets: Sequence[str],
    max_guesses: int,
    repeats: int = 1,
    batch_size: int = DEFAULT_BATCH_SIZE,
    progress: Callable[[int, int], None] | None = None,
) -> PlayedGames:
    """Let an agent play every secret.

    Random draws are keyed by the word and the repeat, so that a word's games are the same in any
    order or batch.

    Parameters
    ----------
    agent : WordGuessAgent
        Fitted to the words and the rule; it sees observations alone.
    rule : AnswerRule
    words : GuessWords
    secrets : sequence of str
        The words that are played, each once, all among the secrets of ``words``.
    max_guesses : int
    repeats : int
        Games per word.
    batch_size : int
        Games that are played at once.
    progress : callable, optional
        Called after each batch with the number of games played and solved since the last call.
    """
    word_index, keys = list_games(secrets, repeats)
    index = words.encode(secrets)
    num_guesses = np.zeros(len(word_index), dtype=np.int64)
    solved = np.zeros(len(word_index), dtype=np.bool_)
    start = time.perf_counter()
    for first in range(0, len(word_index), batch_size):
        batch = slice(first, first + batch_size)
        games = WordGuessGames(len(word_index[batch]), rule, words, max_guesses)
        games.start(slice(None), index[word_index[batch]])
        playing = np.arange(len(games))
        while len(playing):
            guesses = np.zeros(len(games), dtype=np.int64)
            guesses[playing] = agent.act(games.observe(playing), keys[batch][playing])
            games.guess(guesses)
            playing = np.flatnonzero(~games.over)
        num_guesses[batch] = games.observe()["num_guesses"]
        solved[batch] = games.won
        if progress is not None:
            progress(len(games), int(games.won.sum()))
    return PlayedGames(
        words=tuple(secrets[index] for index in word_index),
        cluster=word_index,
        num_guesses=num_guesses,
        solved=solved,
        max_guesses=max_guesses,
        seconds=time.perf_counter() - start,
    )
