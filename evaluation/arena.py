"""The arena: agents play secret words in batches; the result is a table with a row per game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agents.base import Agent
from envs.encoding import ALPHABET, FIRST_LETTER, encode_words
from envs.hangman.rules import DEFAULT_MAX_WRONG, HangmanGames
from envs.keyed_random import keyed_bits
from envs.words import hash_words

DEFAULT_BATCH_SIZE = 4096
# Called with the number of games that have just ended.
Advance = Callable[[int], object]


def play(
    agent: Agent,
    words: Sequence[str],
    max_wrong: int = DEFAULT_MAX_WRONG,
    batch_size: int = DEFAULT_BATCH_SIZE,
    advance: Advance | None = None,
) -> pd.DataFrame:
    """Let an agent play every word.

    Random draws are keyed by the word, so that its game is the same in any list, order or batch.

    Parameters
    ----------
    agent : Agent
        Fitted; it sees observations alone.
    words : sequence of str
        The secret words.
    max_wrong : int
        The number of wrong guesses that loses, 1 to 26.
    batch_size : int
        Games that are played at once.
    advance : callable, optional
        Called with the number of games that ended, whenever some have.

    Returns
    -------
    DataFrame
        A row per game, in the order of ``words``: ``word`` (str), ``length`` (int64), ``won``
        (bool), ``wrong_guesses`` (int64), ``guesses`` (int64, their number) and ``letters`` (str,
        the guesses in order).
    """
    return pd.concat(
        [
            play_batch(agent, words[batch], max_wrong, advance)
            for batch in batches(len(words), batch_size)
        ],
        ignore_index=True,
    )


def batches(number: int, batch_size: int) -> list[slice]:
    """Return the slices of a number of games, at least one."""
    return [slice(first, first + batch_size) for first in range(0, max(number, 1), batch_size)]


def play_batch(
    agent: Agent, words: Sequence[str], max_wrong: int, advance: Advance | None = None
) -> pd.DataFrame:
    """Play games at once; the parameters and the result are those of :func:`play`."""
    secrets = encode_words(words)
    games = HangmanGames(len(secrets), secrets.width, max_wrong)
    games.start(slice(None), secrets)
    letters = play_games(agent, games, game_keys(words), advance)
    wrong_guesses = max_wrong - games.observe()["lives"]
    return games_table(words, games.won, wrong_guesses, letters, ALPHABET)


def games_table(
    words: Sequence[str],
    won: npt.NDArray[np.bool_],
    wrong_guesses: npt.NDArray[np.int64],
    guesses: npt.NDArray[np.int64],
    names: Sequence[str],
) -> pd.DataFrame:
    """Return the table of N games that :func:`play` describes.

    ``guesses`` are those of :func:`play_games`; ``names`` are what they mean, all of the same
    length, of a to z and spaces.
    """
    secrets = np.array(words, dtype=np.str_)
    return pd.DataFrame(
        {
            "word": secrets,
            "length": np.strings.str_len(secrets),
            "won": won,
            "wrong_guesses": wrong_guesses,
            "guesses": (guesses >= 0).sum(axis=1),
            "letters": _join(guesses, names),
        }
    )


def game_keys(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return what the random draws of each word's game are keyed by, shape (N,)."""
    return keyed_bits(hash_words(words), 0)


def play_games(
    agent: Any, games: Any, keys: npt.NDArray[np.uint64], advance: Advance | None = None
) -> npt.NDArray[np.int64]:
    """Play N games that have begun to their end, HangmanGames or WordGuessGames.

    ``keys`` are those of :func:`game_keys`. Returns the guesses of each game in order, then -1, as
    int64 of shape (N, turns).
    """
    turns = []
    playing = np.arange(len(keys))
    while len(playing):
        guesses = np.zeros(len(keys), dtype=np.int64)
        guesses[playing] = agent.act(games.observe(playing), keys[playing])
        games.guess(guesses)
        turn = np.full(len(keys), -1, dtype=np.int64)
        turn[playing] = guesses[playing]
        turns.append(turn)
        has_ended = games.over[playing]
        if advance is not None and has_ended.any():
            advance(int(has_ended.sum()))
        playing = playing[~has_ended]
    return np.stack(turns, axis=1) if turns else np.zeros((0, 0), dtype=np.int64)


def _join(guesses: npt.NDArray[np.int64], names: Sequence[str]) -> npt.NDArray[np.str_]:
    """Return the names of the guesses of each game, in order, as one text per game."""
    # The index -1 is the empty name at the end; as bytes, it leaves nothing behind in a text.
    texts = np.array([*names, ""], dtype=np.bytes_)[guesses]
    if not texts.size:
        return np.zeros(len(guesses), dtype=np.str_)
    joined = texts.view(f"S{texts.itemsize * texts.shape[1]}").ravel()
    return np.strings.rstrip(joined.astype(np.str_))


def split_letters(letters: pd.Series) -> npt.NDArray[np.int64]:
    """Return the letters of N games as int64, shape (N, turns); below 0 after a game ended."""
    return encode_words(letters.tolist()).codes.astype(np.int64) - FIRST_LETTER
