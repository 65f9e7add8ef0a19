"""The words of a game and the answers to guesses; the two games as variants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.counter_rng import add_key, below
from hangman_lab.envs.encoding import ALPHABET, NUM_LETTERS, as_words, encode_words
from hangman_lab.envs.errors import InputError, as_array, check_choice, check_integer
from hangman_lab.envs.words import default_word_list

# Answer codes have 8 bits; words of 21 letters have 253 pairs of cats and dogs.
MAX_WORD_LENGTH = 21
# All guesses of a game are in the observation.
MAX_GUESSES = 10_000


def default_words(word_length: int) -> tuple[str, ...]:
    """Return the words of the default list that have ``word_length`` letters."""
    return tuple(word for word in default_word_list().words if len(word) == word_length)


def random_words(
    count: int = 100, word_length: int = 6, seed: int | Sequence[int] = 0
) -> tuple[str, ...]:
    """Return distinct words of letters that are drawn independently and uniformly.

    The problem "Guess the Word" is tested with 100 words of 6 letters. Raises InputError if
    there are fewer than ``count`` words of ``word_length`` letters.
    """
    word_length = check_integer("word_length", word_length, 1, MAX_WORD_LENGTH)
    count = check_integer("count", count, 1, NUM_LETTERS**word_length)
    seeds = np.atleast_1d(as_array("seed", seed))
    random = np.random.default_rng([check_integer("seed", each, 0) for each in seeds])
    words: dict[str, None] = {}
    while len(words) < count:
        letters = random.integers(NUM_LETTERS, size=word_length)
        words["".join(ALPHABET[letter] for letter in letters)] = None
    return tuple(words)


@dataclass(frozen=True)
class Variant:
    """One of the two games: its answers and its defaults."""

    answer_names: tuple[str, ...]  #: The names of the numbers of an answer, in order.
    word_length: int
    max_guesses: int
    default_words: Callable[[int], tuple[str, ...]]  #: The secrets of a given length.

    @property
    def has_cats(self) -> bool:
        """Whether an answer counts the letters in common at different positions."""
        return "cats" in self.answer_names


VARIANTS = {
    "cats_and_dogs": Variant(("cats", "dogs"), 4, 128, default_words),
    "guess_the_word": Variant(("matches",), 6, 10, partial(random_words, 100)),
}
# By id in Gymnasium's registry.
VARIANT_OF_ID = {"CatsAndDogs-v0": "cats_and_dogs", "GuessTheWord-v0": "guess_the_word"}


class WordGame:
    """What is public of a game: the allowed guesses, the secrets among them, and the answers.

    The arguments are those of :class:`envs.word_guess.env.WordGuessEnv`. Words are indices into
    ``allowed``. An answer has a code from 0 to ``solved``, which is that of the secret itself, so
    that a table of answers has one byte per entry.

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
        words: Sequence[str] | None = None,
        variant: str = "cats_and_dogs",
        allowed: Sequence[str] | None = None,
        word_length: int | None = None,
        max_guesses: int | None = None,
    ) -> None:
        check_choice("variant", variant, VARIANTS)
        self.variant = VARIANTS[variant]
        length = self.variant.word_length if word_length is None else word_length
        limit = self.variant.max_guesses if max_guesses is None else max_guesses
        self.word_length = check_integer("word_length", length, 1, MAX_WORD_LENGTH)
        self.max_guesses = check_integer("max_guesses", limit, 1, MAX_GUESSES)
        words = self.variant.default_words(self.word_length) if words is None else words
        chosen = self._of_length(words, "words")
        self.allowed = chosen if allowed is None else self._of_length(allowed, "allowed")
        index = {word: number for number, word in enumerate(self.allowed)}
        missing = [word for word in chosen if word not in index]
        if missing:
            raise InputError(
                f"allowed: {len(missing)} of {len(chosen)} words are not in the allowed list, "
                f"for example {missing[0]!r}"
            )
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
        if self.variant.has_cats:
            answers = [(common - dogs, dogs) for common in totals for dogs in range(common + 1)]
        self.answers = np.array(answers, dtype=np.int8)
        self.solved = len(answers) - 1

    def __len__(self) -> int:
        return len(self.allowed)

    def _of_length(self, words: Sequence[str], name: str) -> tuple[str, ...]:
        words = as_words(name, words)
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
                raise InputError(f"options: {word!r} is not one of the {len(index):,} secret words")
        return np.array([index[word] for word in words], dtype=np.int64)

    def encode_answers(self, answers: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Return the codes of answers, whose last axis has the numbers of an answer."""
        common = answers.sum(axis=-1, dtype=np.int64)
        return _code(common, answers[..., -1]) if self.variant.has_cats else common

    def answer(
        self, guesses: npt.NDArray[np.integer], secrets: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.uint8]:
        """Return the code of the answer to each guess about its secret; both broadcast."""
        dogs: Any = sum((row[guesses] == row[secrets]).view(np.int8) for row in self._letters)
        if self.variant.has_cats:
            # Repeated letters count as often as both words have them.
            sets = (row[guesses] & row[secrets] for row in self._letter_sets)
            common: Any = sum(np.bitwise_count(letters) for letters in sets)
            return _code(common.astype(np.int16), dogs).astype(np.uint8)
        return dogs.astype(np.uint8)

    @cached_property
    def answer_table(self) -> npt.NDArray[np.uint8]:
        """The code of the answer to every guess about every secret, shape (allowed, secrets)."""
        blocks = np.array_split(np.arange(len(self))[:, None], 1 + len(self) // 64)
        return np.concatenate([self.answer(block, self.secrets) for block in blocks])


def _code(common: Any, dogs: Any) -> Any:
    return common * (common + 1) // 2 + dogs
