"""Words: the secrets of games, how they are drawn, and the words that agents are fitted on."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import WordList, common_words, hash_words, read_word_list
from hangman_lab.run_files.words import RunWords


@dataclass(frozen=True)
class ServedWords:
    """The secrets of recorded and practice games, and the words that agents are fitted on."""

    recorded: tuple[str, ...]
    practice: tuple[str, ...]
    to_fit: tuple[str, ...]
    description: str  # for the operator
    withheld: bool = False  # recorded words are never revealed


def divide_words(words: RunWords, common: bool = False) -> ServedWords:
    """Return the words of each kind of game.

    With ``common``, practice games have the common words among train and valid words.
    """
    parts, note = words.parts_or_whole()
    recorded, practice, chosen = parts["test"], parts["valid"], "valid"
    if common and (known := common_words(sorted({*parts["train"], *practice}))):
        practice, chosen = known, "common"
    source = words.word_list.source
    if not (recorded and practice):
        raise InputError(f"--words: {source} has too few words to serve")
    return ServedWords(
        recorded,
        practice,
        parts["train"],
        f"recorded games: {len(recorded):,} words (test), practice games: {len(practice):,} words "
        f"({chosen}) of {source}{note}",
    )


def use_recorded_words(
    served: ServedWords, path: str, public: WordList, fitted: npt.NDArray[np.uint64] | None
) -> ServedWords:
    """Return the words with recorded words of a file that are neither public nor fitted.

    ``fitted`` are hashes of the words that the agent was fitted on.
    """
    given = read_word_list(path).words
    known = set(public.words)
    words = tuple(word for word in given if word not in known)
    if fitted is not None and words:
        words = tuple(compress(words, ~np.isin(hash_words(words), fitted)))
    if not words:
        message = f"all words of {path} are in {public.source}, or the agent was fitted on them"
        raise InputError(f"--recorded-words: {message}")
    description = (
        f"recorded games: {len(words):,} words of {path} ({len(given) - len(words):,} public ones "
        f"excluded), {served.description.partition(', ')[2]}"
    )
    return replace(served, recorded=words, description=description, withheld=True)


def draw_word(words: Sequence[str], played: Collection[str], key: bytes, game: str) -> str:
    """Draw the word of a game by a secret key; no word of ``played`` until all are played."""
    left = [word for word in words if word not in played] if played else words
    digest = hmac.digest(key, game.encode(), hashlib.sha256)
    return (left or words)[int.from_bytes(digest) % len(left or words)]
