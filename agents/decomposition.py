"""A guesser by the shorter words, longer words and five-letter pieces of a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from hangman_lab.agents.base import Agent
from hangman_lab.agents.dictionary import back_off
from hangman_lab.agents.sequences import encode_runs
from hangman_lab.envs.bits import word_length
from hangman_lab.envs.encoding import (
    BLANK,
    FIRST_LETTER,
    MAX_LENGTH,
    NUM_LETTERS,
    PADDING,
    EncodedWords,
    as_words,
    encode_words,
)
from hangman_lab.envs.hangman.observation import Observations, select
from hangman_lab.envs.numba_cache import njit
from hangman_lab.envs.word_sets import index_words, matching_set, rows_of

# Constants of the source: the minimal relative length of a shorter word, and the share of shown
# places up to which longer words count as a whole.
_SHORTER_SHARE = 0.58
_WHOLE_SHARE = 0.3
_PIECE_LENGTH = 5
_REACH = _PIECE_LENGTH // 2
_SHORTEST_PIECE = 3  # A word of one letter between its boundaries.
_BOUNDARY = 0
_ANY = NUM_LETTERS + 1
_NUM_PIECE_CODES = NUM_LETTERS + 2


class DecompositionAgent(Agent):
    """Guesses the most frequent letter of shorter and longer words that match.

    Three parts count the letters of words or pieces of words. If a part has no unguessed letter,
    the next part guesses.

    Part 1 adds the counts of two kinds of words. Shorter words (longer than 0.58 of the word)
    count if they have no wrong letter and, at some offset, each guessed letter of theirs is on the
    same letter and each unguessed letter is on a blank. Words of the same length or longer count
    as a whole if their beginning or end matches, while less than 0.3 of the places is shown; later
    only the matching pieces of them count, at every offset.

    Part 2 cuts a window of five places around each blank out of the word, including its two
    boundaries, and counts the matching pieces of the listed words. A window starts two places
    before the blank, or at the boundary; at the end of the word it is shorter.

    Part 3 counts the letters of the whole list.

    Where the source is open: a blank of a longer word or piece matches any letter, guessed or not;
    overlapping pieces all count; every turn starts with the whole list.

    References
    ----------
    Zhen Wang, "An Algorithm of Hangman Game": the 0.58, the 30%, and the four
    adjoining letters of part 2.
    """

    uses_lives = False

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words and their pieces of three to five places."""
        self.index_ = index_words(words := as_words("words", words))
        self.letter_counts_ = self.index_.letter_counts()
        encoded = encode_words(words)
        lengths = range(_SHORTEST_PIECE, _PIECE_LENGTH + 1)
        self.pieces_ = tuple(_count_pieces(encoded, length) for length in lengths)
        return self

    def letter_scores(self, observations: Observations) -> npt.NDArray[np.float64]:
        """Return the counts of the first part with an unguessed letter, shape (N, 26)."""
        counts = _count_in_words(observations["word"], observations["guessed"], self.index_)
        scores = back_off(observations, counts)
        undecided = ~scores.any(axis=1)
        states = select(observations, undecided)
        in_pieces = _count_in_pieces(states["word"], self.pieces_)
        scores[undecided] = back_off(states, in_pieces, self.letter_counts_)
        return scores


def _count_pieces(words: EncodedWords, length: int) -> npt.NDArray[np.int32]:
    """Count the pieces of words, boundaries included, that match each pattern.

    The index of a pattern is a number in base 28, a digit per place: 0 for a boundary, ``1 + k``
    for letter ``k``, 27 for any letter.
    """
    padded = np.zeros((len(words), words.width + 2), dtype=np.int64)
    padded[:, 1:-1] = np.where(words.codes == PADDING, 0, words.codes - (FIRST_LETTER - 1))
    pieces = encode_runs(padded, words.lengths + 2, length, _NUM_PIECE_CODES)
    counts = np.bincount(pieces, minlength=_NUM_PIECE_CODES**length).astype(np.int32)
    counts = counts.reshape((_NUM_PIECE_CODES,) * length)
    for place in range(length):
        by_place = np.moveaxis(counts, place, 0)
        by_place[_ANY] = by_place[1:_ANY].sum(axis=0)
    return counts.ravel()


@njit
def _count_in_words(word, guessed, words):
    """Return the letter counts of part 1, shape (N, 26)."""
    counts = np.zeros(guessed.shape, dtype=np.int64)
    for game in range(len(word)):
        masked = word[game, : word_length(word[game])]
        for length in range(1, MAX_LENGTH + 1):
            if words.chunks[length] > 0 and length > _SHORTER_SHARE * len(masked):
                _count_at_length(masked, guessed[game], length, words, counts[game])
    return counts


@njit
def _count_at_length(masked, guessed, length, words, counts):
    """Count the letters of the words of one length, or of their pieces."""
    longer_by = length - len(masked)
    is_shorter = longer_by < 0
    num_shown = (masked != BLANK).sum()
    by_pieces = not is_shorter and num_shown >= _WHOLE_SHARE * len(masked)
    # Words that count as a whole match at their head or at their tail.
    step = longer_by if longer_by > 0 and not by_pieces else 1
    union = np.zeros(words.chunks[length], dtype=np.uint64)
    for offset in range(0, abs(longer_by) + 1, step):
        pattern = np.full(length, BLANK, dtype=np.uint8)
        if is_shorter:
            pattern[:] = masked[offset : offset + length]
        else:
            pattern[offset : offset + len(masked)] = masked
        fitting = matching_set(pattern, guessed, words, is_shorter, is_shorter)
        if by_pieces:
            blanks = offset + np.flatnonzero(masked == BLANK)
            _count_letters(words, rows_of(fitting, length, words), blanks, counts)
        else:
            union |= fitting
    if not by_pieces:
        _count_letters(words, rows_of(union, length, words), np.arange(length), counts)


@njit
def _count_letters(words, rows, places, counts):
    """Add the letters of words at some places to ``counts``, shape (26,)."""
    for row in rows:
        for place in places:
            counts[words.codes[row, place] - FIRST_LETTER] += 1


@njit
def _count_in_pieces(word, pieces):
    """Return the letter counts of part 2, shape (N, 26)."""
    counts = np.zeros((len(word), NUM_LETTERS), dtype=np.int64)
    for game in range(len(word)):
        masked = word[game, : word_length(word[game])]
        marked = np.full(len(masked) + 2, _BOUNDARY)
        marked[1:-1] = np.where(masked == BLANK, _ANY, masked - (FIRST_LETTER - 1))
        for blank in np.flatnonzero(marked == _ANY):
            start = max(blank - _REACH, 0)
            window = marked[start : start + _PIECE_LENGTH]
            units = _NUM_PIECE_CODES ** np.arange(len(window) - 1, -1, -1)
            pattern = (window * units).sum()
            for unit in units[window == _ANY]:
                # The digits 1 to 26, of letters, in place of the 27 of this blank.
                first = pattern - NUM_LETTERS * unit
                counts[game] += pieces[len(window) - _SHORTEST_PIECE][first:pattern:unit]
    return counts
