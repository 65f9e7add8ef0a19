"""The words that people choose, for games and for other people, by frequency."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from english_words import get_english_words_set

from hangman_lab.envs.words import (
    DEFAULT_SOURCE,
    common_words,
    frequent_words,
    names_and_vulgar_words,
)

_NUM_WORDS = 50_000
# The weights with the highest likelihood of lists of words that people chose; see
# ``benchmarks.common``.
_EQUAL_SHARE = 0.5
_EXPONENT = 0.5


def people_words() -> list[str]:
    """Return the words that are known words in games of people, about 44,000.

    They are those of :func:`envs.words.frequent_words` among the 50,000 most frequent ones. Raises
    InputError if wordfreq is not installed.
    """
    return frequent_words(_NUM_WORDS)


def people_probabilities(
    words: Sequence[str], equal_share: float = _EQUAL_SHARE, exponent: float = _EXPONENT
) -> npt.NDArray[np.float64]:
    """Return the probability that people choose each of ``words``, shape (words,), in total 1.

    With probability ``equal_share`` the word is a common word of the default list, uniformly;
    otherwise its probability is proportional to its frequency to the power ``exponent``, and 0 for
    names and vulgar words. If neither kind is among ``words``, all are equally likely.
    """
    import wordfreq

    frequencies = wordfreq.get_frequency_dict("en")
    common = set(common_words(get_english_words_set([DEFAULT_SOURCE], lower=True)))
    excluded = names_and_vulgar_words()
    counts = [0.0 if word in excluded else frequencies.get(word, 0.0) for word in words]
    by_frequency = np.array(counts) ** exponent
    equal = np.array([word in common for word in words], dtype=np.float64)
    parts = [(equal_share, equal), (1 - equal_share, by_frequency)]
    total = sum(weight * part / max(part.sum(), 1e-300) for weight, part in parts)
    return total / total.sum() if total.any() else np.full(len(words), 1 / max(len(words), 1))
