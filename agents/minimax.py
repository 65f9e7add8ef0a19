"""A guesser for the worst case, for hosts that choose or change the word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Agent
from hangman_lab.agents.certainty import (
    WIN,
    certain_win,
    group_families,
    search_buffers,
    search_words,
)
from hangman_lab.agents.dictionary import DictionaryAgent
from hangman_lab.envs.compiled import in_threads, njit, open_word
from hangman_lab.envs.encoding import NUM_LETTERS
from hangman_lab.envs.hangman.observation import Observation, distinct
from hangman_lab.envs.word_sets import fitting_words, search_room

_TABLE_SIZE = 2**12
_NONE = -1


class MinimaxAgent(Agent):
    """Guesses a letter that wins whatever the host does, or the one with the smallest worst family.

    If no letter wins for certain with the lives left, the one that does with the fewest more lives
    is guessed: the host may not be the worst. The search has a limit. A family is the set of the
    listed words that match after one of the host's answers. Ties go to the letter that more
    matching words contain, then to the first in the alphabet. If no listed word matches, it guesses
    as :class:`DictionaryAgent`.

    Parameters
    ----------
    effort : int, default 300_000
        The limit of the search, in words looked at; see :func:`agents.certainty.certain_win`.

    References
    ----------
    The choice by the worst family is that of D. E. Knuth, "The computer as Master Mind", Journal of
    Recreational Mathematics 9 (1976).
    """

    def __init__(self, effort: int = 300_000) -> None:
        self.effort = effort

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words; duplicates have no effect."""
        self.dictionary_ = DictionaryAgent().fit(sorted(set(words)))
        self.search_words_ = search_words(self.dictionary_.index_.words.codes)
        return self

    def act_batch(
        self, observations: Observation, keys: npt.NDArray[np.uint64] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return a letter for each of N games; see :meth:`Agent.act`."""
        states, row_of_game = distinct(observations, observations["lives"])
        letters = np.full(len(states["lives"]), _NONE)
        arrays = states["word"], states["guessed"], states["lives"]
        index = self.dictionary_.index_.words
        in_threads(_guess, arrays, index, self.search_words_, self.effort, letters)
        letters = letters[row_of_game]
        return np.where(letters == _NONE, self.dictionary_.act_batch(observations), letters)


@njit(cache=True, nogil=True)
def _guess(thread, num_threads, states, index, words, effort, result):
    """Write the letter of each state to ``result``, unless no word matches."""
    word, guessed, lives = states
    room, buffers = search_room(index), search_buffers(words, _TABLE_SIZE)
    for game in range(thread, len(word), num_threads):
        masked = open_word(word[game], guessed[game])
        if len(masked) == 0:
            continue
        rows = fitting_words(masked, guessed[game], index, True, True, room)
        if len(rows) == 0:
            continue
        result[game] = _smallest_worst_family(rows, guessed[game], words)
        if len(rows) > lives[game]:
            buffers.known[:] = 0
            buffers.progress[0] = effort
            for spare in range(lives[game] - 1, min(NUM_LETTERS, len(rows) - 1)):
                if certain_win(rows, spare, words, buffers) == WIN:
                    result[game] = buffers.progress[1]
                    break


@njit(cache=True)
def _smallest_worst_family(rows, guessed, words):
    """Return the letter after which the host can leave the fewest words."""
    counts = (words.places[rows] > 0).sum(axis=0)
    best, smallest = 0, len(rows) + 1
    for letter in np.argsort(-counts, kind="mergesort"):
        if guessed[letter]:
            continue
        worst = np.diff(group_families(rows, words.places[rows, letter])).max()
        if worst < smallest:
            best, smallest = letter, worst
    return best
