"""Guessing by shorter words, longer words and five-letter pieces of a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.base import ScoringAgent
from agents.candidates import CandidateIndex, count_letters, count_words
from agents.word_sets import (
    ANYWHERE,
    as_set,
    include,
    keep,
    leave_out,
    load,
    number_runs,
    search_room,
    set_with,
    word_length,
    write_numbers,
)
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, PADDING, encode_words
from envs.errors import InputError
from envs.hangman.observation import Observation

PIECE_LENGTH = 5
_REACH = PIECE_LENGTH // 2
_SHORTEST_PIECE = 3  # A word of one letter between its boundaries.
_BOUNDARY = 0
_ANY = NUM_LETTERS + 1
_NUM_PIECE_CODES = NUM_LETTERS + 2


class _Reading(NamedTuple):
    """The parameters of part 1, as of :class:`DecompositionAgent`."""

    shorter_share: float
    whole_share: float
    exclude_wrong: bool
    same_length: bool
    exact_elements: bool


class DecompositionAgent(ScoringAgent):
    """Guesses the letter that is most frequent in shorter and longer words that fit.

    Each part collects words or pieces of words and counts their letters, each as often as it
    stands there. A part is stuck when it has no letter that has not been guessed; then the next
    part guesses.

    Part 1 adds up two strategies. A shorter word (longer than ``shorter_share`` of the word's
    length) is an element, and counts in full, if it has no wrong letter and can be laid over the
    word so that each of its letters that has been guessed lies on the same letter and each other
    letter on a blank. Of words that are as long or longer, those whose beginning or end agrees
    with the shown places count in full as long as less than ``whole_share`` of the places is
    shown; afterwards each piece of such a word that agrees counts instead, wherever it stands.

    Part 2 cuts a window of five places around each blank out of the word with its two boundaries
    added, and counts the pieces of the list's words, boundaries added too, that agree with the
    letters and boundaries of a window. Windows start two places before the blank, or at the
    boundary; at the end of the word they are shorter, as in the source's example.

    Part 3 counts the letters of the whole list.

    Parameters
    ----------
    shorter_share : float, default 0.58
    whole_share : float, default 0.3
    use_pieces : bool, default True
        Play part 2.
    exclude_wrong : bool, default False
        Leave out longer words that have a wrong letter; the source does so in its strategy for
        shorter words alone.
    same_length : bool, default True
        Count words of the word's own length among the longer ones. The source's "longer than
        WORD" would leave them out, though its first part is to "strictly match" words.
    exact_elements : bool, default True
        Whether a letter of a shorter word that has not been guessed must lie on a blank, as the
        source's "pattern same as the masked word" has it. Its "search function", a regular
        expression, would let it lie on a shown letter too, which comes nowhere near its win rates.

    Raises
    ------
    InputError
        If a share is outside 0 to 1.

    Notes
    -----
    Other readings of the source: longer words and pieces are matched by regular expressions, where
    a blank agrees with any letter, guessed or not; a piece does not go across a boundary of words.
    All matching pieces count, overlapping ones too, where Python's ``findall`` skips some. It keeps
    its dictionary from turn to turn, so that pieces would come from words that fitted by head or
    tail before; here each turn begins with the whole list. Its diagram of how the parts follow
    each other is lost.

    References
    ----------
    Zhen Wang, "An Algorithm of Hangman Game": the 0.58, the 30%, and the four
    adjoining letters of part 2.
    """

    uses_lives = False

    def __init__(
        self,
        shorter_share: float = 0.58,
        whole_share: float = 0.3,
        use_pieces: bool = True,
        exclude_wrong: bool = False,
        same_length: bool = True,
        exact_elements: bool = True,
    ) -> None:
        super().__init__(greedy=True)
        for name, share in (("shorter_share", shorter_share), ("whole_share", whole_share)):
            if not 0 <= share <= 1:
                raise InputError(f"{name}: {share} is not in 0..1")
        self.use_pieces = use_pieces
        self._reading = _Reading(
            shorter_share, whole_share, exclude_wrong, same_length, exact_elements
        )

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words and their pieces of three to five places."""
        self.index_ = CandidateIndex(words)
        if self.use_pieces:
            lengths = range(_SHORTEST_PIECE, PIECE_LENGTH + 1)
            self.pieces_ = tuple(count_pieces(words, length) for length in lengths)
        return self

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the counts of the first part that is not stuck, shape (N, 26)."""
        guessed = observations["guessed"] != 0
        counts = self.word_counts(observations)
        counts[guessed] = 0
        stuck = ~counts.any(axis=1)
        if self.use_pieces and stuck.any():
            counts[stuck] = _count_in_pieces(observations["word"][stuck], self.pieces_)
            counts[guessed] = 0
            stuck = ~counts.any(axis=1)
        counts[stuck] = self.index_.letter_counts
        return counts.astype(np.float64)

    def word_counts(self, observations: Observation) -> npt.NDArray[np.int64]:
        """Return the letters' counts of part 1, shape (N, 26)."""
        word, guessed = observations["word"], observations["guessed"]
        return _count_in_words(word, guessed, self.index_.tables, self._reading)


