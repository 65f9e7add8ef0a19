"""The observation of Hangman: encoding, and parsing from text."""

from __future__ import annotations

from typing import Any, TypedDict, cast

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import ALPHABET, BLANK, FIRST_LETTER, MAX_LENGTH, letter_index
from hangman_lab.envs.errors import InputError

DEFAULT_MAX_WRONG = 6
_BLANKS = "_.-?"


class Observation(TypedDict):
    """The observation of one game, or of N games along the first axis."""

    word: npt.NDArray[np.uint8]  # (width,): 0 after the end, 1 a blank, ``2 + k`` for letter ``k``
    guessed: npt.NDArray[np.int8]  # (26,): 1 for each letter that has been guessed
    lives: npt.NDArray[np.int64]  # (): the wrong guesses left, 0 to ``max_wrong``


def select(observations: Observation, games: npt.ArrayLike | slice) -> Observation:
    """Return the observations of a subset of a batch: index, slice or boolean mask."""
    arrays = cast(dict[str, Any], observations)
    return cast(Observation, {name: array[games] for name, array in arrays.items()})


def as_batch(observation: Observation) -> Observation:
    """Return the observation of one game as a batch of one game."""
    arrays = {name: np.asarray(array)[None] for name, array in observation.items()}
    return cast(Observation, arrays)


def distinct(
    observations: Observation, *columns: npt.NDArray[np.integer]
) -> tuple[Observation, npt.NDArray[np.intp]]:
    """Return the distinct observations of a batch, and the index of each game among them.

    Lives are not compared, ``columns``, shape (N,), are. In the first turns, many games have the
    same observation.
    """
    looks = np.column_stack([observations["word"], observations["guessed"], *columns])
    keys = looks.view(f"V{looks.shape[1] * looks.itemsize}").ravel()
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return select(observations, first), number


def parse_observation(
    pattern: str, wrong: str = "", max_wrong: int = DEFAULT_MAX_WRONG
) -> Observation:
    """Parse a game written as text; return a batch of one observation.

    Parameters
    ----------
    pattern : str
        The masked word: letters, and ``_``, ``.``, ``-`` or ``?`` for a blank. Spaces are ignored.
    wrong : str
        The guessed letters that are not in the word; spaces and commas are ignored.
    max_wrong : int
        The number of wrong guesses that loses the game.

    Raises
    ------
    InputError
        If the pattern or the letters are not those of a possible game.
    """
    places = "".join(pattern.lower().split())
    codes = []
    for character in places:
        if character not in ALPHABET + _BLANKS:
            raise InputError(
                f"pattern {pattern!r}: {character!r} is neither a letter a to z "
                "nor a blank (one of _ . - ?)"
            )
        codes.append(BLANK if character in _BLANKS else FIRST_LETTER + letter_index(character))
    if not codes:
        raise InputError("pattern: it is empty; letters and blanks (_ . - ?) are expected")
    if len(codes) > MAX_LENGTH:
        raise InputError(f"pattern: it has {len(codes)} places; at most {MAX_LENGTH} are allowed")
    misses = {character for character in wrong.lower() if character not in " ,"}
    for character in sorted(misses):
        if character not in ALPHABET:
            raise InputError(f"wrong letters {wrong!r}: {character!r} is not a letter a to z")
        if character in places:
            raise InputError(f"wrong letters {wrong!r}: {character!r} is shown in the pattern")
    if len(misses) >= max_wrong:
        raise InputError(f"wrong letters {wrong!r}: the game is lost at {max_wrong} of them")
    guessed = [[letter in misses or letter in places for letter in ALPHABET]]
    return Observation(
        word=np.array([codes], dtype=np.uint8),
        guessed=np.array(guessed, dtype=np.int8),
        lives=np.array([max_wrong - len(misses)], dtype=np.int64),
    )
