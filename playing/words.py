"""The words of a session: the words to guess, the words to fit agents on, and their order.

With an agent, the words to guess are the test split, which no agent is fitted on. A list that is
too short is not split, with a message. Without an agent or a run, the whole list is used.

The difficulty of a word is the number of wrong guesses if letters are guessed in the order of how
many words contain them. In the default list *jazz* is hard and *relation* is easy.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from envs.encoding import NUM_LETTERS, encode_words
from envs.errors import InputError
from envs.keyed_random import keyed_bits

if TYPE_CHECKING:  # The command reads its options before it imports what takes long.
    from run_files.words import RunWords

DIFFICULTIES = ("easy", "medium", "hard")


class PlayWords(NamedTuple):
    """The words to guess, the words to fit agents on, and a description of the former."""

    to_guess: tuple[str, ...]
    to_fit: tuple[str, ...]
    description: str


def divide_words(words: RunWords, keep_apart: bool, has_run: bool) -> PlayWords:
    """Return the words to guess and the words to fit agents on, disjoint if ``keep_apart``.

    ``has_run`` is whether the split is that of a run. Raises InputError if a part of it is empty.
    """
    whole, source = words.word_list.words, words.word_list.source
    if not keep_apart:
        return PlayWords(whole, whole, source)
    if has_run or (words.parts["train"] and words.parts["test"]):
        return PlayWords(words.part("test"), words.part("train"), f"test split of {source}")
    return PlayWords(whole, whole, f"{source}, too few to keep some from the agent")


def narrow(
    words: Sequence[str], lengths: tuple[int, int], difficulty: str | None
) -> tuple[str, ...]:
    """Return the words with a length in an inclusive range and a difficulty.

    Raises InputError if there are none.
    """
    chosen = tuple(word for word in words if lengths[0] <= len(word) <= lengths[1])
    if not chosen:
        present = sorted({len(word) for word in words})
        raise InputError(
            f"--length: no word has {lengths[0]} to {lengths[1]} letters; "
            f"there are words of {', '.join(map(str, present))}"
        )
    return chosen if difficulty is None else select_difficulty(chosen, difficulty)


def select_difficulty(words: Sequence[str], difficulty: str) -> tuple[str, ...]:
    """Return the third of the words with a difficulty, one of ``DIFFICULTIES``.

    Words are sorted by their number of wrong guesses, without a limit, if letters are guessed in
    the order of how many words contain them, then alphabetically. Ties go to longer words, then to
    alphabetical order. Raises InputError if there are fewer than three words.
    """
    if len(words) < len(DIFFICULTIES):
        raise InputError(
            f"--difficulty: {len(words)} words cannot be cut into {', '.join(DIFFICULTIES)}"
        )
    has_letter = encode_words(words).letter_counts > 0
    turn = np.empty(NUM_LETTERS, dtype=np.int64)
    turn[np.argsort(-has_letter.sum(axis=0), kind="stable")] = np.arange(1, NUM_LETTERS + 1)
    wrong = np.where(has_letter, turn, 0).max(axis=1) - has_letter.sum(axis=1)
    order = np.lexsort((np.array(words), [-len(word) for word in words], wrong))
    part = np.array_split(order, len(DIFFICULTIES))[DIFFICULTIES.index(difficulty)]
    return tuple(words[index] for index in np.sort(part))


def draw_words(words: Sequence[str], seed: int) -> Iterator[str]:
    """Yield the words in an order that depends on the seed, in an endless cycle."""
    order = np.argsort(keyed_bits(seed, np.arange(len(words))), kind="stable")
    return itertools.cycle(words[index] for index in order)
