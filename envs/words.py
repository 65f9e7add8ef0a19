"""Word lists: sources, cleaning, and the disjoint split."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from english_words import get_english_words_set

from hangman_lab.envs.encoding import MAX_LENGTH, as_words
from hangman_lab.envs.errors import InputError, as_array, check_integer

DEFAULT_SOURCE = "web2"
COMMON_SOURCE = "common"
# Sources that are not files.
NAMED_SOURCES = (DEFAULT_SOURCE, COMMON_SOURCE)
PARTS = ("train", "valid", "test")
# The words of an environment: a name, the path of a file, or the words.
WordsLike = str | Path | Sequence[str]
# The default prior probability that a secret is one of the words that were fitted.
DEFAULT_KNOWN = 0.5
# Common words are the most frequent English words according to the package wordfreq.
_NUM_COMMON = 20_000
# The default probability that a known word was chosen as people choose words, in games of common
# words and in other games of people; see agents.common.
COMMON_IN_PLAY, COMMON_ELSEWHERE = 0.9, 0.5
# The default of the prior of known words there: with these words, most secrets are known words.
KNOWN_IN_PLAY = 0.7
# Words that are not given to a person to guess.
_OFFENSIVE = Path(__file__).with_name("offensive_words.txt")
# Shorter entries are mostly initials and abbreviations.
_MIN_COMMON_LENGTH = 3


def word_count(number: int) -> str:
    """Return ``1 word``, ``2,000 words`` and so on."""
    return f"{number:,} word{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class WordList:
    """A cleaned list of words."""

    words: tuple[str, ...]  # lower-case, 1 to 32 letters a to z, sorted, unique
    source: str  # ``"web2"``, ``"common"`` or the path of the file
    dropped: dict[str, int]  # number of lines dropped by each rule

    def __len__(self) -> int:
        return len(self.words)

    def describe(self) -> str:
        """Return one line: the number of words, the source, and the lines dropped by each rule."""
        dropped = ", ".join(f"{count:,} {rule}" for rule, count in self.dropped.items() if count)
        return f"{word_count(len(self))} from {self.source} (dropped: {dropped or 'none'})"


def clean_words(lines: Iterable[str], source: str) -> WordList:
    """Return the valid words among lines of text.

    White space, carriage returns and byte-order marks are stripped, and letters lower-cased. Then
    dropped and counted, in this order: blank lines, words with a character outside a to z, words
    of more than 32 letters, duplicates. Raises InputError if no word is left.
    """
    rules = ("blank", "with other characters", f"over {MAX_LENGTH} letters", "duplicate")
    dropped = dict.fromkeys(rules, 0)
    words: set[str] = set()
    for line in as_words(source, lines):
        text = line.strip().strip("\ufeff")
        word = text.lower()
        if not word:
            dropped["blank"] += 1
        elif not (text.isascii() and text.isalpha()):
            dropped["with other characters"] += 1
        elif len(word) > MAX_LENGTH:
            dropped[f"over {MAX_LENGTH} letters"] += 1
        elif word in words:
            dropped["duplicate"] += 1
        else:
            words.add(word)
    if not words:
        raise InputError(
            f"{source}: no usable word; one word per line is expected, "
            f"letters a to z, at most {MAX_LENGTH} of them"
        )
    return WordList(tuple(sorted(words)), source, dropped)


@lru_cache(maxsize=1)
def default_word_list() -> WordList:
    """Return the ``web2`` set of the package english-words, about 234,000 words."""
    return clean_words(get_english_words_set([DEFAULT_SOURCE], lower=True), DEFAULT_SOURCE)


def read_word_list(path: str | Path) -> WordList:
    """Read a file with one word per line (UTF-8; lines in other encodings count as unusable).

    Raises InputError if the file cannot be read, is not text or holds no usable word.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot read the word list ({reason})") from error
    if "\0" in text:
        raise InputError(f"{path}: not a text file; UTF-8 with one word per line is expected")
    return clean_words(text.splitlines(), str(path))


def load_word_list(
    source: str | Path | Sequence[str] | None = None, name: str = "words"
) -> WordList:
    """Return the word list of a file, or of a sequence of words with ``name`` as its source.

    None and ``"web2"`` are the default list, ``"common"`` is its common words. Raises InputError
    if the file cannot be read or holds no usable word, or wordfreq is not installed.
    """
    if source is not None and not isinstance(source, str | Path):
        return clean_words(source, name)
    if source == "":
        raise InputError(f"{name}: the path of the word list is empty")
    if source is None or source == DEFAULT_SOURCE:
        return default_word_list()
    if source == COMMON_SOURCE:
        return clean_words(common_words(default_word_list().words), COMMON_SOURCE)
    return read_word_list(source)


