"""Word lists: where they come from, how they are cleaned, and the disjoint split."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from english_words import get_english_words_set

from envs.encoding import MAX_LENGTH
from envs.errors import InputError

DEFAULT_SOURCE = "web2"
PARTS = ("train", "valid", "test")


@dataclass(frozen=True)
class WordList:
    """A cleaned list of words.

    Attributes
    ----------
    words : tuple of str
        Lower-case, letters a to z, 1 to 32 of them, sorted, each once.
    source : str
        ``"web2"`` or the path of the file.
    dropped : dict of str to int
        How many lines each rule left out.
    """

    words: tuple[str, ...]
    source: str
    dropped: dict[str, int]

    def __len__(self) -> int:
        return len(self.words)

    def describe(self) -> str:
        """One line: how many words, from where, and how many lines were dropped by which rule."""
        dropped = ", ".join(f"{count:,} {rule}" for rule, count in self.dropped.items() if count)
        return f"{len(self):,} words from {self.source} (dropped: {dropped or 'none'})"


def clean_words(lines: Iterable[str], source: str) -> WordList:
    """Apply the rules for word lists to lines of text.

    A line is stripped of white space (a carriage return and a byte-order mark too) and
    lower-cased. Dropped are, and counted in this order: blank lines, words with a character
    outside a to z, words of more than 32 letters, duplicates.

    Raises
    ------
    InputError
        If no word is left.
    """
    dropped = dict.fromkeys(
        ("blank", "with other characters", f"over {MAX_LENGTH} letters", "duplicate"), 0
    )
    words: set[str] = set()
    for line in lines:
        word = line.strip().strip("\ufeff").lower()
        if not word:
            dropped["blank"] += 1
        elif not (word.isascii() and word.isalpha()):
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

    Raises
    ------
    InputError
        If the file cannot be read or holds no usable word.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot read the word list ({error.strerror})") from error
    return clean_words(text.splitlines(), str(path))


def load_word_list(source: str | Path | None = None) -> WordList:
    """Return the default list for ``None`` or ``"web2"``, else the list in the file ``source``."""
    if source is None or str(source) == DEFAULT_SOURCE:
        return default_word_list()
    return read_word_list(source)


@dataclass(frozen=True)
class Split:
    """The disjoint split of words into train, valid and test.

    A word's part depends on the word, ``seed`` and ``fractions`` alone, so that it stays when the
    list is shuffled or grows.

    Parameters
    ----------
    seed : int
    fractions : tuple of float
        The shares of train, valid and test; they add up to 1, and train's is above 0.
    """

    seed: int = 0
    fractions: tuple[float, float, float] = (0.9, 0.05, 0.05)

    def __post_init__(self) -> None:
        if (
            len(self.fractions) != len(PARTS)
            or any(fraction < 0 for fraction in self.fractions)
            or self.fractions[0] == 0
            or not abs(sum(self.fractions) - 1) <= 1e-9
        ):
            raise InputError(
                f"split.fractions: {list(self.fractions)} is not three shares for train, valid "
                "and test that add up to 1, the first above 0"
            )

    def part(self, word: str) -> str:
        """Return ``"train"``, ``"valid"`` or ``"test"``."""
        digest = hashlib.blake2b(f"{self.seed}:{word}".encode(), digest_size=8).digest()
        position = int.from_bytes(digest, "little") / 2**64
        if position < self.fractions[0]:
            return "train"
        return "valid" if position < self.fractions[0] + self.fractions[1] else "test"

    def divide(self, word_list: WordList) -> dict[str, tuple[str, ...]]:
        """Return the words of each part, in the order of the list.

        Raises
        ------
        InputError
            If a part whose share is above 0 has no word.
        """
        parts = self.sort(word_list.words)
        for name, fraction in zip(PARTS, self.fractions, strict=True):
            if fraction > 0 and not parts[name]:
                raise InputError(
                    f"{word_list.source}: too few words ({len(word_list):,}) for a split of "
                    f"{list(self.fractions)}: no word falls into {name}"
                )
        return parts

    def sort(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the words of each part, in their order; a part may have none."""
        parts: dict[str, list[str]] = {name: [] for name in PARTS}
        for word in words:
            parts[self.part(word)].append(word)
        return {name: tuple(members) for name, members in parts.items()}


def hash_words(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return 64-bit hashes of words, to recognise them without storing them."""
    digests = b"".join(hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)
