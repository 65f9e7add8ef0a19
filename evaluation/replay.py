"""Going through games that were played once more, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from envs.encoding import encode_words
from envs.hangman.observation import Observation
from envs.hangman.rules import HangmanGames
from evaluation.arena import DEFAULT_BATCH_SIZE, PlayedGames


class Turn(NamedTuple):
    """One guess in each of M games that had not ended.

    Attributes
    ----------
    number : int
        0 for the first guess of a game.
    games : ndarray of int64, shape (M,)
        Which of the games that were played.
    letters : ndarray of int64, shape (M,)
        The guesses, 0 to 25.
    before, after : Observation
        What the player saw before and after the guess.
    hidden : ndarray of bool, shape (M, 26)
        Which letters stood behind a blank before the guess.
    """

    number: int
    games: npt.NDArray[np.int64]
    letters: npt.NDArray[np.int64]
    before: Observation
    after: Observation
    hidden: npt.NDArray[np.bool_]


def replay(played: PlayedGames, batch_size: int = DEFAULT_BATCH_SIZE) -> Iterator[Turn]:
    """Yield the turns of all games, a batch of games at a time."""
    if not len(played):
        return
    secrets = encode_words(played.words)
    for first in range(0, len(played), batch_size):
        words = played.word_index[first : first + batch_size]
        letters = played.letters[first : first + batch_size].astype(np.int64)
        in_word = secrets.letter_counts[words] > 0
        games = HangmanGames(len(words), secrets.width, played.max_wrong)
        games.start(slice(None), secrets[words])
        for number in range(letters.shape[1]):
            playing = np.flatnonzero(letters[:, number] >= 0)
            if not len(playing):
                break
            before = games.observe(playing)
            games.guess(np.maximum(letters[:, number], 0))
            yield Turn(
                number=number,
                games=first + playing,
                letters=letters[playing, number],
                before=before,
                after=games.observe(playing),
                hidden=in_word[playing] & (before["guessed"] == 0),
            )
