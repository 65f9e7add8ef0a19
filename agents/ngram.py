"""Guessing by maximum-likelihood character n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.base import ScoringAgent
from agents.dictionary import DictionaryAgent
from agents.word_sets import number_runs, word_length
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, PADDING, encode_words, letter_index
from envs.errors import InputError
from envs.hangman.observation import Observation, select

COMBINATIONS = ("mean", "max", "sum")


class NgramModel:
    """Maximum-likelihood probabilities of a letter after up to ``order - 1`` letters.

    As ``nltk.lm.MLE`` fitted on the ``everygrams`` of each word: no padding marks the ends of a
    word, and a context that was not seen gives every letter probability 0.

    Parameters
    ----------
    words : sequence of str
    order : int, default 5
        1 to 5; the table of order n has 26**n entries.

    Attributes
    ----------
    probabilities : ndarray of float64, shape (26 + 26**2 + ... + 26**order,)
        The table of each order after the other. In each, the entry of an n-gram is the probability
        of its last letter after the others; its position is the n-gram read as a number in base 26.
    """

    def __init__(self, words: Sequence[str], order: int = 5) -> None:
        self.order = order
        encoded = encode_words(words)
        letters = encoded.codes.astype(np.int64) - FIRST_LETTER
        tables = []
        for length in range(1, order + 1):
            positions = number_runs(letters, encoded.lengths, length, NUM_LETTERS)
            counts = np.bincount(positions, minlength=NUM_LETTERS**length)
            counts = counts.reshape(-1, NUM_LETTERS).astype(np.float64)
            tables.append((counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)).ravel())
        self.probabilities = np.concatenate(tables)

    def probability(self, letter: str, context: str = "") -> float:
        """Return the probability of a letter after the context, which is below ``order`` long."""
        position = 0
        for character in context + letter:
            position = position * NUM_LETTERS + letter_index(character)
        first = sum(NUM_LETTERS**length for length in range(1, len(context) + 1))
        return float(self.probabilities[first + position])


class NgramAgent(ScoringAgent):
    """Guesses by frequency at first, then by weighted n-grams of order 1 to 5.

    As long as fewer than half of the word's places are shown and at least three wrong guesses are
    left, the letter is that of the benchmark (:class:`~agents.dictionary.DictionaryAgent` with
    both parameters False). Then the n-grams guess. For each order n, every run of n places with
    exactly one blank is filled with each letter that has not been guessed, and the filled run's
    last letter gets its maximum-likelihood probability after the n - 1 letters before it, whether
    the blank is that last letter or one before it. The score of a letter is the weighted sum over
    the orders of the mean over the runs; an order without such a run adds nothing.

    Parameters
    ----------
    weights : sequence of float, default (0.1, 0.2, 0.2, 0.25, 0.2)
        Of the orders 1, 2, ...; at most five, at least 0. They need not add up to 1.
    combination : {"mean", "max", "sum"}, default "mean"
        How the probabilities of one order's runs become one.
    frequency_share : float, default 0.5
        The frequency stage lasts while a smaller share of the places is shown.
    frequency_lives : int, default 3
        The frequency stage ends early when fewer wrong guesses are left.

    Raises
    ------
    InputError
        If a parameter is out of its range.

    Notes
    -----
    The source says that "the number of guessed letters is less than half the length of the word",
    read here as places that are shown. It also speaks of using the orders one after the other,
    five-grams first, before it settles on the weights; the weights are what is built.

    References
    ----------
    Harikesh Kushwaha, "Hangman Algorithm", 21 May 2023, sections 2.2.3 to 2.2.6: the
    weights, the mean (which it found better than maximum and sum), the half, and the three tries.
    """

    def __init__(
        self,
        weights: Sequence[float] = (0.1, 0.2, 0.2, 0.25, 0.2),
        combination: str = "mean",
        frequency_share: float = 0.5,
        frequency_lives: int = 3,
    ) -> None:
        super().__init__(greedy=True)
        if not 1 <= len(weights) <= 5 or min(weights) < 0:
            raise InputError(f"weights: {list(weights)} is not one to five numbers of at least 0")
        if combination not in COMBINATIONS:
            raise InputError(
                f"combination: {combination!r} is not one of {', '.join(COMBINATIONS)}"
            )
        if not 0 <= frequency_share <= 1:
            raise InputError(f"frequency_share: {frequency_share} is not in 0..1")
        self.weights = tuple(weights)
        self.combination = combination
        self.frequency_share = frequency_share
        self.frequency_lives = frequency_lives

    def fit(self, words: Sequence[str]) -> Self:
        """Count the n-grams of the words and index the words for the frequency stage."""
        self.model_ = NgramModel(words, len(self.weights))
        self.benchmark_ = DictionaryAgent(exclude_guessed=False, once_a_word=False).fit(words)
        return self

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return frequencies or weighted n-gram probabilities, shape (N, 26).

        A letter that has not been guessed never scores less than one that has been.
        """
        lengths = (observations["word"] != PADDING).sum(axis=1)
        shown = (observations["word"] > BLANK).sum(axis=1)
        by_frequency = (observations["lives"] >= self.frequency_lives) & (
            shown < self.frequency_share * lengths
        )
        scores = np.empty((len(lengths), NUM_LETTERS))
        if by_frequency.any():
            scores[by_frequency] = self.benchmark_.letter_scores(select(observations, by_frequency))
        if not by_frequency.all():
            scores[~by_frequency] = self.ngram_scores(select(observations, ~by_frequency))
        return scores

    def ngram_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the weighted n-gram probabilities alone, shape (N, 26)."""
        return _ngram_scores(
            observations["word"],
            observations["guessed"],
            self.model_.probabilities,
            np.array(self.weights, dtype=np.float64),
            COMBINATIONS.index(self.combination),
        )


@njit(cache=True)
def _ngram_scores(word, guessed, probabilities, weights, combination):
    num_games = len(word)
    scores = np.zeros((num_games, NUM_LETTERS), dtype=np.float64)
    combined = np.empty(NUM_LETTERS, dtype=np.float64)
    for game in range(num_games):
        length = word_length(word[game])
        first = 0
        size = 1
        for order in range(1, len(weights) + 1):
            size *= NUM_LETTERS
            combined[:] = 0.0
            num_runs = 0
            for start in range(length - order + 1):
                blanks = 0
                position = first
                step = 0
                factor = size
                for place in range(start, start + order):
                    factor //= NUM_LETTERS
                    if word[game, place] == BLANK:
                        blanks += 1
                        step = factor
                    else:
                        position += (word[game, place] - FIRST_LETTER) * factor
                if blanks != 1:
                    continue
                num_runs += 1
                for letter in range(NUM_LETTERS):
                    probability = probabilities[position + letter * step]
                    if combination == 1:
                        combined[letter] = max(combined[letter], probability)
                    else:
                        combined[letter] += probability
            first += size
            if num_runs == 0:
                continue
            weight = weights[order - 1] / (num_runs if combination == 0 else 1)
            for letter in range(NUM_LETTERS):
                if not guessed[game, letter]:
                    scores[game, letter] += weight * combined[letter]
    return scores
