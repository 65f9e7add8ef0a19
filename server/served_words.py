"""The words of the games, those that agents are fitted on, and how a word is drawn."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import numpy.typing as npt

from envs.errors import InputError
from envs.words import PARTS, Split, WordList, hash_words, read_word_list

ALL = "all"
SERVED_PARTS = (*PARTS, ALL)
_ATTEMPTS = 64


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


def divide_words(
    word_list: WordList,
    split: Split,
    recorded_part: str | None = None,
    practice_part: str | None = None,
    lengths: tuple[int, int] | None = None,
) -> ServedWords:
    """Return the words of each kind of game, of these lengths, both ends included.

    By default recorded games have the test words and practice games the valid words: who practises
    here learns nothing of the words of recorded games, and no agent has been fitted on either. A
    list that is too short to be split is served whole, unless parts are asked for; a part is one of
    ``SERVED_PARTS``.

    Raises
    ------
    InputError
        If no word is left.
    """
    whole = {**split.divide(word_list), ALL: word_list.words}
    note = ""
    if recorded_part is None and practice_part is None and not all(whole.values()):
        recorded_part = practice_part = ALL
        note = " (too few to be split)"
    names = {"--split": recorded_part or "test", "--practice-split": practice_part or "valid"}
    shortest, longest = lengths or (1, np.inf)
    served = []
    for option, name in names.items():
        served.append(tuple(word for word in whole[name] if shortest <= len(word) <= longest))
        if not served[-1]:
            raise InputError(f"{option}: {word_list.source} has no {name} word to serve")
    recorded, practice = served
    return ServedWords(
        recorded,
        practice,
        whole["train"] or word_list.words,
        f"recorded games: {len(recorded):,} words ({names['--split']}), practice games: "
        f"{len(practice):,} words ({names['--practice-split']}) of {word_list.source}{note}",
    )


def use_recorded_words(
    served: ServedWords, path: str, public: WordList, fitted: npt.NDArray[np.uint64] | None
) -> ServedWords:
    """Return the words with recorded games that have an operator's own, those of a file.

    Words that are in the public list, or that a learned agent was fitted on (``fitted`` has their
    hashes), are left out: clients may know the former, and hints the latter.

    Raises
    ------
    InputError
        If the file cannot be read, or no word is left.
    """
    given = read_word_list(path).words
    known = set(public.words)
    words = tuple(word for word in given if word not in known)
    if fitted is not None and words:
        words = tuple(compress(words, ~np.isin(hash_words(words), fitted)))
    if not words:
        raise InputError(
            f"--recorded-words: {path} has no word that is neither in {public.source} nor among "
            "those that the agent was fitted on"
        )
    return replace(
        served,
        recorded=words,
        description=f"recorded games: {len(words):,} words of the operator's own, "
        f"{len(given) - len(words):,} that are public left out; "
        f"{served.description.partition(', ')[2]}",
        withheld=True,
    )


def draw_word(words: Sequence[str], played: Collection[str], key: bytes, game: str) -> str:
    """Draw a word that nobody foresees who does not know the server's key.

    The same game has the same word. Words that were played are not drawn, unless all have been.
    """

    def draw(attempt: int, among: Sequence[str]) -> str:
        digest = hmac.digest(key, f"{game} {attempt}".encode(), hashlib.sha256)
        return among[int.from_bytes(digest) % len(among)]

    if len(played) < len(words):
        # Few of many words are played as a rule, so that this ends soon.
        for attempt in range(_ATTEMPTS):
            word = draw(attempt, words)
            if word not in played:
                return word
        left = [word for word in words if word not in played]
        if left:
            return draw(_ATTEMPTS, left)
    return draw(_ATTEMPTS + 1, words)
