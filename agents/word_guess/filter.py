"""Guessing by rules of thumb about the last answer: words without vowels first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from agents.word_guess.base import CandidateSets, Positions, WordGuessAgent
from envs.errors import InputError
from envs.keyed_random import keyed_bits
from envs.word_guess.answers import AnswerRule

_VOWELS = frozenset("aeiou")


class FilterAgent(WordGuessAgent):
    """Strikes words out by each answer to Cats and Dogs, and guesses one of those that are left.

    Words without a vowel come first, as long as there are any: they tell about consonants. Within
    each kind the order is drawn once, when the agent is fitted. A guess is struck out itself. An
    answer of C cats and D dogs then leaves

    - for 0 cats and 0 dogs: the words that have no letter of the guess;
    - for as many cats and dogs as letters: the permutations of the guess;
    - for any other answer with dogs: the words with at least D letters at the guess's places;
    - for any other answer without dogs: the words that have at least one letter of the guess.

    Its weaknesses are its method's: each rule leaves words that the answer excludes, above all
    after cats alone, and no rule combines the answers.

    Parameters
    ----------
    seed : int, default 0
        Of the order.

    Notes
    -----
    The rules are those of the source's text; its pseudo-code has the last rule for every answer
    with a letter in common but not all of them, which takes far more guesses than it reports. For
    0 cats and 0 dogs the text strikes out all words, which would leave nothing to guess; the
    pseudo-code strikes out the words that have a letter of the guess, and so does this agent. The
    source states its rules for four letters, and no order of the words.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(
        self, words: Sequence[str], rule: AnswerRule, allowed: Sequence[str] | None = None
    ) -> Self:
        """Compute the answers, and the order of the words: those without a vowel first."""
        super().fit(words, rule, allowed)
        has_vowel = [not _VOWELS.isdisjoint(word) for word in words]
        draws = keyed_bits(self.seed, np.arange(len(words)))
        self.sequence_ = np.lexsort((draws, has_vowel))
        self.rank_ = np.argsort(self.sequence_)
        return self

    def answers_kept(self, rule: AnswerRule) -> npt.NDArray[np.bool_]:
        """Return which answers of words to the guess each answer leaves, shape (codes, codes)."""
        if not rule.count_misplaced:
            raise InputError("agent 'filter' plays Cats and Dogs alone: its rules need both counts")
        dogs = rule.answers_by_code[:, 1].astype(np.int64)
        common = rule.answers_by_code.sum(axis=1, dtype=np.int64)
        some_in_common = np.tile(common >= 1, (rule.num_codes, 1))
        kept = np.where(dogs[:, None] >= 1, dogs[None, :] >= dogs[:, None], some_in_common)
        extreme = (common == 0) | (common == rule.word_length)
        kept = np.where(extreme[:, None], common[None, :] == common[:, None], kept)
        # The guess itself is left by the last answer alone, which ends the game.
        kept[:, rule.solved] = kept[rule.solved] = False
        kept[rule.solved, rule.solved] = True
        return kept

    def choose(self, sets: CandidateSets, positions: Positions) -> npt.NDArray[np.int64]:
        """Return the word that comes first among those left in each game."""
        filled = np.flatnonzero(sets.sizes)
        first = np.zeros(len(sets.sizes), dtype=np.int64)
        first[filled] = np.minimum.reduceat(self.rank_[sets.members], sets.offsets[filled])
        return self.secrets_[self.sequence_[first[positions.set_of_game]]]
