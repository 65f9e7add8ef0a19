"""The secret words of an environment, and how they are drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.counter_rng import add_key, below
from hangman_lab.envs.encoding import (
    MAX_LENGTH,
    NUM_LETTERS,
    EncodedWords,
    as_words,
    check_words,
    encode_words,
)
from hangman_lab.envs.errors import InputError, check_choice, check_integer, check_number
from hangman_lab.envs.words import PARTS, Split, WordsLike, default_word_list, list_words

Part = Literal["train", "valid", "test"]

# A row of the table of words is a cache line: codes, letter counts and, in the last byte, length.
_ROW_BYTES = 64
_HIGH_BITS = np.uint64(32)
_COUNTS = slice(MAX_LENGTH, MAX_LENGTH + NUM_LETTERS)


# Environments with the same list share its arrays, which are never written to.
@lru_cache(maxsize=8)
def _sort_by_length(
    words: tuple[str, ...] | None, split: Part | None, min_length: int, max_length: int
) -> tuple[tuple[str, ...], EncodedWords, npt.NDArray[np.uint8]]:
    """Return the distinct words of these lengths and this part, shorter words first.

    They are returned as text, as arrays, and as a table with a row of 64 bytes per word: a draw
    from a long list then waits for memory only once.
    """
    words = default_word_list().words if words is None else words
    chosen = sorted({word for word in words if min_length <= len(word) <= max_length})
    if not chosen:
        raise InputError(f"words: none of {len(words)} has {min_length} to {max_length} letters")
    chosen.sort(key=len)
    # Parts of a list have the same width, so that a policy plays all of them.
    width = len(chosen[-1])
    if split is not None:
        part = Split().part
        chosen = [word for word in chosen if part(word) == split]
    if not chosen:
        raise InputError(f"words: none of {len(words)} is in the part {split!r} of the split")
    check_words(chosen)
    encoded = encode_words(chosen, width)
    table = np.zeros((len(chosen), _ROW_BYTES), dtype=np.uint8)
    table[:, : encoded.width] = encoded.codes
    table[:, _COUNTS] = encoded.letter_counts
    table[:, -1] = encoded.lengths
    return tuple(chosen), encoded, table


class SecretWords:
    """Secret words, drawn uniformly; None is the default list.

    Words shorter than ``min_length`` or longer than ``max_length``, at most 32, are not used, nor
    are words outside the part ``split`` of the project's split, None for all. The order of
    ``words`` has no effect. InputError if no word is left, a word cannot be encoded, or an argument
    is invalid. The caller can set a word if ``settable``.

    Attributes
    ----------
    words : tuple of str
        The distinct words by length, then in alphabetical order.
    encoded : EncodedWords
        The same words as arrays.
    """

    def __init__(
        self,
        words: WordsLike | None = None,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        settable: bool = True,
        split: Part | None = None,
    ) -> None:
        if split is not None:
            check_choice("split", split, PARTS)
        words = None if words is None else list_words(words)
        shortest = check_integer("min_length", min_length, 1, MAX_LENGTH)
        longest = check_integer("max_length", max_length, shortest, MAX_LENGTH)
        self._arguments = words, shortest, longest, settable, split
        self.words, self.encoded, self._table = _sort_by_length(words, split, shortest, longest)
        self._settable = settable
        self._preferred: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self._share = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the arrays, which are made again, or found in the cache.
        drawn = {"_preferred": self._preferred, "_share": self._share}
        return SecretWords, self._arguments, drawn

    @property
    def width(self) -> int:
        """The length of the longest word, that of the list with ``split``."""
        return self.encoded.width

    def draw_rows(
        self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the row of a word for each pair of a stream and an episode number."""
        bits = add_key(streams, episodes)
        rows = below(bits, len(self.words))
        if self._share:
            preferred = self._preferred.take(below(bits, len(self._preferred)))
            # Other bits than those of the rows.
            is_preferred = (bits >> _HIGH_BITS) < self._share * 2.0**32
            rows = np.where(is_preferred, preferred, rows)
        return rows

    def prefer(self, words: Collection[str], share: float = 1.0) -> None:
        """See :meth:`envs.hangman.vector.HangmanVectorEnv.prefer`."""
        check_number("share", share, 0, 1)
        chosen = set(words)
        self._preferred = np.flatnonzero([word in chosen for word in self.words])
        self._share = share if len(self._preferred) else 0.0

    def draw(
        self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]
    ) -> EncodedWords:
        """Return a word for each pair of a stream and an episode number."""
        drawn = self._table.take(self.draw_rows(streams, episodes), axis=0)
        words = EncodedWords(drawn[:, : self.width], drawn[:, -1].astype(np.int64))
        words.letter_counts = drawn[:, _COUNTS].view(np.int8)
        return words

    def encode(self, words: Sequence[str]) -> EncodedWords:
        """Encode words of the caller; InputError unless these can be set."""
        if len(words) and not self._settable:
            raise InputError("options: the word is the host's choice, so that none can be set")
        check_words(as_words("options", words), self.width, "options")
        return encode_words(words, self.width)
