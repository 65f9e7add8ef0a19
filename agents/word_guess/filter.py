"""A guesser by simple rules about each answer, words without vowels first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.word_guess.base import CandidateSets, Positions, WordGuessAgent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.keyed_random import keyed_bits
from hangman_lab.envs.word_guess.answers import AnswerRule

_VOWELS = frozenset("aeiou")


class FilterAgent(WordGuessAgent):
    """Eliminates words by each answer of Cats and Dogs, and guesses a remaining word.

    Words without a vowel are guessed first. Within each kind the order is random and is drawn by
    ``fit``. After a guess with C cats and D dogs, the guess is eliminated, and these words remain:

    - for 0 cats and 0 dogs: words without any letter of the guess;
    - if C + D is the word length: permutations of the guess;
    - for any other answer with dogs: words with at least D letters in the places of the guess;
    - for any other answer without dogs: words with at least one letter of the guess.

    The rules keep words that an answer excludes, above all after cats alone, and do not combine
    answers.

    Parameters
    ----------
    seed : int, default 0
        The seed of the order.

    Notes
    -----
    The rules follow the text of the source, with two exceptions. For 0 cats and 0 dogs the text
    eliminates all words; this agent follows the pseudo-code. For every other answer but all
    letters, the pseudo-code uses the last rule, which takes far more guesses than it reports. The
    source is for four letters, and does not order the words.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(
        self, words: Sequence[str], rule: AnswerRule, allowed: Sequence[str] | None = None
    ) -> Self:
        """Compute the answers and the order of the words."""
        super().fit(words, rule, allowed)
        has_vowel = np.array([not _VOWELS.isdisjoint(word) for word in words])
        draws = keyed_bits(self.seed, np.arange(len(words)))
        self.sequence_ = np.lexsort((draws, has_vowel))
        self.rank_ = np.argsort(self.sequence_)
        return self

    def answers_kept(self, rule: AnswerRule) -> npt.NDArray[np.bool_]:
        """Return which words remain after an answer, shape (codes, codes)."""
        if not rule.count_misplaced:
            raise InputError("agent 'filter' plays Cats and Dogs alone: its rules need both counts")
        dogs = rule.answers_by_code[:, 1].astype(np.int64)
        common = rule.answers_by_code.sum(axis=1, dtype=np.int64)
        kept = np.where(dogs[:, None] >= 1, dogs >= dogs[:, None], common >= 1)
        extreme = (common == 0) | (common == rule.word_length)
        kept = np.where(extreme[:, None], common == common[:, None], kept)
        # The guess itself remains only after the answer that ends the game.
        kept[:, rule.solved] = kept[rule.solved] = False
        kept[rule.solved, rule.solved] = True
        return kept

    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Return the first remaining word of each game."""
        filled = np.flatnonzero(sets.sizes)
        first = np.zeros(len(sets.sizes), dtype=np.int64)
        first[filled] = np.minimum.reduceat(self.rank_[sets.members], sets.offsets[filled])
        return self.secrets_[self.sequence_[first[positions.set_of_game]]]
