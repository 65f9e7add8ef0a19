"""The words of a run: its list, and the parts of its split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from envs.errors import InputError
from envs.keyed_random import keyed_bits
from envs.words import WordList, hash_words, load_word_list
from run_files.config import Config


@dataclass(frozen=True)
class RunWords:
    """A word list and its parts.

    Attributes
    ----------
    word_list : WordList
    parts : dict of str to tuple of str
        The words of the run's lengths, by part; a part may be empty.
    lengths : tuple of int
        The shortest and the longest word of the parts.
    """

    word_list: WordList
    parts: dict[str, tuple[str, ...]]
    lengths: tuple[int, int]

    def part(self, name: str) -> tuple[str, ...]:
        """Return the words of a part that is needed.

        Raises
        ------
        InputError
            If there are none.
        """
        if not self.parts[name]:
            shortest, longest = self.lengths
            raise InputError(
                f"{self.word_list.source}: no {name} word of {shortest} to {longest} letters "
                f"among its {len(self.word_list):,} words"
            )
        return self.parts[name]

    def known_to(self, words: Sequence[str]) -> RunWords:
        """Return the parts for an agent that has learned ``words`` from play.

        ``train`` is these words; ``uncovered`` and ``missed`` are the list's train words that are
        among them, and that are not. The other parts lose the words that are among them.
        """
        learned = set(words)
        parts = {
            name: tuple(word for word in part if word not in learned)
            for name, part in self.parts.items()
        }
        missed = parts["train"]
        uncovered = tuple(word for word in self.parts["train"] if word in learned)
        return replace(
            self, parts=parts | {"train": tuple(words), "uncovered": uncovered, "missed": missed}
        )


def draw_words(words: Sequence[str], number: int, *seed: int) -> list[str]:
    """Return so many of the words, or all, by a hash of each: the same wherever the list grows."""
    return [words[index] for index in draw_indices(words, number, *seed)]


def draw_indices(words: Sequence[str], number: int, *seed: int) -> npt.NDArray[np.int64]:
    """Return which words :func:`draw_words` draws, in its order."""
    return np.argsort(keyed_bits(*seed, hash_words(words)))[:number]


def load_words(config: Config, source: str | Path | Sequence[str] | None = None) -> RunWords:
    """Return the words of a run.

    Parameters
    ----------
    config : Config
    source : str, Path or sequence of str, optional
        A word list, a file or its words; the run's if not given.

    Raises
    ------
    InputError
        If the list cannot be read.
    """
    return split_words(config, load_word_list(config.words if source is None else source))


def split_words(config: Config, word_list: WordList) -> RunWords:
    """Return the words of a run whose list is at hand."""
    shortest, longest = lengths = (config.env.min_length, config.env.max_length)
    parts = {
        name: tuple(word for word in words if shortest <= len(word) <= longest)
        for name, words in config.split.make().divide(word_list).items()
    }
    return RunWords(word_list, parts, lengths)
