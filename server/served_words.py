"""The words of the games, those that agents are fitted on, and how a word is drawn."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import (
    DIFFICULTIES,
    Split,
    WordList,
    common_words,
    hash_words,
    read_word_list,
    select_difficulty,
)

Difficulty = Literal["easy", "medium", "hard"]


class Choice(NamedTuple):
    """Which practice word a player asks for; ``day`` names the word of a day, the same for all."""

    length: int | None = None
    difficulty: Difficulty | None = None
    day: str | None = None


@dataclass(frozen=True)
class ServedWords:
    """The secrets of recorded and of practice games, and what agents are fitted on.

    ``description`` says how many there are, and from where. Recorded words are ``withheld`` if they
    are an operator's own, which nobody is told.
    """

    recorded: tuple[str, ...]
    practice: tuple[str, ...]
    to_fit: tuple[str, ...]
    description: str
    withheld: bool = False

    @property
    def practice_lengths(self) -> list[int]:
        """Lengths of practice words that come in every difficulty."""
        counts = np.bincount([len(word) for word in self.practice])
        return np.flatnonzero(counts >= len(DIFFICULTIES)).tolist()


def divide_words(
    word_list: WordList,
    split: Split,
    lengths: tuple[int, int] | None = None,
    common: bool = False,
) -> ServedWords:
    """Return the words of each kind of game, of these lengths, both ends included.

    Recorded games have the test words and practice games the valid words: who practises here learns
    nothing of the words of recorded games, and no agent has been fitted on either. With ``common``
    practice games have the common words of the train and valid words instead, if there are any.
    A list that is too short to be split is served whole. InputError if no word is left.
    """
    parts, note = split.divide(word_list), ""
    if not all(parts.values()):
        parts, note = dict.fromkeys(parts, word_list.words), " (too few to be split)"
    shortest, longest = lengths or (1, np.inf)
    recorded, practice = (
        tuple(word for word in parts[part] if shortest <= len(word) <= longest)
        for part in ("test", "valid")
    )
    chosen = "valid"
    if common and (known := common_words(sorted({*parts["train"], *practice}))):
        practice = tuple(word for word in known if shortest <= len(word) <= longest) or practice
        chosen = "common"
    if not (recorded and practice):
        raise InputError(f"--words: {word_list.source} has too few words to serve")
    return ServedWords(
        recorded,
        practice,
        parts["train"],
        f"recorded games: {len(recorded):,} words (test), practice games: {len(practice):,} words "
        f"({chosen}) of {word_list.source}{note}",
    )


@lru_cache(maxsize=128)
def select_practice(
    words: tuple[str, ...], length: int | None, difficulty: Difficulty | None
) -> tuple[str, ...]:
    """Return the words of a length and a difficulty; None for any. It may be empty."""
    chosen = tuple(word for word in words if length in (None, len(word)))
    if difficulty is None or len(chosen) < len(DIFFICULTIES):
        return chosen
    return select_difficulty(chosen, difficulty)


def use_recorded_words(
    served: ServedWords, path: str, public: WordList, fitted: npt.NDArray[np.uint64] | None
) -> ServedWords:
    """Return the words with recorded games that have an operator's own, those of a file.

    Words that are in the public list, or that a learned agent was fitted on (``fitted`` has their
    hashes), are left out: clients may know the former, and hints the latter. InputError if the
    file cannot be read, or no word is left.
    """
    given = read_word_list(path).words
    known = set(public.words)
    words = tuple(word for word in given if word not in known)
    if fitted is not None and words:
        words = tuple(compress(words, ~np.isin(hash_words(words), fitted)))
    if not words:
        listed = f"in {public.source} nor among those that the agent was fitted on"
        raise InputError(f"--recorded-words: {path} has no word that is neither {listed}")
    description = (
        f"recorded games: {len(words):,} words of the operator's own, "
        f"{len(given) - len(words):,} that are public left out; "
        f"{served.description.partition(', ')[2]}"
    )
    return replace(served, recorded=words, description=description, withheld=True)


def draw_word(words: Sequence[str], played: Collection[str], key: bytes, game: str) -> str:
    """Draw a word that nobody foresees who does not know the server's key.

    The same game has the same word. Words that were played are not drawn, unless all have been.
    """
    left = [word for word in words if word not in played] if played else words
    digest = hmac.digest(key, game.encode(), hashlib.sha256)
    return (left or words)[int.from_bytes(digest) % len(left or words)]
