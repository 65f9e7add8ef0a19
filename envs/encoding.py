"""Words as arrays: one code per letter position, the same in secrets and in observations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.errors import InputError, check_choice, check_integer

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
NUM_LETTERS = len(ALPHABET)
MAX_LENGTH = 32

PADDING = 0
BLANK = 1
FIRST_LETTER = 2
NUM_CODES = FIRST_LETTER + NUM_LETTERS
LETTER_CODES = np.arange(FIRST_LETTER, NUM_CODES, dtype=np.uint8)

_CODE_OF_BYTE = np.zeros(256, dtype=np.uint8)
_CODE_OF_BYTE[np.frombuffer(f"_{ALPHABET}".encode(), dtype=np.uint8)] = [BLANK, *LETTER_CODES]
_LOWER_CASE = str.maketrans(ALPHABET.upper(), ALPHABET)
_TEXT_OF_CODE = np.array([" ", "_", *ALPHABET])


@dataclass(eq=False)
class EncodedWords:
    """Words as arrays, a row per word."""

    codes: npt.NDArray[np.uint8]  # (words, width): FIRST_LETTER + letter, PADDING after the end
    lengths: npt.NDArray[np.int64]  # (words,)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: npt.NDArray | slice) -> EncodedWords:
        return EncodedWords(self.codes[index], self.lengths[index])

    @property
    def width(self) -> int:
        """The number of letter positions per row."""
        return self.codes.shape[1]

    @cached_property
    def letter_counts(self) -> npt.NDArray[np.int8]:
        """Occurrences of each letter in each word, shape (words, 26)."""
        counts = [(self.codes == code).sum(axis=1, dtype=np.int8) for code in LETTER_CODES]
        return np.stack(counts, axis=1)

    def argsort(self) -> npt.NDArray[np.intp]:
        """Return the indices that sort the words by length, then alphabetically."""
        text = np.ascontiguousarray(self.codes).view(f"S{self.width}").ravel()
        return np.lexsort((text, self.lengths))


def encode_words(words: Sequence[str], width: int | None = None) -> EncodedWords:
    """Encode words of 1 to ``width`` letters a to z; ``width`` defaults to the longest word.

    Raises InputError if a word is empty, longer than ``width`` or 32 letters, or has a character
    outside a to z, or ``words`` is a string.
    """
    words = as_words("words", words)
    limit = MAX_LENGTH if width is None else check_integer("width", width, 1, MAX_LENGTH)
    check_words(words, limit)
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    if width is None:
        width = int(lengths.max(initial=1))
    fixed = np.array([word.encode() for word in words], dtype=f"S{width}")
    return EncodedWords(_CODE_OF_BYTE[fixed.view(np.uint8).reshape(len(words), width)], lengths)


def as_words(name: str, words: Any) -> tuple[str, ...]:
    """Return the argument ``name`` as a tuple; InputError unless it is a collection of strings."""
    is_sequence = isinstance(words, Iterable) and getattr(words, "ndim", 1) == 1
    if isinstance(words, str | bytes | Path) or not is_sequence:
        raise InputError(
            f"{name}: {str(words)!r} is not a sequence of words; "
            "envs.words.read_word_list(path).words reads a file"
        )
    words = tuple(words)
    # Lists are long: their types first.
    kinds = set(map(type, words))
    if not all(issubclass(kind, str) for kind in kinds):
        wrong = next(word for word in words if not isinstance(word, str))
        raise InputError(f"{name}: {wrong!r} is not a word")
    # Strings of NumPy are those of Python, only slower.
    return words if kinds <= {str} else tuple(map(str, words))


def check_words(words: Sequence[str], width: int = MAX_LENGTH, name: str = "words") -> None:
    """Raise InputError unless all words have 1 to ``width`` letters a to z."""
    # Lists are long: all words are checked at once, and one by one only to name the invalid word.
    lengths = set(map(len, words))
    in_range = not words or 1 <= min(lengths) <= max(lengths) <= width
    if words and not (in_range and _are_letters("".join(words))):
        for word in words:
            if not (1 <= len(word) <= width and _are_letters(word)):
                raise InputError(f"{name}: {word!r} is not a word of 1 to {width} letters a to z")


def _are_letters(text: str) -> bool:
    return text.isascii() and text.isalpha() and text.islower()


def encode(masked: str) -> npt.NDArray[np.uint8]:
    """Return the codes of one masked word: letters a to z, and ``_`` for a blank."""
    return _CODE_OF_BYTE.take(np.frombuffer(masked.encode(), dtype=np.uint8))


def decode(codes: npt.NDArray[np.integer]) -> str:
    """Return one row of codes as text: letters, and ``_`` for a blank."""
    return "".join(_TEXT_OF_CODE[codes]).rstrip()


def decode_words(words: EncodedWords) -> tuple[str, ...]:
    """Return the words."""
    texts = _TEXT_OF_CODE.view(np.uint32)[words.codes].view(f"U{words.width}")
    return tuple(text.rstrip() for text in texts.ravel().tolist())


def lower_case(text: str) -> str:
    """Return ``text`` with A to Z in lower case; ``str.lower`` turns the Kelvin sign into a k."""
    return text.translate(_LOWER_CASE)


def letter_index(letter: str) -> int:
    """Return the action, 0 to 25, that guesses ``letter``; InputError if it is not one a to z."""
    check_choice("letter", letter, tuple(ALPHABET))
    return ALPHABET.index(letter)
