"""Words: the secrets of games, how they are drawn, and the words that agents are fitted on."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import common_words, hash_words, read_word_list
from hangman_lab.run_files.words import RunWords


@dataclass(frozen=True)
class ServedWords:
    """The secrets of recorded and practice games, and the words that agents are fitted on."""

    recorded: tuple[str, ...]
    practice: tuple[str, ...]
    to_fit: tuple[str, ...]
    description: str  # for the operator
    withheld: bool = False  # recorded words are never revealed


def divide_words(
    words: RunWords,
    common: bool = False,
    recorded_words: str | None = None,
    fitted: npt.ArrayLike = (),
) -> ServedWords:
    """Return the words of each kind of game.

    With ``common``, practice games have the common words among train and valid words. With a file
    ``recorded_words``, recorded games have its words, withheld, without those of the list and those
    whose hashes are in ``fitted``: the words that the agent was fitted on.
    """
    parts, note = words.parts_or_whole()
    recorded, practice, chosen = parts["test"], parts["valid"], "valid"
    if common and (known := common_words(sorted({*parts["train"], *practice}))):
        practice, chosen = known, "common"
    source = words.word_list.source
    if not (recorded and practice):
        raise InputError(f"--words: {source} has too few words to serve")
    origin = "(test)"
    if recorded_words is not None:
        given = read_word_list(recorded_words).words
        unlisted = sorted({*given} - {*words.word_list.words})
        recorded = tuple(compress(unlisted, ~np.isin(hash_words(unlisted), fitted)))
        if not recorded:
            raise InputError(
                f"--recorded-words: all words of {recorded_words} are in {source}, or the agent "
                "was fitted on them"
            )
        num_excluded = len(given) - len(recorded)
        origin = f"of {recorded_words} ({num_excluded:,} public ones excluded)"
    return ServedWords(
        recorded,
        practice,
        parts["train"],
        f"recorded games: {len(recorded):,} words {origin}, "
        f"practice games: {len(practice):,} words ({chosen}) of {source}{note}",
        withheld=recorded_words is not None,
    )


def draw_word(words: Sequence[str], played: Collection[str], key: bytes, game: str) -> str:
    """Draw the word of a game by a secret key; no word of ``played`` until all are played."""
    left = [word for word in words if word not in played] if played else words
    digest = hmac.digest(key, game.encode(), hashlib.sha256)
    return (left or words)[int.from_bytes(digest) % len(left or words)]