def count_pieces(words: Sequence[str], length: int) -> npt.NDArray[np.int32]:
    """Count the pieces of words, boundaries included, that agree with each pattern of places.

    Returns
    -------
    ndarray of int32, shape (28**length,)
        The counts by pattern, read as a number in base 28: 0 is a boundary, ``1 + k`` letter
        ``k``, 27 any letter.
    """
    encoded = encode_words(words)
    padded = np.zeros((len(words), encoded.width + 2), dtype=np.int64)
    padded[:, 1:-1] = np.where(encoded.codes == PADDING, 0, encoded.codes - (FIRST_LETTER - 1))
    pieces = number_runs(padded, encoded.lengths + 2, length, _NUM_PIECE_CODES)
    counts = np.bincount(pieces, minlength=_NUM_PIECE_CODES**length).astype(np.int32)
    counts = counts.reshape((_NUM_PIECE_CODES,) * length)
    for place in range(length):
        by_place = np.moveaxis(counts, place, 0)
        by_place[_ANY] = by_place[1:_ANY].sum(axis=0)
    return counts.ravel()


class _Games(NamedTuple):
    """What is known of N games."""

    word: npt.NDArray[np.uint8]  #: shape (N, width): As it is observed.
    lengths: npt.NDArray[np.int64]  #: shape (N,)
    num_shown: npt.NDArray[np.int64]  #: shape (N,): Places.
    is_shown: npt.NDArray[np.bool_]  #: shape (N, 26): The guessed letters that are in the word.
    is_wrong: npt.NDArray[np.bool_]  #: shape (N, 26): Those that are not.


@njit(cache=True)
def _count_in_words(word, guessed, tables, reading):
    """Return the letters' counts of part 1, shape (N, 26)."""
    lengths = np.empty(len(word), dtype=np.int64)
    num_shown = np.zeros(len(word), dtype=np.int64)
    is_shown = np.zeros(guessed.shape, dtype=np.bool_)
    for game in range(len(word)):
        lengths[game] = word_length(word[game])
        for code in word[game, : lengths[game]]:
            if code != BLANK:
                num_shown[game] += 1
                is_shown[game, code - FIRST_LETTER] = True
    games = _Games(word, lengths, num_shown, is_shown, (guessed != 0) & ~is_shown)
    counts = np.zeros(guessed.shape, dtype=np.int64)
    for length in range(1, len(tables.words.chunks)):
        if tables.words.chunks[length] > 0:
            _count_shorter(games, length, tables, reading, counts)
            _count_longer(games, length, tables, reading, counts)
    return counts


@njit(cache=True)
def _leave_out_wrong(allowed, sets, start, is_wrong):
    """Take the words that have a wrong letter out of a set of words of one length."""
    for letter in range(NUM_LETTERS):
        if is_wrong[letter]:
            leave_out(allowed, sets, set_with(start, len(allowed), ANYWHERE, letter))


