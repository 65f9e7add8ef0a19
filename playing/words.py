"""The words of a session: those guessed, those that agents are fitted on, and their order.

When an agent takes part, the words to guess are those of the test split, which no agent has been
fitted on. A list that is too short to be split is guessed whole, and the person is told. Without
an agent or a run there is nobody to keep words from, and the whole list is guessed.

Help in a game that is played elsewhere is no measurement: there the whole list is fitted on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from envs.errors import InputError
from envs.keyed_random import keyed_bits
from envs.words import Split, WordList
from playing.difficulty import select_difficulty


@dataclass(frozen=True)
class PlayWords:
    """Words with their uses.

    Attributes
    ----------
    to_guess : tuple of str
    to_fit : tuple of str
        What agents are fitted on.
    description : str
        Where the words to guess are from.
    """

    to_guess: tuple[str, ...]
    to_fit: tuple[str, ...]
    description: str


def divide_words(word_list: WordList, split: Split, keep_apart: bool, run: str | None) -> PlayWords:
    """Return the words to guess and those to fit agents on.

    Parameters
    ----------
    word_list : WordList
    split : Split
    keep_apart : bool
        Whether an agent takes part, or a run's words are asked for.
    run : str, optional
        The run that the split is from; its agents are fitted already.

    Raises
    ------
    InputError
        If no word of the list is in the run's test split.
    """
    source = word_list.source
    if not keep_apart:
        return PlayWords(word_list.words, word_list.words, source)
    parts = split.divide(word_list)
    if parts["train"] and parts["test"]:
        return PlayWords(parts["test"], parts["train"], f"test split of {source}")
    if run is not None:
        raise InputError(
            f"{source}: {len(parts['train'])} of its {len(word_list)} words are in the train split "
            f"of {run} and {len(parts['test'])} in its test split; both are needed"
        )
    return PlayWords(
        word_list.words, word_list.words, f"{source}, too few to keep some from the agent"
    )


def narrow(
    words: Sequence[str], lengths: tuple[int, int] | None, difficulty: str | None
) -> tuple[str, ...]:
    """Return the words of those lengths, both ends included, and of that difficulty among them.

    Raises
    ------
    InputError
        If none is left.
    """
    chosen = tuple(words)
    if lengths is not None:
        chosen = tuple(word for word in words if lengths[0] <= len(word) <= lengths[1])
        if not chosen:
            present = sorted({len(word) for word in words})
            raise InputError(
                f"--length: no word has {lengths[0]} to {lengths[1]} letters; "
                f"there are words of {', '.join(map(str, present))}"
            )
    return chosen if difficulty is None else select_difficulty(chosen, difficulty)


def draw_words(words: Sequence[str], seed: int) -> Iterator[str]:
    """Yield the words in an order that depends on the seed, again and again."""
    order = np.argsort(keyed_bits(seed, np.arange(len(words))), kind="stable")
    while True:
        for index in order:
            yield words[index]