def list_words(words: WordsLike, name: str = "words") -> tuple[str, ...]:
    """Return a sequence of words, or those of :func:`load_word_list` for a name or a path."""
    if not isinstance(words, str | Path):
        return as_words(name, words)
    try:
        return load_word_list(words, name).words
    except InputError as error:
        if words in NAMED_SOURCES:
            raise
        known = " or ".join(NAMED_SOURCES)
        raise InputError(f"{name}: {str(words)!r} is not {known} or a file ({error})") from error


def common_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return those of ``words`` that are among the 20,000 most frequent English words.

    Their order is kept; see :func:`frequent_words`.
    """
    top = set(frequent_words(_NUM_COMMON))
    return tuple(word for word in words if word in top)


def frequent_words(count: int) -> list[str]:
    """Return the words of 3 letters or more among the ``count`` most frequent English words.

    Names, which ``web2`` has with a capital, vulgar words and words with other characters than a
    to z are left out. Raises InputError if wordfreq is not installed.
    """
    if find_spec("wordfreq") is None:
        raise InputError(
            "common words: the package wordfreq is not installed; "
            "pip install '.[agents]' (in the checkout) installs it"
        )
    import wordfreq

    excluded = names_and_vulgar_words()
    return [
        word
        for word in wordfreq.top_n_list("en", count)
        if _MIN_COMMON_LENGTH <= len(word) <= MAX_LENGTH
        and word.isascii()
        and word.isalpha()
        and word not in excluded
    ]


@lru_cache(maxsize=1)
def names_and_vulgar_words() -> set[str]:
    """Return the names, which ``web2`` has with a capital, and vulgar words, in lower case."""
    words = get_english_words_set([DEFAULT_SOURCE])
    return {word.lower() for word in words if word[0].isupper()}.union(
        _OFFENSIVE.read_text().split()
    )


def default_common(source: str, is_elsewhere: bool = False) -> float:
    """Return the default of ``common`` in games of people, by the source of their words.

    ``is_elsewhere`` is whether the secret need not be a word of that list.
    """
    if is_elsewhere:
        return COMMON_ELSEWHERE
    return {COMMON_SOURCE: COMMON_IN_PLAY, DEFAULT_SOURCE: 0.0}.get(source, COMMON_ELSEWHERE)


def default_known(common: float) -> float:
    """Return the default prior probability of known words for a value of ``common``."""
    return KNOWN_IN_PLAY if common else DEFAULT_KNOWN


@dataclass(frozen=True)
class Split:
    """The disjoint split of words into train, valid and test.

    The part of a word depends only on the word, ``seed`` and ``fractions``, so it does not change
    when the list is shuffled or grows.
    """

    seed: int = 0
    fractions: tuple[float, ...] = (0.9, 0.05, 0.05)  # of PARTS: sum to 1, train's is above 0

    def __post_init__(self) -> None:
        check_integer("split.seed", self.seed, 0)
        fractions = as_array("split.fractions", self.fractions)
        are_numbers = fractions.shape == (len(PARTS),) and fractions.dtype.kind in "iuf"
        are_in_range = are_numbers and fractions[0] > 0 and fractions.min() >= 0
        if not are_in_range or abs(fractions.sum() - 1) > 1e-9:
            raise InputError(
                f"split.fractions: {self.fractions!r} must be three fractions for train, valid "
                "and test that sum to 1, the first above 0"
            )

    def part(self, word: str) -> str:
        """Return ``"train"``, ``"valid"`` or ``"test"``; InputError if the word is not a str."""
        if not isinstance(word, str):
            raise InputError(f"word: {word!r} is not a str")
        text = f"{self.seed}:{word}".encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(text, digest_size=8).digest()
        position = int.from_bytes(digest, "little") / 2**64
        if position < self.fractions[0]:
            return "train"
        return "valid" if position < self.fractions[0] + self.fractions[1] else "test"

    def divide(self, words: WordList | Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the words of each part, in their order; a part may be empty."""
        parts: dict[str, list[str]] = {name: [] for name in PARTS}
        listed = words.words if isinstance(words, WordList) else as_words("words", words)
        for word in listed:
            parts[self.part(word)].append(word)
        return {name: tuple(words) for name, words in parts.items()}


def hash_words(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return 64-bit hashes of words, to recognize them without storing them."""
    words = as_words("words", words)
    texts = (word.encode("utf-8", "surrogatepass") for word in words)
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)
