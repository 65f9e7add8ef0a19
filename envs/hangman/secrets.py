"""The secret words of an environment, and how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from envs.encoding import MAX_LENGTH, EncodedWords, encode_words
from envs.errors import check_choice
from envs.keyed_random import below, keyed_bits
from envs.words import default_word_list

SAMPLING_RULES = ("uniform", "by_length")


# Many environments over one list share its arrays, which nothing writes to.
@lru_cache(maxsize=8)
def _encode_by_length(words: tuple[str, ...], min_length: int, max_length: int) -> EncodedWords:
    """Encode the words of these lengths, each once, so that those of one length are a range."""
    chosen = sorted({word for word in words if min_length <= len(word) <= max_length})
    if not chosen:
        raise ValueError(f"words: none of {len(words)} has {min_length} to {max_length} letters")
    return encode_words(sorted(chosen, key=len))


class SecretWords:
    """Words to hide, drawn by keys: the same stream and episode draw the same word.

    Parameters
    ----------
    words : sequence of str, optional
        Lower-case words; the default list if not given. Their order has no effect.
    min_length, max_length : int
        Words outside these lengths are not used.
    sampling : {"uniform", "by_length"}
        Each word with the same probability; or each length with the same probability, and within
        a length each word.

    Raises
    ------
    ValueError
        If no word is left, a word cannot be encoded, or ``sampling`` is neither of the two.
    """

    def __init__(
        self,
        words: Sequence[str] | None = None,
        min_length: int = 1,
        max_length: int = MAX_LENGTH,
        sampling: str = "uniform",
    ) -> None:
        check_choice("sampling", sampling, SAMPLING_RULES)
        if words is None:
            words = default_word_list().words
        self.sampling = sampling
        self._words = _encode_by_length(tuple(words), min_length, max_length)
        _, self._first, self._count = np.unique(
            self._words.lengths, return_index=True, return_counts=True
        )

    @property
    def width(self) -> int:
        """The length of the longest word."""
        return self._words.width

    def draw(
        self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]
    ) -> EncodedWords:
        """Return a word for each pair of a stream and the number of an episode in it."""
        bits = keyed_bits(streams, episodes)
        if self.sampling == "uniform":
            return self._words[below(bits, len(self._words))]
        length = below(bits >> np.uint64(32), len(self._count))
        return self._words[self._first[length] + below(bits, self._count[length])]

    def encode(self, words: Sequence[str]) -> EncodedWords:
        """Encode words that the caller forces; they need not be in the list.

        Raises
        ------
        ValueError
            If a word has other characters than a to z, or is longer than the width.
        """
        return encode_words(words, self.width)
