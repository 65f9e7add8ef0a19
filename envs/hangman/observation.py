"""The observation of Hangman: encoding, and parsing from text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, cast

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hangman_lab.envs.encoding import (
    ALPHABET,
    BLANK,
    FIRST_LETTER,
    MAX_LENGTH,
    NUM_CODES,
    NUM_LETTERS,
    PADDING,
    letter_index,
    lower_case,
)
from hangman_lab.envs.errors import InputError, as_array, check_integer
from hangman_lab.envs.hangman.rules import Rules

BLANKS = "_.-?"
_DTYPES = {"word": np.uint8, "guessed": np.int8, "lives": np.int64}


class Observation(TypedDict):
    """The observation of one game."""

    word: npt.NDArray[np.int16]  # (width,): 0 after the end, 1 a blank, ``2 + k`` for letter ``k``
    guessed: npt.NDArray[np.int8]  # (26,): 1 for each letter that has been guessed
    lives: np.int64  # the wrong guesses left, 0 to ``max_wrong``


class Observations(TypedDict):
    """The observations of N games, as agents play them; environments have words of int16."""

    word: npt.NDArray[np.uint8]  # (N, width)
    guessed: npt.NDArray[np.int8]  # (N, 26)
    lives: npt.NDArray[np.int64]  # (N,)


def make_observation_space(width: int, rules: Rules) -> spaces.Dict:
    """Return the observation space of one game."""
    return spaces.Dict(
        {
            # In 8 bits, the sum of the sizes, which libraries compute, would overflow.
            "word": spaces.MultiDiscrete([NUM_CODES] * width, dtype=np.int16),
            "guessed": spaces.Box(0, 1, (NUM_LETTERS,), np.int8),
            "lives": spaces.Discrete(rules.max_wrong + 1),
        }
    )


def select(observations: Observations, games: npt.ArrayLike | slice) -> Observations:
    """Return the observations of a subset of a batch: index, slice or boolean mask."""
    arrays = cast(dict[str, Any], observations)
    return cast(Observations, {name: array[games] for name, array in arrays.items()})


def as_batch(observations: Any) -> tuple[Observations, bool]:
    """Return checked observations, and whether they were of one game; see check_observations."""
    is_mapping = isinstance(observations, Mapping)
    if not is_mapping or as_array("lives", observations.get("lives", [])).ndim:
        return check_observations(observations), False
    items = observations.items()
    arrays = {name: as_array(f"observations: {name!r}", array)[None] for name, array in items}
    return check_observations(arrays), True


def check_observations(observations: Any) -> Observations:
    """Return the observations of N games with the dtypes that agents play.

    Raises InputError if a key is missing, or an array has another shape, no integers or a value out
    of range, or the arrays contradict one another.
    """
    try:
        word, guessed, lives = (np.asarray(observations[name]) for name in _DTYPES)
    except (LookupError, TypeError, ValueError) as error:
        raise InputError(f"observations: arrays {', '.join(_DTYPES)} are expected") from error
    width = min(max(word.shape[-1] if word.ndim else 0, 1), MAX_LENGTH)
    check_array("lives", lives, (lives.size,), 0, NUM_LETTERS)
    check_array("guessed", guessed, (lives.size, NUM_LETTERS), 0, 1)
    check_array("word", word, (lives.size, width), 0, NUM_CODES - 1)
    is_letter = word != PADDING
    if not is_letter[:, 0].all() or (is_letter[:, 1:] > is_letter[:, :-1]).any():
        raise InputError("observations: 'word' is empty, or has code 0 before its end")
    # The columns before those of the letters are for padding and blanks.
    is_guessed = np.pad(guessed != 0, ((0, 0), (FIRST_LETTER, 0)), constant_values=True)
    if not np.take_along_axis(is_guessed, word.astype(np.intp), axis=1).all():
        raise InputError("observations: 'word' shows a letter that is not in 'guessed'")
    # Compiled code distinguishes layouts, and arrays that are read-only.
    pairs = zip((word, guessed, lives), _DTYPES.items(), strict=True)
    arrays = {name: np.require(array, dtype, ["C", "W"]) for array, (name, dtype) in pairs}
    return cast(Observations, arrays)


def check_array(
    name: str, array: npt.NDArray, shape: tuple[int, ...], least: int, most: int
) -> None:
    """Raise InputError unless an array of observations has this shape, and integers in range."""
    if array.shape != shape:
        raise InputError(f"observations: {name!r} has the shape {array.shape}, not {shape}")
    if array.dtype.kind not in "iub":
        raise InputError(f"observations: {name!r} has {array.dtype}, not integers")
    if array.size and not least <= int(array.min()) <= int(array.max()) <= most:
        raise InputError(f"observations: {name!r} has a value outside {least}..{most}")


def unique_observations(
    observations: Observations, *columns: npt.NDArray[np.integer]
) -> tuple[Observations, npt.NDArray[np.intp]]:
    """Return the distinct observations of a batch, and the index of each game among them.

    Words, guessed letters and ``columns``, shape (N,), are compared, lives are not. In the first
    turns, many games have the same observation.
    """
    rows = np.column_stack([observations["word"], observations["guessed"], *columns])
    keys = rows.view(f"V{rows.shape[1] * rows.itemsize}").ravel()
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    return select(observations, first), index


def parse_observation(
    pattern: str, wrong: str = "", max_wrong: int = Rules.max_wrong
) -> Observations:
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
    max_wrong = check_integer("max_wrong", max_wrong, 1, NUM_LETTERS)
    for name, text in ("pattern", pattern), ("wrong letters", wrong):
        if not isinstance(text, str):
            raise InputError(f"{name}: {text!r} is not a str")
    places = "".join(lower_case(pattern).split())
    codes = []
    for character in places:
        if character not in ALPHABET + BLANKS:
            raise InputError(
                f"pattern {pattern!r}: {character!r} is neither a letter a to z "
                "nor a blank (one of _ . - ?)"
            )
        codes.append(BLANK if character in BLANKS else FIRST_LETTER + letter_index(character))
    if not codes:
        raise InputError("pattern: it is empty; letters and blanks (_ . - ?) are expected")
    if len(codes) > MAX_LENGTH:
        raise InputError(f"pattern: it has {len(codes)} places; at most {MAX_LENGTH} are allowed")
    misses = {character for character in lower_case(wrong) if character not in " ,"}
    for character in sorted(misses):
        if character not in ALPHABET:
            raise InputError(f"wrong letters {wrong!r}: {character!r} is not a letter a to z")
        if character in places:
            raise InputError(f"wrong letters {wrong!r}: {character!r} is shown in the pattern")
    if len(misses) >= max_wrong:
        raise InputError(f"wrong letters {wrong!r}: the game is lost at {max_wrong} of them")
    guessed = [[letter in misses or letter in places for letter in ALPHABET]]
    return Observations(
        word=np.array([codes], dtype=np.uint8),
        guessed=np.array(guessed, dtype=np.int8),
        lives=np.array([max_wrong - len(misses)], dtype=np.int64),
    )
