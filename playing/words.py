"""Words for a person to guess: the most common first, and by difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import NUM_LETTERS, encode_words
from hangman_lab.envs.errors import InputError, check_choice
from hangman_lab.envs.words import NUM_COMMON, import_wordfreq

DIFFICULTIES = ("easy", "medium", "hard")


def rank_words(
    words: Iterable[str], highest: int = 20
) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """Return the words, most frequent in English first, and a weight for each.

    Common words have the weight ``highest``, rarer words less in proportion to their frequency, but
    at least 1. Raises InputError if wordfreq is not installed.
    """
    frequencies = import_wordfreq().get_frequency_dict("en")
    least_common = frequencies[import_wordfreq().top_n_list("en", NUM_COMMON)[-1]]
    ranked = tuple(sorted(words, key=lambda word: -frequencies.get(word, 0.0)))
    shares = np.array([frequencies.get(word, 0.0) for word in ranked]) / least_common
    return ranked, np.clip(np.rint(highest * shares), 1, highest).astype(np.int64)


def select_difficulty(words: Sequence[str], difficulty: str) -> tuple[str, ...]:
    """Return the third of the words with the given difficulty, one of ``DIFFICULTIES``.

    Words are sorted by the number of wrong guesses, without a limit, of a player who guesses the
    letters that occur in most words first, ties alphabetically. Ties between words go to longer
    words, then to alphabetical order. Raises InputError if there are fewer than three words.
    """
    check_choice("difficulty", difficulty, DIFFICULTIES)
    if len(words) < len(DIFFICULTIES):
        raise InputError(
            f"--difficulty: {len(words)} words cannot be divided into {', '.join(DIFFICULTIES)}"
        )
    has_letter = encode_words(words).letter_counts > 0
    turn = np.empty(NUM_LETTERS, dtype=np.int64)
    turn[np.argsort(-has_letter.sum(axis=0), kind="stable")] = np.arange(1, NUM_LETTERS + 1)
    wrong = np.where(has_letter, turn, 0).max(axis=1) - has_letter.sum(axis=1)
    order = np.lexsort((np.array(words), np.array([-len(word) for word in words]), wrong))
    part = np.array_split(order, len(DIFFICULTIES))[DIFFICULTIES.index(difficulty)]
    return tuple(words[int(index)] for index in np.sort(part))
