"""Which words the games have, which ones agents are fitted on, and how a word is drawn."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from envs.errors import InputError
from envs.words import PARTS, Split, WordList

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
    """

    recorded: tuple[str, ...]
    practice: tuple[str, ...]
    to_fit: tuple[str, ...]
    description: str


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
        f"recorded games: {len(recorded):,} words ({names['--split']}), practice: "
        f"{len(practice):,} words ({names['--practice-split']}) of {word_list.source}{note}",
    )


def draw_word(words: Sequence[str], played: Collection[str] = ()) -> str:
    """Draw a word that no client can foresee.

    Parameters
    ----------
    words : sequence of str
    played : collection of str
        Words that are not drawn, unless all have been played.
    """
    if len(played) < len(words):
        # Few of many words are played as a rule, so that this ends soon.
        for _ in range(64):
            word = secrets.choice(words)
            if word not in played:
                return word
        left = [word for word in words if word not in played]
        if left:
            return secrets.choice(left)
    return secrets.choice(words)
