"""A guesser by simple rules about each answer, words without vowels first."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.word_guess.base import WordGuessAgent
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.keyed_random import keyed_bits
from hangman_lab.envs.word_guess.words import WordGame

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

    def fit(self, game: WordGame) -> Self:
        """Compute the rules and draw the order of the words; InputError for Guess the Word."""
        if not game.variant.has_cats:
            raise InputError("agent 'filter' plays Cats and Dogs alone: its rules need both counts")
        super().fit(game)
        common, dogs = game.answers.sum(axis=1), game.answers[:, 1]
        self.keep_ = np.where(dogs[:, None] >= 1, dogs >= dogs[:, None], common >= 1)
        extreme = (common == 0) | (common == game.word_length)
        self.keep_ = np.where(extreme[:, None], common == common[:, None], self.keep_)
        # The guess itself remains only after the answer that ends the game.
        self.keep_[:, game.solved] = self.keep_[game.solved] = False
        self.keep_[game.solved, game.solved] = True
        words = (game.allowed[secret] for secret in game.secrets)
        has_vowel = np.array([not _VOWELS.isdisjoint(word) for word in words])
        draws = keyed_bits(self.seed, np.arange(len(has_vowel)))
        self.rank_ = np.argsort(np.lexsort((draws, has_vowel)))
        return self

    def choose(self, candidates: npt.NDArray[np.int64], bits: npt.NDArray[np.uint64]) -> np.int64:
        """Return the first candidate in the order."""
        return self.game_.secrets[candidates[self.rank_[candidates].argmin()]]
