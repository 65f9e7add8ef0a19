"""Letter frequencies in the words of a list that could be the hidden one, found with bit sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.word_sets import (
    ANYWHERE,
    WordArrays,
    WordSets,
    count_bits,
    fitting_set,
    lowest_bit,
    search_room,
    set_with,
    word_length,
    word_sets,
    write_numbers,
)
from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS
from envs.hangman.observation import Observation


class IndexTables(NamedTuple):
    """What compiled code reads of a :class:`CandidateIndex`."""

    words: WordSets
    #: shape (33, 32, 26): How often each letter stands at each place of the words of each length.
    place_counts: npt.NDArray[np.int64]
    #: shape (33, 26): How often each letter stands in the words of each length.
    letter_counts: npt.NDArray[np.int64]


class CandidateIndex:
    """The words of a list, by length, place and letter.

    Parameters
    ----------
    words : sequence of str
        Lower-case words of 1 to 32 letters a to z; duplicates count as often as they stand there.

    Attributes
    ----------
    letter_counts : ndarray of int64, shape (26,)
        How often each letter stands in the whole list.
    word_counts : ndarray of int64, shape (26,)
        How many words of the whole list have each letter.
    num_words : int
    tables : IndexTables
    """

    def __init__(self, words: Sequence[str]) -> None:
        arrays = WordArrays.of(words)
        arrays = arrays.take(np.argsort(arrays.lengths, kind="stable"))
        sets = word_sets(arrays)
        place_counts = np.zeros((MAX_LENGTH + 1, MAX_LENGTH, NUM_LETTERS), dtype=np.int64)
        _count_places(*arrays, place_counts)
        letter_counts = place_counts.sum(axis=1)
        self.num_words = len(words)
        self.letter_counts = letter_counts.sum(axis=0)
        self.word_counts = (sets.letters[:, None] >> np.arange(NUM_LETTERS) & 1).sum(axis=0)
        self.tables = IndexTables(sets, place_counts, letter_counts)

    def count(
        self,
        observations: Observation,
        exclude_wrong: bool = True,
        exclude_shown: bool = True,
        once_a_word: bool = True,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Count the letters of the candidates of each game.

        A candidate agrees with the places that are shown; the first two parameters ask for more.

        Parameters
        ----------
        observations : Observation
            Of N games.
        exclude_wrong : bool
            Leave out words that have a wrong letter.
        exclude_shown : bool
            Leave out words that have a shown letter behind a blank.
        once_a_word : bool
            Count the words that have a letter, rather than the places where it stands.

        Returns
        -------
        counts : ndarray of int64, shape (N, 26)
        num_candidates : ndarray of int64, shape (N,)
        """
        word, guessed = observations["word"], observations["guessed"]
        return _count(word, guessed, self.tables, exclude_wrong, exclude_shown, once_a_word)

    def count_by_place(
        self, observations: Observation, exclude_wrong: bool = True, exclude_shown: bool = True
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Count the letters of the candidates of each game behind each blank.

        Parameters are those of :meth:`count`.

        Returns
        -------
        counts : ndarray of int32, shape (N, width, 26)
            0 at places that are shown and after the end of the word.
        num_candidates : ndarray of int64, shape (N,)
        """
        word, guessed = observations["word"], observations["guessed"]
        return _count_by_place(word, guessed, self.tables, exclude_wrong, exclude_shown)


@njit(cache=True)
def _count_places(codes, lengths, place_counts):
    for row in range(len(codes)):
        for place in range(lengths[row]):
            place_counts[lengths[row], place, codes[row, place] - FIRST_LETTER] += 1


@njit(cache=True)
def count_words(words, numbers, places, offset, counts):
    """Add the letters that words have at ``offset + places`` to ``counts``, shape (26,)."""
    codes = words.codes
    for number in numbers:
        for place in places:
            counts[codes[number, offset + place] - FIRST_LETTER] += 1


@njit(cache=True)
def _count_bits(words, chosen, place, counts):
    """Add how many words of a set have each letter at a place, or anywhere, to ``counts``."""
    start, size = words.first_set[chosen.length], words.chunks[chosen.length]
    sets, bits, filled = words.sets, chosen.bits, chosen.filled
    for letter in range(NUM_LETTERS):
        first = set_with(start, size, place, letter)
        for chunk in filled:
            counts[letter] += count_bits(bits[chunk] & sets[first + chunk])


@njit(cache=True)
def _is_whole(words, chosen):
    """Return whether a set has all words of its length."""
    return chosen.size == words.first_word[chosen.length + 1] - words.first_word[chosen.length]


@njit(cache=True)
def count_letters(words, letter_counts, chosen, once_a_word, numbers, counts):
    """Add the letters of the words of a :class:`WordSet` to ``counts``, shape (26,).

    They are counts of bits, or, where few words are left, counts over their letters. ``numbers``
    of :class:`agents.word_sets.SearchRoom` is written to; ``letter_counts`` are of
    :class:`IndexTables`.
    """
    length = chosen.length
    if not once_a_word and _is_whole(words, chosen):
        counts += letter_counts[length]
        return
    sets_to_count = NUM_LETTERS if once_a_word else NUM_LETTERS * length
    if chosen.size * length >= sets_to_count * len(chosen.filled):
        if once_a_word:
            _count_bits(words, chosen, ANYWHERE, counts)
        else:
            for place in range(length):
                _count_bits(words, chosen, place, counts)
    elif once_a_word:
        for number in write_numbers(words, chosen, numbers):
            letters = np.uint64(words.letters[number])
            while letters:
                counts[lowest_bit(letters)] += 1
                letters &= letters - np.uint64(1)
    else:
        count_words(words, write_numbers(words, chosen, numbers), np.arange(length), 0, counts)


@njit(cache=True)
def _count(word, guessed, tables, exclude_wrong, exclude_shown, once_a_word):
    counts = np.zeros((len(word), NUM_LETTERS), dtype=np.int64)
    num_candidates = np.zeros(len(word), dtype=np.int64)
    words, _, letter_counts = tables
    room = search_room(words)
    for game in range(len(word)):
        masked = word[game, : word_length(word[game])]
        chosen = fitting_set(masked, guessed[game], words, exclude_wrong, exclude_shown, room)
        num_candidates[game] = chosen.size
        if chosen.size:
            count_letters(words, letter_counts, chosen, once_a_word, room.numbers, counts[game])
    return counts, num_candidates


@njit(cache=True)
def _count_by_place(word, guessed, tables, exclude_wrong, exclude_shown):
    words, place_counts, _ = tables
    num_games, width = word.shape
    counts = np.zeros((num_games, width, NUM_LETTERS), dtype=np.int32)
    num_candidates = np.zeros(num_games, dtype=np.int64)
    room = search_room(words)
    for game in range(num_games):
        masked = word[game, : word_length(word[game])]
        blanks = np.flatnonzero(masked == BLANK)
        chosen = fitting_set(masked, guessed[game], words, exclude_wrong, exclude_shown, room)
        num_candidates[game] = chosen.size
        if _is_whole(words, chosen):
            for place in blanks:
                counts[game, place] = place_counts[chosen.length, place]
        elif chosen.size < NUM_LETTERS * len(chosen.filled):
            numbers = write_numbers(words, chosen, room.numbers)
            for place in blanks:
                count_words(words, numbers, np.full(1, place), 0, counts[game, place])
        else:
            for place in blanks:
                _count_bits(words, chosen, place, counts[game, place])
    return counts, num_candidates
