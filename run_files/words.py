"""The words of a run: its word list and split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.counter_rng import keyed_bits
from hangman_lab.envs.errors import InputError
from hangman_lab.envs.words import WordList, hash_words, load_word_list
from hangman_lab.run_files.config import Config


@dataclass(frozen=True)
class RunWords:
    """A word list and its parts."""

    word_list: WordList
    parts: dict[str, tuple[str, ...]]  # the words of the allowed lengths; a part may be empty
    lengths: tuple[int, int]  # the minimal and the maximal length

    def part(self, name: str) -> tuple[str, ...]:
        """Return the words of a part; raise InputError if it is empty."""
        if not self.parts[name]:
            shortest, longest = self.lengths
            raise InputError(
                f"{self.word_list.source}: no {name} word of {shortest} to {longest} letters "
                f"among its {len(self.word_list):,} words"
            )
        return self.parts[name]

    def parts_or_whole(self) -> tuple[dict[str, tuple[str, ...]], str]:
        """Return the parts or, if one is empty, the whole list as each part; and a note of it."""
        if all(self.parts.values()):
            return self.parts, ""
        shortest, longest = self.lengths
        whole = tuple(word for word in self.word_list.words if shortest <= len(word) <= longest)
        return dict.fromkeys(self.parts, whole), ", too few to be split"

    def known_to(self, words: Sequence[str]) -> RunWords:
        """Return the parts for an agent that learned ``words`` from play.

        ``train`` is these words. ``uncovered``: the list's train words in ``words``; ``missed``:
        its other train words. The valid and test parts lose the words in ``words``.
        """
        learned = set(words)
        parts = {
            name: tuple(word for word in part if word not in learned)
            for name, part in self.parts.items()
        }
        uncovered = tuple(word for word in self.parts["train"] if word in learned)
        train = {"train": tuple(words), "uncovered": uncovered, "missed": parts["train"]}
        return replace(self, parts=parts | train)


def draw_words(words: Sequence[str], number: int, *seed: int) -> list[str]:
    """Return up to ``number`` words, chosen by hash, independently of the rest of the list."""
    return [words[int(index)] for index in draw_indices(words, number, *seed)]


def draw_indices(words: Sequence[str], number: int, *seed: int) -> npt.NDArray[np.int64]:
    """Return the indices of the words drawn by :func:`draw_words`."""
    return np.argsort(keyed_bits(*seed, hash_words(words)))[:number]


def load_words(config: Config, source: str | Path | Sequence[str] | None = None) -> RunWords:
    """Load the words of a run, optionally from another list, a file or its words."""
    return split_words(config, load_word_list(config.words if source is None else source))


def split_words(config: Config, word_list: WordList) -> RunWords:
    """Split a word list as a config says."""
    shortest, longest = lengths = (config.env.min_length, config.env.max_length)
    parts = {
        name: tuple(word for word in words if shortest <= len(word) <= longest)
        for name, words in config.split.make().divide(word_list).items()
    }
    return RunWords(word_list, parts, lengths)
