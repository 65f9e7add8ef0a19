"""Words: the secrets of games, how they are drawn, and the words that agents are fitted on."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import (
    COMMON_SOURCE,
    common_words,
    default_common,
    hash_words,
    read_word_list,
    word_count,
)
from hangman_lab.run_files.directory import PRETRAINED, RunDirectory
from hangman_lab.run_files.words import RunWords
from hangman_lab.server.settings import Settings


@dataclass(frozen=True)
class ServedWords:
    """The secrets of recorded and practice games, and the words that agents are fitted on."""

    recorded: tuple[str, ...]
    practice: tuple[str, ...]
    to_fit: tuple[str, ...]
    listed: tuple[str, ...]  # of the public list, for reviews
    description: str  # for the operator
    withheld: bool = False  # recorded words are never revealed
    common: float = 0.0  # the default of the setting


def divide_words(
    words: RunWords, settings: Settings, run: RunDirectory | None = None
) -> ServedWords:
    """Return the words of each kind of game: by default of the test and the valid split.

    Without ``--words``, practice games have the common words among train and valid words. With
    ``--recorded-words``, recorded games have words of the file, withheld, without those of the list
    and those that ``run``, by default the pretrained one, was fitted on.
    """
    parts, note = words.parts_or_whole()
    recorded, practice, chosen = parts["test"], parts["valid"], "all" if note else "valid"
    if settings.words is None and (common := common_words(sorted({*parts["train"], *practice}))):
        practice, chosen = common, "common"
    source, origin = words.word_list.source, "(all)" if note else "(test)"
    if not (recorded and practice):
        raise InputError(f"--words: {source} has too few words to serve")
    if settings.recorded_words is not None:
        given = read_word_list(settings.recorded_words).words
        unlisted = sorted({*given} - {*words.word_list.words})
        fitted = (run or RunDirectory.open(PRETRAINED)).load_fitted_words()
        recorded = tuple(compress(unlisted, ~np.isin(hash_words(unlisted), fitted)))
        if not recorded:
            raise InputError(
                f"--recorded-words: all words of {settings.recorded_words} are in {source}, or the "
                "agent was fitted on them"
            )
        num_excluded = len(given) - len(recorded)
        origin = f"of {settings.recorded_words} ({num_excluded:,} public ones excluded)"
    return ServedWords(
        recorded,
        practice,
        parts["train"],
        words.word_list.words,
        f"recorded games: {word_count(len(recorded))} {origin}, "
        f"practice games: {word_count(len(practice))} ({chosen}) of {source}{note}",
        withheld=settings.recorded_words is not None,
        common=default_common(COMMON_SOURCE if chosen == "common" else source),
    )


def draw_word(words: Sequence[str], played: Collection[str], key: bytes, game: str) -> str:
    """Draw the word of a game by a secret key; no word of ``played`` until all are played."""
    left = [word for word in words if word not in played] if played else words
    digest = hmac.digest(key, game.encode(), hashlib.sha256)
    return (left or words)[int.from_bytes(digest) % len(left or words)]
