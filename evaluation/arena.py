"""The arena: agents play every secret word of a list, in batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from envs.encoding import encode_words
from envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames
from envs.keyed_random import keyed_bits
from envs.words import hash_words

DEFAULT_BATCH_SIZE = 4096
# Of one batch: games won, wrong guesses, letters.
Batch = tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64], npt.NDArray[np.int8]]


@dataclass(frozen=True)
class PlayedGames:
    """Games that were played to their end; arrays have a first axis of games.

    Attributes
    ----------
    words : tuple of str
        The secret words that were played, each once.
    word_index : ndarray of int64, shape (N,)
        The secret of each game, as an index into ``words``.
    won : ndarray of bool, shape (N,)
    wrong_guesses : ndarray of int64, shape (N,)
    letters : ndarray of int8, shape (N, turns)
        The guesses in order, 0 to 25; -1 after the end of a game.
    max_wrong : int
    seconds : float
        Time that the agent and the rules took together.
    """

    words: tuple[str, ...]
    word_index: npt.NDArray[np.int64]
    won: npt.NDArray[np.bool_]
    wrong_guesses: npt.NDArray[np.int64]
    letters: npt.NDArray[np.int8]
    max_wrong: int
    seconds: float

    def __len__(self) -> int:
        return len(self.won)

    @property
    def num_guesses(self) -> npt.NDArray[np.int64]:
        """The number of guesses of each game, shape (N,)."""
        return (self.letters >= 0).sum(axis=1)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The length of each game's secret word, shape (N,)."""
        lengths = np.fromiter((len(word) for word in self.words), dtype=np.int64)
        return lengths[self.word_index]


def play(
    agent: Agent,
    words: Sequence[str],
    max_wrong: int = DEFAULT_MAX_WRONG,
    repeats: int = 1,
    batch_size: int = DEFAULT_BATCH_SIZE,
    progress: Callable[[int, int], None] | None = None,
) -> PlayedGames:
    """Let an agent play every word.

    Random draws are keyed by the word and the repeat, so that a word's games are the same in any
    list, order or batch.

    Parameters
    ----------
    agent : Agent
        Fitted; it sees observations alone.
    words : sequence of str
        The secret words.
    max_wrong : int
        The number of wrong guesses that loses, 1 to 26.
    repeats : int
        Games per word.
    batch_size : int
        Games that are played at once.
    progress : callable, optional
        Called whenever games end, with how many ended and how many of these were won.
    """
    word_index, keys = list_games(words, repeats)
    batches = []
    start = time.perf_counter()
    for first in range(0, len(word_index), batch_size):
        batch = slice(first, first + batch_size)
        secrets = [words[index] for index in word_index[batch]]
        batches.append(play_batch(agent, secrets, keys[batch], max_wrong, progress))
    seconds = time.perf_counter() - start
    return join_batches(words, word_index, batches, max_wrong, seconds)


def list_games(
    words: Sequence[str], repeats: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """Return the word of each game, as an index, and what the game's random draws are keyed by."""
    word_index = np.repeat(np.arange(len(words)), repeats)
    keys = keyed_bits(hash_words(words)[word_index], np.tile(np.arange(repeats), len(words)))
    return word_index, keys


def join_batches(
    words: Sequence[str],
    word_index: npt.NDArray[np.int64],
    batches: Sequence[Batch],
    max_wrong: int,
    seconds: float,
) -> PlayedGames:
    """Return the games of batches, in their order, as one."""
    turns = max((letters.shape[1] for _, _, letters in batches), default=0)
    return PlayedGames(
        words=tuple(words),
        word_index=word_index,
        won=_concatenate([won for won, _, _ in batches], np.bool_),
        wrong_guesses=_concatenate([wrong for _, wrong, _ in batches], np.int64),
        letters=np.concatenate(
            [
                np.pad(letters, ((0, 0), (0, turns - letters.shape[1])), constant_values=-1)
                for _, _, letters in batches
            ]
            or [np.zeros((0, 0), dtype=np.int8)]
        ),
        max_wrong=max_wrong,
        seconds=seconds,
    )


def play_batch(
    agent: Agent,
    words: Sequence[str],
    keys: npt.NDArray[np.uint64],
    max_wrong: int,
    progress: Callable[[int, int], None] | None = None,
) -> Batch:
    """Play games at once.

    Parameters
    ----------
    agent : Agent
    words : sequence of str
        The secret of each game.
    keys : ndarray of uint64, shape (N,)
        Of :func:`list_games`.
    max_wrong : int
    progress : callable, optional
        As for :func:`play`.

    Returns
    -------
    won : ndarray of bool, shape (N,)
    wrong_guesses : ndarray of int64, shape (N,)
    letters : ndarray of int8, shape (N, turns)
    """
    secrets = encode_words(words)
    games = HangmanGames(len(secrets), secrets.width, max_wrong)
    games.start(slice(None), secrets)
    wrong_guesses = np.zeros(len(secrets), dtype=np.int64)
    turns = []
    playing = np.arange(len(secrets))
    while len(playing):
        guesses = np.zeros(len(secrets), dtype=np.int64)
        guesses[playing] = agent.act(games.observe(playing), keys[playing])
        wrong_guesses += games.guess(guesses).lost_life
        turn = np.full(len(secrets), -1, dtype=np.int8)
        turn[playing] = guesses[playing]
        turns.append(turn)
        ended = playing[games.over[playing]]
        if progress is not None and len(ended):
            progress(len(ended), int(games.won[ended].sum()))
        playing = np.flatnonzero(~games.over)
    return games.won, wrong_guesses, np.stack(turns, axis=1)


def _concatenate(arrays: list[npt.NDArray], dtype: type) -> npt.NDArray:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=dtype)
