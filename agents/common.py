"""The words that people choose: a distribution by frequency."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from english_words import get_english_words_set

from hangman_lab.envs.words import DEFAULT_SOURCE, common_words, frequent_words

_NUM_WORDS = 50_000
# The mixture and the exponent with the highest likelihood of three lists of words that people chose
# for games and for other people, as measured by ``benchmarks.common``.
EQUAL_SHARE = 0.7
EXPONENT = 0.5


@lru_cache(maxsize=1)
def people_words() -> dict[str, float]:
    """Return the words that people choose, about 44,000, with their probabilities, which sum to 1.

    They are the words of :func:`envs.words.frequent_words` among the 50,000 most frequent ones.
    Raises InputError if wordfreq is not installed.
    """
    words = frequent_words(_NUM_WORDS)
    probabilities = mixture(words, EQUAL_SHARE, EXPONENT)
    return dict(zip(words, probabilities.tolist(), strict=True))


def mixture(words: list[str], equal_share: float, exponent: float) -> npt.NDArray[np.float64]:
    """Return a mixture of two distributions over ``words``, shape (words,).

    With probability ``equal_share`` the word is a common word of the default list, uniformly;
    otherwise its probability is proportional to its frequency to the power ``exponent``.
    """
    import wordfreq

    frequencies = wordfreq.get_frequency_dict("en")
    common = set(common_words(get_english_words_set([DEFAULT_SOURCE], lower=True)))
    by_frequency = np.array([frequencies[word] for word in words]) ** exponent
    is_common = np.array([word in common for word in words])
    equal = is_common / is_common.sum()
    return equal_share * equal + (1 - equal_share) * by_frequency / by_frequency.sum()
