"""Cats and Dogs and Guess the Word: their words and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.counter_rng import add_key, below
from hangman_lab.envs.encoding import ALPHABET, NUM_LETTERS, encode_words
from hangman_lab.envs.errors import InputError, check_choice, check_integer
from hangman_lab.envs.words import WordsLike, default_word_list, list_words

# Answer codes have 8 bits; words of 21 letters have 253 pairs of cats and dogs.
MAX_WORD_LENGTH = 21
# All guesses of a game are in the observation.
MAX_GUESSES = 10_000
# The largest table of answers, in bytes.
_MAX_TABLE = 2**32


# The names of the numbers of an answer, and the default word length and number of guesses.
VARIANTS = {
    "cats_and_dogs": (("cats", "dogs"), 4, 128),
    "guess_the_word": (("matches",), 6, 10),
}
# By id in Gymnasium's registry.
VARIANT_OF_ID = {"CatsAndDogs-v0": "cats_and_dogs", "GuessTheWord-v0": "guess_the_word"}


def random_words(
    count: int = 100, word_length: int = 6, seed: int | Sequence[int] = 0
) -> tuple[str, ...]:
    """Return distinct words of random letters, as the problem "Guess the Word" is tested with.

    InputError if there are fewer than ``count`` words of ``word_length`` letters, 1 to 21.
    """
    check_integer("word_length", word_length, 1, MAX_WORD_LENGTH)
    check_integer("count", count, 1, NUM_LETTERS**word_length)
    random = np.random.default_rng(seed)
    words: dict[str, None] = {}
    while len(words) < count:
        letters = random.integers(NUM_LETTERS, size=word_length)
        words["".join(ALPHABET[letter] for letter in letters)] = None
    return tuple(words)


class WordGame:
    """The public part of a game: the allowed guesses, the secrets among them, and the answers.

    The arguments are those of :class:`envs.word_guess.env.WordGuessEnv`. Words are indices into
    ``allowed``. An answer has a code from 0 to ``solved``, which is that of the secret itself.

    Attributes
    ----------
    allowed : tuple of str
        The allowed guesses in their order, without duplicates.
    secrets : ndarray of int64, shape (secrets,)
    answers : ndarray of int8, shape (codes, numbers of an answer)
        The answer of each code.

    Raises
    ------
    InputError
        If an argument is out of range, no word is left, a word cannot be encoded, or a secret is
        not allowed.
    """

    def __init__(
        self,
        words: WordsLike | None = None,
        variant: str = "cats_and_dogs",
        allowed: WordsLike | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
    ) -> None:
        check_choice("variant", variant, VARIANTS)
        self.answer_names, length, limit = VARIANTS[variant]
        self.has_cats = "cats" in self.answer_names
        length = length if word_length is None else word_length
        limit = limit if max_guesses is None else max_guesses
        self.word_length = check_integer("word_length", length, 1, MAX_WORD_LENGTH)
        self.max_guesses = check_integer("max_guesses", limit, 1, MAX_GUESSES)
        if words is None and self.has_cats:
            words = default_word_list().words
        elif words is None:
            words = random_words(min(100, NUM_LETTERS**self.word_length), self.word_length)
        chosen = self._of_length(words, "words")
        self.allowed = chosen if allowed is None else self._of_length(allowed, "allowed")
        index = {word: action for action, word in enumerate(self.allowed)}
        for word in chosen:
            if word not in index:
                raise InputError(f"allowed: the secret word {word!r} is missing")
        self._index_of_secret = {word: index[word] for word in chosen}
        self.secrets = np.array(list(self._index_of_secret.values()), dtype=np.int64)
        encoded = encode_words(self.allowed, self.word_length)
        self._letters = encoded.codes.T.copy()  # a row per place
        # A row per number of occurrences: the letters with that many or more, as bits.
        counts = encoded.letter_counts
        bits = np.uint32(1) << np.arange(NUM_LETTERS, dtype=np.uint32)
        self._letter_sets = [(counts > fewer) @ bits for fewer in range(counts.max())]
        totals = range(self.word_length + 1)
        answers: list[tuple[int, ...]] = [(matches,) for matches in totals]
        if self.has_cats:
            answers = [(common - dogs, dogs) for common in totals for dogs in range(common + 1)]
        self.answers = np.array(answers, dtype=np.int8)
        self.solved = len(answers) - 1

    def _of_length(self, words: WordsLike, name: str) -> tuple[str, ...]:
        words = list_words(words, name)
        chosen = tuple(dict.fromkeys(word for word in words if len(word) == self.word_length))
        if not chosen:
            raise InputError(f"{name}: none of {len(words)} has {self.word_length} letters")
        return chosen

    def draw(
        self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return a secret for each pair of a stream and an episode number."""
        return self.secrets[below(add_key(streams, episodes), len(self.secrets))]

    def encode(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the indices of secrets; InputError if a word is not a secret word."""
        index = self._index_of_secret
        for word in words:
            if not isinstance(word, str) or word not in index:
                raise InputError(f"word: {word!r} is not one of the {len(index):,} secret words")
        return np.array([index[word] for word in words], dtype=np.int64)

    def answer(
        self, guesses: npt.NDArray[np.integer], secrets: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.uint8]:
        """Return the code of the answer to each guess about its secret; both broadcast."""
        dogs: Any = sum((row[guesses] == row[secrets]).view(np.int8) for row in self._letters)
        if self.has_cats:
            # Repeated letters count as often as both words have them.
            sets = (row[guesses] & row[secrets] for row in self._letter_sets)
            common: Any = sum(np.bitwise_count(letters).astype(np.int16) for letters in sets)
            # The 1 + ... + common answers with fewer common letters come first.
            return (common * (common + 1) // 2 + dogs).astype(np.uint8)
        return dogs.astype(np.uint8)

    @cached_property
    def answer_table(self) -> npt.NDArray[np.uint8]:
        """The code of the answer to every guess about every secret, shape (allowed, secrets).

        InputError if there are more than 4 billion.
        """
        if (size := len(self.allowed) * len(self.secrets)) > _MAX_TABLE:
            raise InputError(f"words: {size:,} answers about all pairs of words are too many")
        guesses = np.arange(len(self.allowed))[:, None]
        blocks = np.array_split(guesses, 1 + len(guesses) // 64)
        return np.concatenate([self.answer(block, self.secrets) for block in blocks])
