"""A guesser by maximum-likelihood character n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Agent
from hangman_lab.agents.dictionary import DictionaryAgent
from hangman_lab.agents.sequences import encode_runs
from hangman_lab.envs.bits import word_length
from hangman_lab.envs.encoding import (
    BLANK,
    FIRST_LETTER,
    NUM_LETTERS,
    PADDING,
    as_words,
    encode_words,
)
from hangman_lab.envs.hangman.observation import Observations, select
from hangman_lab.envs.numba_cache import njit

# Constants of the source: the weights of orders 1 to 5, and the end of the frequency stage.
_WEIGHTS = (0.1, 0.2, 0.2, 0.25, 0.2)
_FREQUENCY_SHARE = 0.5
_FREQUENCY_LIVES = 3


class NgramAgent(Agent):
    """Guesses by frequency at first, then by weighted n-grams of order 1 to 5.

    While fewer than half of the places are shown and at least three lives are left, the letter is
    that of the benchmark (:class:`~agents.dictionary.DictionaryAgent`, ``literal``). Then the
    n-grams guess: for each order n, each unguessed letter fills every run of n places with exactly
    one blank, and gets the maximum-likelihood probability of the run's last letter given the
    n - 1 letters before it. The score of a letter is the mean over the runs, summed over the orders
    with the weights 0.1, 0.2, 0.2, 0.25 and 0.2. The probabilities are those of ``nltk.lm.MLE``
    fitted on the ``everygrams`` of each word: words are not padded, and unseen contexts give 0.

    Notes
    -----
    "The number of guessed letters is less than half the length of the word" in the source is read
    as the number of shown places.

    References
    ----------
    Harikesh Kushwaha, "Hangman Algorithm", 21 May 2023, sections 2.2.3 to 2.2.6: the
    weights, the mean (which it found better than maximum and sum), the half, and the three tries.
    """

    def fit(self, words: Sequence[str]) -> Self:
        """Count the n-grams of the words and index the words for the frequency stage."""
        words = as_words("words", words)
        encoded = encode_words(words)
        letters = encoded.codes.astype(np.int64) - FIRST_LETTER
        tables = []
        for order in range(1, len(_WEIGHTS) + 1):
            positions = encode_runs(letters, encoded.lengths, order, NUM_LETTERS)
            counts = np.bincount(positions, minlength=NUM_LETTERS**order)
            counts = counts.reshape(-1, NUM_LETTERS).astype(np.float64)
            tables.append((counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)).ravel())
        # Concatenated by order. An n-gram, read as a number in base 26, is the index of the
        # probability of its last letter given the letters before it.
        self.probabilities_ = np.concatenate(tables)
        self.benchmark_ = DictionaryAgent(literal=True).fit(words)
        return self

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return frequencies or weighted n-gram probabilities, shape (N, 26)."""
        lengths = (observations["word"] != PADDING).sum(axis=1)
        shown = (observations["word"] > BLANK).sum(axis=1)
        few_shown = shown < _FREQUENCY_SHARE * lengths
        by_frequency = few_shown & (observations["lives"] >= _FREQUENCY_LIVES)
        scores = _ngram_scores(observations["word"], self.probabilities_)
        part = select(observations, by_frequency)
        scores[by_frequency] = self.benchmark_.letter_scores(part)
        return scores


@njit
def _ngram_scores(word, probabilities):
    scores = np.zeros((len(word), NUM_LETTERS), dtype=np.float64)
    sums = np.empty(NUM_LETTERS, dtype=np.float64)
    for game in range(len(word)):
        length = word_length(word[game])
        # The offset and the size of the order's table.
        table, size = 0, 1
        for order in range(1, len(_WEIGHTS) + 1):
            size *= NUM_LETTERS
            sums[:] = 0.0
            num_runs = 0
            for start in range(length - order + 1):
                num_blanks, unit_of_blank = 0, 0
                position, unit = table, size
                for code in word[game, start : start + order]:
                    unit //= NUM_LETTERS
                    if code == BLANK:
                        num_blanks += 1
                        unit_of_blank = unit
                    else:
                        position += (code - FIRST_LETTER) * unit
                if num_blanks == 1:
                    num_runs += 1
                    for letter in range(NUM_LETTERS):
                        sums[letter] += probabilities[position + letter * unit_of_blank]
            table += size
            if num_runs:
                scores[game] += _WEIGHTS[order - 1] / num_runs * sums
    return scores
