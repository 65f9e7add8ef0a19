"""The words of a game: those that may be guessed, and those among them that may be the secret."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from envs.encoding import ALPHABET, NUM_LETTERS, EncodedWords, encode_words
from envs.keyed_random import below, keyed_bits
from envs.words import default_word_list


class GuessWords:
    """The allowed list and the secret words in it.

    Parameters
    ----------
    words : sequence of str
        Lower-case words, the secrets. Words of another length are not used.
    allowed : sequence of str, optional
        The words that may be guessed; it holds every secret. The secrets if not given. The order
        is kept, since an action is an index into this list; of a word that is given twice the
        first is taken.
    word_length : int

    Attributes
    ----------
    allowed : tuple of str
    encoded : EncodedWords
        The allowed words.
    secrets : ndarray of int64
        The secret words as indices into ``allowed``.

    Raises
    ------
    ValueError
        If no word is left, a word cannot be encoded, or a secret is not allowed.
    """

    def __init__(
        self, words: Sequence[str], allowed: Sequence[str] | None = None, word_length: int = 4
    ) -> None:
        chosen = _of_length(words, word_length, "words")
        self.allowed = chosen if allowed is None else _of_length(allowed, word_length, "allowed")
        self._index = {word: index for index, word in enumerate(self.allowed)}
        missing = [word for word in chosen if word not in self._index]
        if missing:
            raise ValueError(
                f"allowed: {len(missing)} of {len(chosen)} words are not in the allowed list, "
                f"{missing[0]!r} for one"
            )
        self.secrets = np.array([self._index[word] for word in chosen], dtype=np.int64)
        self.encoded: EncodedWords = encode_words(self.allowed, word_length)

    def __len__(self) -> int:
        return len(self.allowed)

    def index(self, word: str) -> int | None:
        """Return a word's place in the allowed list, None if it is not there."""
        return self._index.get(word)

    def draw(
        self, streams: npt.NDArray[np.uint64], episodes: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return a secret for each pair of a stream and the number of an episode in it."""
        return self.secrets[below(keyed_bits(streams, episodes), len(self.secrets))]

    def encode(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the indices of words that the caller forces to be the secrets.

        Raises
        ------
        ValueError
            If a word is not one of the secret words.
        """
        secrets = set(self.secrets.tolist())
        indices = []
        for word in words:
            index = self._index.get(word) if isinstance(word, str) else None
            if index not in secrets:
                raise ValueError(
                    f"options: {word!r} is not one of the {len(self.secrets):,} secret words"
                )
            indices.append(index)
        return np.array(indices, dtype=np.int64)


def default_words(word_length: int) -> tuple[str, ...]:
    """Return the words of the default list that have so many letters."""
    return tuple(word for word in default_word_list().words if len(word) == word_length)


def random_words(
    count: int = 100, word_length: int = 6, seed: int | Sequence[int] = 0
) -> tuple[str, ...]:
    """Return distinct words of letters that are drawn independently and uniformly.

    These are the tests of the problem "Guess the Word": 100 words of 6 letters.

    Raises
    ------
    ValueError
        If there are not so many words of so many letters.
    """
    if not 1 <= count <= NUM_LETTERS**word_length:
        raise ValueError(
            f"count: {count} is not in 1..{NUM_LETTERS**word_length}, "
            f"the number of words of {word_length} letters"
        )
    random = np.random.default_rng(seed)
    words: dict[str, None] = {}
    while len(words) < count:
        letters = random.integers(NUM_LETTERS, size=word_length)
        words["".join(ALPHABET[letter] for letter in letters)] = None
    return tuple(words)


def _of_length(words: Sequence[str], word_length: int, name: str) -> tuple[str, ...]:
    if isinstance(words, str):
        raise ValueError(f"{name}: {words!r} is one word; a sequence of words is expected")
    chosen = tuple(dict.fromkeys(word for word in words if len(word) == word_length))
    if not chosen:
        raise ValueError(f"{name}: none of {len(words)} has {word_length} letters")
    return chosen
