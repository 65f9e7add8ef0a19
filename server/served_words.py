"""The words of the games, those that agents are fitted on, and how a word is drawn."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from envs.errors import InputError
from envs.words import PARTS, Split, WordList, hash_words, read_word_list

DEFAULT_RECORDED_PART = "test"
DEFAULT_PRACTICE_PART = "valid"
ALL = "all"
SERVED_PARTS = (*PARTS, ALL)


@dataclass(frozen=True)
class ServedWords:
    """Words by what they are used for.

    Attributes
    ----------
    recorded, practice : tuple of str
        The secrets of recorded and of practice games.
    to_fit : tuple of str
        What agents are fitted on.
    description : str
        How many there are, and from where.
    withheld : bool
        Whether recorded words are an operator's own, which nobody is told.
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
    """Return the words of each kind of game.

    By default recorded games have the test words and practice games the valid words: who practises
    here learns nothing of the words of recorded games, and no agent has been fitted on either. A
    list that is too short to be split is served whole, unless parts are asked for.

    Parameters
    ----------
    word_list : WordList
    split : Split
    recorded_part, practice_part : {"train", "valid", "test", "all"}, optional
    lengths : tuple of int, optional
        The shortest and the longest word that is served.

    Raises
    ------
    InputError
        If no word is left.
    """
    parts: dict[str, list[str]] = {name: [] for name in PARTS}
    for word in word_list.words:
        parts[split.part(word)].append(word)
    whole = {**{name: tuple(words) for name, words in parts.items()}, ALL: word_list.words}
    note = ""
    if recorded_part is None and practice_part is None and not all(whole.values()):
        recorded_part = practice_part = ALL
        note = " (too few to be split)"
    names = {
        "--split": recorded_part or DEFAULT_RECORDED_PART,
        "--practice-split": practice_part or DEFAULT_PRACTICE_PART,
    }
    served = {}
    for option, name in names.items():
        words = whole[name]
        if lengths is not None:
            words = tuple(word for word in words if lengths[0] <= len(word) <= lengths[1])
        if not words:
            raise InputError(f"{option}: {word_list.source} has no {name} word to serve")
        served[option] = words
    recorded, practice = served.values()
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
    """Return the words with recorded games that have an operator's own.

    Words that are in the public list, or that a learned agent was fitted on, are left out: clients
    may know the former, and hints the latter.

    Parameters
    ----------
    served : ServedWords
    path : str
        A file with one word per line.
    public : WordList
        The list of all other words.
    fitted : ndarray of uint64, optional
        The sorted hashes of the words that the agent was fitted on.

    Raises
    ------
    InputError
        If it cannot be read, or no word is left.
    """
    given = read_word_list(path).words
    known = set(public.words)
    words = tuple(word for word in given if word not in known)
    if fitted is not None and words:
        seen = np.isin(hash_words(words), fitted)
        words = tuple(word for word, is_seen in zip(words, seen, strict=True) if not is_seen)
    if not words:
        raise InputError(
            f"--recorded-words: {path} has no word that is neither in {public.source} nor among "
            "those that the agent was fitted on"
        )
    left_out = len(given) - len(words)
    return replace(
        served,
        recorded=words,
        description=f"recorded games: {len(words):,} words of the operator's own, {left_out:,} "
        f"that are public left out; {served.description.partition(', ')[2]}",
        withheld=True,
    )


def draw_word(words: Sequence[str], played: Collection[str], key: bytes, game: str) -> str:
    """Draw a word that nobody foresees who does not know the key.

    Parameters
    ----------
    words : sequence of str
    played : collection of str
        Words that are not drawn, unless all have been played.
    key : bytes
        The server's secret.
    game : str
        Tells the game from all others; the same game has the same word.
    """

    def draw(attempt: int, among: Sequence[str]) -> str:
        digest = hmac.digest(key, f"{game} {attempt}".encode(), hashlib.sha256)
        return among[int.from_bytes(digest) % len(among)]

    if len(played) < len(words):
        # Few of many words are played as a rule, so that this ends soon.
        for attempt in range(64):
            word = draw(attempt, words)
            if word not in played:
                return word
        left = [word for word in words if word not in played]
        if left:
            return draw(64, left)
    return draw(65, words)
