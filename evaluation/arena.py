"""The arena, in which agents play secret words in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from hangman_lab.agents.base import Agent
from hangman_lab.envs.counter_rng import keyed_bits
from hangman_lab.envs.encoding import (
    ALPHABET,
    FIRST_LETTER,
    PADDING,
    EncodedWords,
    as_words,
    encode,
    encode_words,
)
from hangman_lab.envs.errors import check_integer, check_numbers
from hangman_lab.envs.hangman.games import HangmanGames
from hangman_lab.envs.hangman.hosts import make_games
from hangman_lab.envs.hangman.observation import Observations
from hangman_lab.envs.hangman.rules import Rules
from hangman_lab.envs.secret_words import SecretWords
from hangman_lab.envs.words import hash_words

DEFAULT_BATCH_SIZE = 4096
# Called with the number of games that have ended since the last call.
Advance = Callable[[int], object]


def play(
    agent: Agent,
    words: Sequence[str],
    rules: Rules = Rules(),  # noqa: B008 - it is immutable
    batch_size: int = DEFAULT_BATCH_SIZE,
    advance: Advance | None = None,
    host_words: Sequence[str] | None = None,
    repetition: int = 0,
) -> pd.DataFrame:
    """Play every word with a fitted agent, which gets observations only.

    Random draws are keyed by the word and the number of the ``repetition``: a game does not depend
    on list, order or batch. ``host_words``, by default ``words``, are those of an evil host
    (:class:`envs.hangman.evil.EvilHangmanGames`), for which ``words`` are drawn: only their
    lengths matter. Returns a row per game, in the order of ``words``: ``word`` (str, at the end of
    the game), ``length`` (int64), ``won`` (bool), ``wrong_guesses`` (int64), ``guesses`` (int64,
    their number) and ``letters`` (str, the guesses in order).
    """
    words = as_words("words", words)
    host_words = words if host_words is None else host_words
    if len(words) > check_integer("batch_size", batch_size, 1):
        options = rules, batch_size, advance, host_words, repetition
        firsts = range(0, len(words), batch_size)
        tables = [play(agent, words[first : first + batch_size], *options) for first in firsts]
        return pd.concat(tables, ignore_index=True)
    if rules.host == "random":
        secrets = listed = encode_words(words)
    else:
        listed = SecretWords(host_words).encoded
        secrets = encode_words(words, listed.width)
    games = make_games(rules, listed, len(secrets))
    games.start(slice(None), secrets)
    keys = keyed_bits(hash_words(words), repetition)
    guesses = _play_games(agent, games, keys, advance)
    # The word of an evil host is known at the end.
    words = words if rules.host == "random" else list(map(games.secret, range(len(games))))
    secrets_text = np.array(words, dtype=np.str_)
    return pd.DataFrame(
        {
            "word": secrets_text,
            "length": np.strings.str_len(secrets_text),
            "won": games.won,
            "wrong_guesses": games.lost_lives,
            "guesses": (guesses >= 0).sum(axis=1),
            "letters": _join(guesses),
        }
    )


def _play_games(
    agent: Agent, games: HangmanGames, keys: npt.NDArray[np.uint64], advance: Advance | None
) -> npt.NDArray[np.int64]:
    """Play N started games to the end, with keys of random draws.

    Returns the letters of each game in order, int64 of shape (N, turns), padded with -1.
    """
    turns, playing = [], np.arange(len(keys))
    while len(playing):
        letters = np.zeros(len(keys), dtype=np.int64)
        chosen = agent.act_batch(games.observe(playing), keys[playing])
        letters[playing] = check_numbers("act_batch", chosen, playing.shape)
        games.guess(letters)
        turn = np.full(len(keys), -1, dtype=np.int64)
        turn[playing] = letters[playing]
        turns.append(turn)
        has_ended = games.over[playing]
        if advance is not None and has_ended.any():
            advance(int(has_ended.sum()))
        playing = playing[~has_ended]
    return np.stack(turns, axis=1) if turns else np.zeros((0, 0), dtype=np.int64)


def _join(letters: npt.NDArray[np.int64]) -> npt.NDArray[np.str_]:
    """Return the letters of each game as text."""
    # The index -1 is the empty text at the end, which adds only null bytes.
    texts = np.array([*ALPHABET, ""], dtype=np.bytes_)[letters]
    if not texts.size:
        return np.zeros(len(letters), dtype=np.str_)
    return texts.view(f"S{texts.shape[1]}").ravel().astype(np.str_)


def replay(
    words: Sequence[str], letters: Sequence[str], rules: Rules
) -> Iterator[tuple[npt.NDArray[np.intp], Observations, npt.NDArray[np.int64]]]:
    """Replay N games; yield for each turn the games with a guess, and their states and guesses.

    ``words`` are the secrets, or masked words with ``_`` for each letter that is hidden at the end.
    ``letters`` are the guesses of each game in order. A state is the observation before the guess.
    """
    secrets = EncodedWords(codes := _encode(words), (codes != PADDING).sum(axis=1))
    games = HangmanGames(len(secrets), secrets.width, rules)
    games.start(slice(None), secrets)
    # The letters of each turn, negative after the end.
    for guesses in _encode(letters).T.astype(np.int64) - FIRST_LETTER:
        playing = np.flatnonzero(guesses >= 0)
        yield playing, games.observe(playing), guesses[playing]
        games.guess(np.maximum(guesses, 0))


def _encode(texts: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Return the codes of masked words or of guesses, shape (N, width), padded."""
    width = max(map(len, texts))
    return encode("".join(text.ljust(width) for text in texts)).reshape(len(texts), width)
