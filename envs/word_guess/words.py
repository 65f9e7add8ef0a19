"""The words of a game: allowed guesses, and the secrets among them.

The two games differ in their :class:`Variant`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.encoding import ALPHABET, NUM_LETTERS, EncodedWords, as_words, encode_words
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.keyed_random import add_key, below
from hangman_lab.envs.word_guess.answers import AnswerRule
from hangman_lab.envs.words import default_word_list


class GuessWords:
    """The allowed list, and the secret words in it as indices.

    ``words``, lower-case, are the secrets; words of another length than ``word_length`` are not
    used. ``allowed`` are the words that can be guessed, including all secrets; by default the
    secrets. Their order is kept, since an action is an index into them; duplicates are dropped.
    InputError if no word is left, a word cannot be encoded, or a secret is not allowed.
    """

    def __init__(
        self, words: Sequence[str], allowed: Sequence[str] | None = None, word_length: int = 4
    ) -> None:
        chosen = _of_length(words, word_length, "words")
        self.allowed = chosen if allowed is None else _of_length(allowed, word_length, "allowed")
        self._index = {word: index for index, word in enumerate(self.allowed)}
        missing = [word for word in chosen if word not in self._index]
        if missing:
            raise InputError(
                f"allowed: {len(missing)} of {len(chosen)} words are not in the allowed list, "
                f"for example {missing[0]!r}"
            )
        self.secrets = np.array([self._index[word] for word in chosen], dtype=np.int64)
        self.encoded: EncodedWords = encode_words(self.allowed, word_length)

    def __len__(self) -> int:
        return len(self.allowed)

    def draw(
        self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return a secret for each pair of a stream and an episode number."""
        return self.secrets[below(add_key(streams, episodes), len(self.secrets))]

    def encode(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the indices of given secrets; InputError if a word is not a secret word."""
        known = {self.allowed[index] for index in self.secrets}
        for word in words:
            if not isinstance(word, str) or word not in known:
                raise InputError(f"options: {word!r} is not one of the {len(known):,} secret words")
        return np.array([self._index[word] for word in words], dtype=np.int64)


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
    if not 1 <= count <= NUM_LETTERS**word_length:
        raise InputError(
            f"count: {count} is not in 1..{NUM_LETTERS**word_length}, "
            f"the number of words of {word_length} letters"
        )
    random = np.random.default_rng(seed)
    words: dict[str, None] = {}
    while len(words) < count:
        letters = random.integers(NUM_LETTERS, size=word_length)
        words["".join(ALPHABET[letter] for letter in letters)] = None
    return tuple(words)


@dataclass(frozen=True)
class Variant:
    """One of the two games: its id in Gymnasium's registry, and its defaults.

    ``default_words`` returns the default secrets of a given length.
    """

    env_id: str
    rule: AnswerRule
    max_guesses: int
    default_words: Callable[[int], tuple[str, ...]]


CATS_AND_DOGS = Variant("CatsAndDogs-v0", AnswerRule(4, True), 128, default_words)
GUESS_THE_WORD = Variant("GuessTheWord-v0", AnswerRule(6, False), 10, partial(random_words, 100))
VARIANTS = {"cats_and_dogs": CATS_AND_DOGS, "guess_the_word": GUESS_THE_WORD}
VARIANT_OF_ID = {variant.env_id: variant for variant in VARIANTS.values()}


def _of_length(words: Sequence[str], word_length: int, name: str) -> tuple[str, ...]:
    words = as_words(name, words)
    chosen = tuple(dict.fromkeys(word for word in words if len(word) == word_length))
    if not chosen:
        raise InputError(f"{name}: none of {len(words)} has {word_length} letters")
    return chosen