@njit(cache=True)
def _count_shorter(games, length, tables, reading, counts):
    """Count the letters of the elements of one length: words that can be laid over longer ones."""
    word, lengths, _, is_shown, is_wrong = games
    words, _, letter_counts = tables
    sets, start, size = words.sets, words.first_set[length], words.chunks[length]
    room = search_room(words)
    elements = room.bits[:size]
    allowed, fitting = np.empty_like(elements), np.empty_like(elements)
    # At each place of the shorter words: those that have a shown letter there.
    with_shown = np.empty(length * size, dtype=np.uint64)
    for game in range(len(word)):
        if not reading.shorter_share * lengths[game] < length < lengths[game]:
            continue
        load(allowed, sets, start)
        _leave_out_wrong(allowed, sets, start, is_wrong[game])
        with_shown[:] = np.uint64(0)
        for place in range(length):
            here = with_shown[place * size : (place + 1) * size]
            for letter in range(NUM_LETTERS):
                if is_shown[game, letter]:
                    include(here, sets, set_with(start, size, place, letter))
        elements[:] = np.uint64(0)
        for offset in range(lengths[game] - length + 1):
            load(fitting, allowed, 0)
            for place in range(length):
                code, shown_here = word[game, offset + place], place * size
                if code == BLANK:
                    leave_out(fitting, with_shown, shown_here)
                    continue
                agreeing = set_with(start, size, place, code - FIRST_LETTER)
                if reading.exact_elements:
                    keep(fitting, sets, agreeing)
                else:
                    for chunk in range(size):
                        without_shown = ~with_shown[shown_here + chunk]
                        fitting[chunk] &= without_shown | sets[agreeing + chunk]
            include(elements, fitting, 0)
        chosen = as_set(length, elements, room.filled)
        count_letters(words, letter_counts, chosen, False, room.numbers, counts[game])


@njit(cache=True)
def _count_longer(games, length, tables, reading, counts):
    """Count the letters of the words of one length that fit by head or tail, or of their pieces."""
    word, lengths, num_shown, _, is_wrong = games
    words, _, letter_counts = tables
    sets, start, size = words.sets, words.first_set[length], words.chunks[length]
    room = search_room(words)
    by_ends = room.bits[:size]
    allowed, fitting = np.empty_like(by_ends), np.empty_like(by_ends)
    for game in range(len(word)):
        own_length, last_offset = lengths[game], length - lengths[game]
        if (
            last_offset < 0
            or (last_offset == 0 and not reading.same_length)
            or length <= reading.shorter_share * own_length
        ):
            continue
        masked = word[game, :own_length]
        load(allowed, sets, start)
        if reading.exclude_wrong:
            _leave_out_wrong(allowed, sets, start, is_wrong[game])
        if num_shown[game] >= reading.whole_share * own_length:
            blanks = np.flatnonzero(masked == BLANK)
            for offset in range(last_offset + 1):
                load(fitting, allowed, 0)
                _keep_agreeing(masked, offset, sets, start, fitting)
                pieces = as_set(length, fitting, room.filled)
                numbers = write_numbers(words, pieces, room.numbers)
                count_words(words, numbers, blanks, offset, counts[game])
            continue
        by_ends[:] = np.uint64(0)
        for offset in (0, last_offset):
            load(fitting, allowed, 0)
            _keep_agreeing(masked, offset, sets, start, fitting)
            include(by_ends, fitting, 0)
        chosen = as_set(length, by_ends, room.filled)
        count_letters(words, letter_counts, chosen, False, room.numbers, counts[game])


@njit(cache=True)
def _keep_agreeing(masked, offset, sets, start, fitting):
    """Leave the words of a set that agree with the shown places from ``offset`` on."""
    for place in range(len(masked)):
        if masked[place] != BLANK:
            letter = masked[place] - FIRST_LETTER
            keep(fitting, sets, set_with(start, len(fitting), offset + place, letter))


@njit(cache=True)
def _count_in_pieces(word, pieces):
    """Return the letters' counts of part 2, shape (N, 26)."""
    counts = np.zeros((len(word), NUM_LETTERS), dtype=np.int64)
    for game in range(len(word)):
        length = word_length(word[game])
        marked = np.full(length + 2, _BOUNDARY)
        for place in range(length):
            code = word[game, place]
            marked[place + 1] = _ANY if code == BLANK else code - FIRST_LETTER + 1
        for blank in np.flatnonzero(marked == _ANY):
            start = max(blank - _REACH, 0)
            window = marked[start : start + PIECE_LENGTH]
            _count_in_window(window, pieces[len(window) - _SHORTEST_PIECE], counts[game])
    return counts


@njit(cache=True)
def _count_in_window(window, pieces, counts):
    """Add the letters that pieces have at the blanks of a window."""
    pattern = 0
    for code in window:
        pattern = pattern * _NUM_PIECE_CODES + code
    step = 1
    for place in range(len(window) - 1, -1, -1):
        if window[place] == _ANY:
            for letter in range(NUM_LETTERS):
                counts[letter] += pieces[pattern + (letter + 1 - _ANY) * step]
        step *= _NUM_PIECE_CODES
