"""Words as arrays: one code per letter position, the same in secrets and in observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
NUM_LETTERS = len(ALPHABET)
MAX_LENGTH = 32

PADDING = 0
BLANK = 1
FIRST_LETTER = 2
NUM_CODES = FIRST_LETTER + NUM_LETTERS
LETTER_CODES = np.arange(FIRST_LETTER, NUM_CODES, dtype=np.uint8)

_CODE_OF_BYTE = np.zeros(256, dtype=np.uint8)
_CODE_OF_BYTE[np.frombuffer(ALPHABET.encode(), dtype=np.uint8)] = LETTER_CODES
_TEXT_OF_CODE = np.array([" ", "_", *ALPHABET])


@dataclass(frozen=True)
class EncodedWords:
    """Words as arrays, a row per word."""

    codes: npt.NDArray[np.uint8]  # (words, width): PADDING after the end, FIRST_LETTER + letter
    lengths: npt.NDArray[np.int64]  # (words,)
    letter_counts: npt.NDArray[np.int8]  # (words, 26): occurrences of each letter in each word

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def width(self) -> int:
        """The number of letter positions per row."""
        return self.codes.shape[1]

    def __getitem__(self, index: npt.NDArray[np.integer] | slice) -> EncodedWords:
        return EncodedWords(self.codes[index], self.lengths[index], self.letter_counts[index])


def encode_words(words: Sequence[str], width: int | None = None) -> EncodedWords:
    """Encode words of 1 to ``width`` letters a to z; ``width`` defaults to the longest word.

    Raises ValueError if a word is empty, longer than ``width``, or has a character outside a to z.
    """
    lengths = np.fromiter((len(word) for word in words), dtype=np.int64, count=len(words))
    if width is None:
        width = int(lengths.max(initial=1))
    # Lists are long: all words are checked at once, and one by one only to name the invalid word.
    in_range = ((lengths >= 1) & (lengths <= width)).all()
    if len(words) and not (in_range and _are_letters("".join(words))):
        wrong = next(word for word in words if not (1 <= len(word) <= width and _are_letters(word)))
        raise ValueError(f"{wrong!r} is not a word of 1 to {width} letters a to z")
    fixed = np.array([word.encode() for word in words], dtype=f"S{width}")
    codes = _CODE_OF_BYTE[fixed.view(np.uint8).reshape(len(words), width)]
    letter_counts = np.empty((len(words), NUM_LETTERS), dtype=np.int8)
    for letter in range(NUM_LETTERS):
        letter_counts[:, letter] = (codes == FIRST_LETTER + letter).sum(axis=1)
    return EncodedWords(codes, lengths, letter_counts)


def _are_letters(text: str) -> bool:
    return text.isascii() and text.isalpha() and text.islower()


def decode(codes: npt.NDArray[np.uint8]) -> str:
    """Return one row of codes as text: letters, and ``_`` for a blank."""
    return "".join(_TEXT_OF_CODE[codes]).rstrip()


def letter_index(letter: str) -> int:
    """Return the action, 0 to 25, that guesses ``letter``."""
    return ALPHABET.index(letter)
