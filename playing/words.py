"""The words of a session: the words to guess, the words to fit agents on, and their order.

With an agent, the words to guess are the test split, which no agent is fitted on. Without an agent
or a run, or if the list is too short to be split, the whole list is used.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hangman_lab.envs.errors import InputError
from hangman_lab.envs.keyed_random import keyed_bits
from hangman_lab.envs.words import rank_words, select_difficulty

if TYPE_CHECKING:  # Options are parsed before slow imports.
    from hangman_lab.run_files.words import RunWords


class PlayWords(NamedTuple):
    """The words to guess, the words to fit agents on, and a description of the former."""

    to_guess: tuple[str, ...]
    to_fit: tuple[str, ...]
    description: str


def divide_words(words: RunWords, keep_apart: bool, has_run: bool) -> PlayWords:
    """Return the words, disjoint if ``keep_apart``; InputError if a part of a run's is empty."""
    whole, source = words.word_list.words, words.word_list.source
    if not keep_apart:
        return PlayWords(whole, whole, source)
    if has_run:
        return PlayWords(words.part("test"), words.part("train"), f"test split of {source}")
    parts, note = words.parts_or_whole()
    description = f"{source}{note}" if note else f"test split of {source}"
    return PlayWords(parts["test"], parts["train"], description)


def weigh_words(words: PlayWords) -> PlayWords:
    """Return the words ranked by how common they are, to be fitted on as often as they weigh."""
    ranked, weights = rank_words(words.to_guess)
    return PlayWords(ranked, tuple(np.repeat(ranked, weights).tolist()), words.description)


def narrow(
    words: Sequence[str], lengths: tuple[int, int], difficulty: str | None
) -> tuple[str, ...]:
    """Return the words with a length in an inclusive range and a difficulty, or InputError."""
    chosen = tuple(word for word in words if lengths[0] <= len(word) <= lengths[1])
    if not chosen:
        present = sorted({len(word) for word in words})
        raise InputError(
            f"--length: no word has {lengths[0]} to {lengths[1]} letters; "
            f"there are words of {', '.join(map(str, present))}"
        )
    return chosen if difficulty is None else select_difficulty(chosen, difficulty)


def draw_words(words: Sequence[str], seed: int) -> Iterator[str]:
    """Yield the words in an order that depends on the seed, in an endless cycle."""
    order = np.argsort(keyed_bits(seed, np.arange(len(words))), kind="stable")
    return itertools.cycle(words[index] for index in order)
