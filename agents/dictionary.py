"""A guesser by the listed words that match the masked word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import PosteriorAgent
from hangman_lab.agents.word_arrays import WordArrays
from hangman_lab.envs.compiled import lowest_bit, njit, word_length
from hangman_lab.envs.encoding import FIRST_LETTER, NUM_CODES, NUM_LETTERS
from hangman_lab.envs.hangman.observation import Observations, select
from hangman_lab.envs.word_sets import fitting_words, search_buffers, word_sets


class CandidateIndex:
    """An index of words by length, place and letter.

    The candidates of a game are the listed words that match the shown places; duplicates count
    repeatedly.

    Attributes
    ----------
    letter_counts, word_counts : ndarray of int64, shape (26,)
        Occurrences of each letter in the list, and the number of words that contain it.
    words : WordSets
    codes : ndarray of uint8, shape (words, 32)
        The letters of the words, in the same order.
    """

    def __init__(self, words: Sequence[str]) -> None:
        arrays = WordArrays.of(words)
        arrays = arrays.take(np.argsort(arrays.lengths, kind="stable"))
        self.codes, self.words = arrays.codes, word_sets(*arrays)
        self.letter_counts = np.bincount(arrays.codes.ravel(), minlength=NUM_CODES)[FIRST_LETTER:]
        self.word_counts = (self.words.letters[:, None] >> np.arange(NUM_LETTERS) & 1).sum(axis=0)

    def count_words(
        self, observations: Observations, exclude_wrong: bool = True, exclude_shown: bool = True
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Count the candidates with each letter, shape (N, 26), and all candidates, shape (N,).

        ``exclude_wrong`` and ``exclude_shown`` exclude words that contain a wrong letter, and words
        with a shown letter behind a blank.
        """
        word, guessed = observations["word"], observations["guessed"]
        return _count_words(word, guessed, self.words, exclude_wrong, exclude_shown)

    def count_places(
        self, observations: Observations, exclude_wrong: bool = True
    ) -> npt.NDArray[np.int32]:
        """Count the letters of each game's candidates by place, shape (N, width, 26).

        Candidates may have a shown letter behind a blank.
        """
        word, guessed = observations["word"], observations["guessed"]
        return _count_places(word, guessed, self.words, self.codes, exclude_wrong)


class DictionaryAgent(PosteriorAgent):
    """Guesses the letter that most matching words of the list contain.

    A word matches if it agrees with the shown places, has no wrong letter and has no shown letter
    behind a blank. If no matching word has an unguessed letter, shown letters behind blanks are
    allowed; then the letter frequencies of the whole list decide.

    Parameters
    ----------
    literal : bool, default False
        Play the benchmark of the public challenge's problem statement: wrong guesses are ignored,
        and every occurrence of a letter counts.

    Notes
    -----
    If the secret is drawn from the list, ``letter_probabilities`` is exact unless ``literal``.
    """

    uses_lives = False

    def __init__(self, literal: bool = False) -> None:
        self.literal = literal

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words."""
        self.index_ = CandidateIndex(words)
        return self

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the letter frequencies among the matching words, shape (N, 26)."""
        index = self.index_
        if self.literal:
            counts = index.count_places(observations, exclude_wrong=False).sum(axis=1)
            return back_off(observations, counts, index.letter_counts)
        scores = back_off(observations, index.count_words(observations)[0])
        undecided = ~scores.any(axis=1)
        states = select(observations, undecided)
        counts, _ = index.count_words(states, exclude_shown=False)
        scores[undecided] = back_off(states, counts, index.word_counts)
        return scores

    def _letter_probabilities(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the share of the matching words that contain each letter, shape (N, 26)."""
        exclude = not self.literal
        counts, num_candidates = self.index_.count_words(observations, exclude, exclude)
        shares = np.where(
            num_candidates[:, None] > 0,
            counts / np.maximum(num_candidates, 1)[:, None],
            self.index_.word_counts / max(len(self.index_.words.letters), 1),
        )
        return np.where(observations["guessed"] != 0, 0.0, shares)


def back_off(observations: Observations, *counts: npt.NDArray) -> npt.NDArray[np.float64]:
    """Return each game's first letter counts with an unguessed letter, shape (N, 26)."""
    new = observations["guessed"] == 0
    scores = np.zeros(new.shape)
    for part in counts:
        scores = np.where(scores.any(axis=1, keepdims=True), scores, np.where(new, part, 0.0))
    return scores


@njit(cache=True)
def count_letters(codes, numbers, places, counts):
    """Add the letters of words at some places to ``counts``, shape (26,)."""
    for number in numbers:
        for place in places:
            counts[codes[number, place] - FIRST_LETTER] += 1


@njit(cache=True)
def _count_words(word, guessed, words, exclude_wrong, exclude_shown):
    counts = np.zeros((len(word), NUM_LETTERS), dtype=np.int64)
    num_candidates = np.zeros(len(word), dtype=np.int64)
    buffers = search_buffers(words)
    for game in range(len(word)):
        masked = word[game, : word_length(word[game])]
        numbers = fitting_words(masked, guessed[game], words, exclude_wrong, exclude_shown, buffers)
        num_candidates[game] = len(numbers)
        for number in numbers:
            letters = np.uint64(words.letters[number])
            while letters:
                counts[game, lowest_bit(letters)] += 1
                letters &= letters - np.uint64(1)
    return counts, num_candidates


@njit(cache=True)
def _count_places(word, guessed, words, codes, exclude_wrong):
    counts = np.zeros((*word.shape, NUM_LETTERS), dtype=np.int32)
    buffers = search_buffers(words)
    for game in range(len(word)):
        masked = word[game, : word_length(word[game])]
        numbers = fitting_words(masked, guessed[game], words, exclude_wrong, False, buffers)
        for place in range(len(masked)):
            for number in numbers:
                counts[game, place, codes[number, place] - FIRST_LETTER] += 1
    return counts
