"""Guessing by shorter words, longer words and five-letter pieces of a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.base import ScoringAgent
from agents.candidates import CandidateIndex, count_letters
from agents.word_sets import filled_chunks, write_numbers
from envs.encoding import BLANK, FIRST_LETTER, NUM_LETTERS, PADDING, encode_words
from envs.errors import InputError
from envs.hangman.observation import Observation

PIECE_LENGTH = 5
_REACH = PIECE_LENGTH // 2
_SHORTEST_PIECE = 3  # A word of one letter between its boundaries.
_BOUNDARY = 0
_ANY = NUM_LETTERS + 1
_NUM_PIECE_CODES = NUM_LETTERS + 2


class DecompositionAgent(ScoringAgent):
    """Guesses the letter that is most frequent in shorter and longer words that fit.

    Each part collects words or pieces of words and counts their letters, each as often as it
    stands there. The letter is the most frequent one that has not been guessed. A part is stuck
    when it has no such letter, and then the next part guesses.

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
        Leave out longer words that have a wrong letter, too.
    same_length : bool, default True
        Count words of the word's own length among the longer ones.
    exact_elements : bool, default True
        Whether a letter of a shorter word that has not been guessed must lie on a blank. Without
        it, it may lie on a shown letter too.

    Raises
    ------
    InputError
        If a share is outside 0 to 1.

    Notes
    -----
    Readings of the source where its text leaves a choice:

    - It deletes words with wrong letters in its strategy for shorter words alone, so
      ``exclude_wrong`` is False.
    - Its words "longer than WORD" would leave out those of the same length, though its first part
      is to "strictly match" words; ``same_length`` counts them with the longer ones.
    - A shorter word is kept if the word "contains the pattern same as the masked word (using
      search function)". The same pattern has blanks where the word has blanks; a search by
      regular expression would let them agree with shown letters too (``exact_elements`` False).
      The first reading comes close to the win rates that the source gives, the second does not.
    - Longer words and pieces are matched by regular expressions, where a blank agrees with any
      letter, guessed or not. A piece does not go across a boundary of words.
    - All matching pieces count, overlapping ones too, where Python's ``findall`` skips some.
    - It keeps its dictionary from turn to turn, so that pieces would come from words that fitted
      by head or tail before. Here each turn begins with the whole list.
    - Its diagram of how the parts follow each other is lost; "stuck" is as said above.

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
        self.shorter_share = shorter_share
        self.whole_share = whole_share
        self.use_pieces = use_pieces
        self.exclude_wrong = exclude_wrong
        self.same_length = same_length
        self.exact_elements = exact_elements

    def fit(self, words: Sequence[str]) -> Self:
        """Index the words and their pieces of three to five places."""
        self.index_ = CandidateIndex(words)
        self.pieces_ = (
            [count_pieces(words, length) for length in range(_SHORTEST_PIECE, PIECE_LENGTH + 1)]
            if self.use_pieces
            else [np.zeros(0, dtype=np.int32)] * (PIECE_LENGTH + 1 - _SHORTEST_PIECE)
        )
        return self

    def letter_scores(self, observations: Observation) -> npt.NDArray[np.float64]:
        """Return the counts of the first part that is not stuck, shape (N, 26)."""
        guessed = observations["guessed"] != 0
        counts, undecided = self.word_counts(observations), np.zeros(len(guessed), dtype=np.bool_)
        counts[guessed] = 0
        undecided = ~counts.any(axis=1)
        if self.use_pieces and undecided.any():
            counts[undecided] = _count_in_pieces(observations["word"][undecided], *self.pieces_)
            counts[guessed] = 0
            undecided = ~counts.any(axis=1)
        counts[undecided] = self.index_.letter_counts
        return counts.astype(np.float64)

    def word_counts(self, observations: Observation) -> npt.NDArray[np.int64]:
        """Return the letters' counts of part 1, shape (N, 26)."""
        index = self.index_
        return _count_in_words(
            observations["word"],
            observations["guessed"],
            index.tables.words,
            index.tables.place_counts.sum(axis=1),
            self.shorter_share,
            self.whole_share,
            self.exclude_wrong,
            self.same_length,
            self.exact_elements,
        )


def count_pieces(words: Sequence[str], length: int) -> npt.NDArray[np.int32]:
    """Count the pieces of words that agree with each pattern of some places.

    Parameters
    ----------
    words : sequence of str
    length : int
        Places of a piece; the boundaries before and after a word are places.

    Returns
    -------
    ndarray of int32, shape (28**length,)
        The counts by pattern, read as a number in base 28: 0 is a boundary, ``1 + k`` letter
        ``k``, 27 any letter.
    """
    encoded = encode_words(words)
    padded = np.zeros((len(words), encoded.width + 2), dtype=np.int64)
    padded[:, 1:-1] = np.where(encoded.codes == PADDING, 0, encoded.codes - (FIRST_LETTER - 1))
    pieces = np.zeros((len(words), max(encoded.width + 3 - length, 0)), dtype=np.int64)
    for place in range(length):
        pieces = pieces * _NUM_PIECE_CODES + padded[:, place : place + pieces.shape[1]]
    starts = np.arange(pieces.shape[1])
    pieces = pieces[starts + length <= encoded.lengths[:, None] + 2]
    counts = np.bincount(pieces, minlength=_NUM_PIECE_CODES**length).astype(np.int32)
    counts = counts.reshape((_NUM_PIECE_CODES,) * length)
    for place in range(length):
        by_place = np.moveaxis(counts, place, 0)
        by_place[_ANY] = by_place[1:_ANY].sum(axis=0)
    return counts.ravel()


@njit(cache=True)
def _count_in_words(
    word,
    guessed,
    words,
    letter_counts,
    shorter_share,
    whole_share,
    exclude_wrong,
    same_length,
    exact_elements,
):
    num_games, width = word.shape
    sets, first_set, chunks = words.sets, words.first_set, words.chunks
    counts = np.zeros((num_games, NUM_LETTERS), dtype=np.int64)
    most = max(1, chunks.max())
    allowed = np.empty(most, dtype=np.uint64)
    found = np.empty(most, dtype=np.uint64)
    fitting = np.empty(most, dtype=np.uint64)
    where = np.empty(most, dtype=np.int64)
    shown_at = np.empty((len(chunks), most), dtype=np.uint64)
    is_shown = np.empty(NUM_LETTERS, dtype=np.bool_)
    for game in range(num_games):
        row = word[game]
        length = 0
        num_shown = 0
        is_shown[:] = False
        while length < width and row[length] != PADDING:
            if row[length] != BLANK:
                is_shown[row[length] - FIRST_LETTER] = True
                num_shown += 1
            length += 1
        for other in range(1, len(chunks)):
            if chunks[other] == 0 or other <= shorter_share * length:
                continue
            if other == length and not same_length:
                continue
            size = chunks[other]
            start = first_set[other]
            have = start + size
            have_at = have + NUM_LETTERS * size
            allowed[:size] = sets[start : start + size]
            if other < length or exclude_wrong:
                for letter in range(NUM_LETTERS):
                    if guessed[game, letter] and not is_shown[letter]:
                        base = have + letter * size
                        for chunk in range(size):
                            allowed[chunk] &= ~sets[base + chunk]
            if other < length:
                # At each place of the shorter words: those that have a shown letter there.
                for place in range(other):
                    shown_at[place, :size] = np.uint64(0)
                    for letter in range(NUM_LETTERS):
                        if is_shown[letter]:
                            base = have_at + (place * NUM_LETTERS + letter) * size
                            for chunk in range(size):
                                shown_at[place, chunk] |= sets[base + chunk]
                found[:size] = np.uint64(0)
                for offset in range(length - other + 1):
                    fitting[:size] = allowed[:size]
                    for place in range(other):
                        code = row[offset + place]
                        if code == BLANK:
                            for chunk in range(size):
                                fitting[chunk] &= ~shown_at[place, chunk]
                        else:
                            base = have_at + (place * NUM_LETTERS + code - FIRST_LETTER) * size
                            for chunk in range(size):
                                loose = np.uint64(0) if exact_elements else ~shown_at[place, chunk]
                                fitting[chunk] &= loose | sets[base + chunk]
                    for chunk in range(size):
                        found[chunk] |= fitting[chunk]
            elif num_shown < whole_share * length:
                if num_shown == 0 and not exclude_wrong:
                    counts[game] += letter_counts[other]
                    continue
                found[:size] = np.uint64(0)
                for offset in (0, other - length):
                    _agreeing(row, length, offset, sets, have_at, size, allowed, fitting)
                    for chunk in range(size):
                        found[chunk] |= fitting[chunk]
            else:
                for offset in range(other - length + 1):
                    _agreeing(row, length, offset, sets, have_at, size, allowed, fitting)
                    num_found, filled = filled_chunks(fitting[:size], where)
                    numbers = np.empty(num_found, dtype=np.int64)
                    write_numbers(fitting, where[:filled], words.first_word[other], numbers)
                    # The letters behind the blanks of the pieces that begin at the offset.
                    for number in numbers:
                        for place in range(length):
                            if row[place] == BLANK:
                                letter = words.codes[number, offset + place] - FIRST_LETTER
                                counts[game, letter] += 1
                continue
            num_found, filled = filled_chunks(found[:size], where)
            if num_found == words.first_word[other + 1] - words.first_word[other]:
                counts[game] += letter_counts[other]
            elif num_found:
                count_letters(found, where[:filled], num_found, other, words, False, counts[game])
    return counts


@njit(cache=True)
def _agreeing(row, length, offset, sets, have_at, size, allowed, fitting):
    """Write the words that agree with the shown places, from ``offset`` on, to ``fitting``."""
    fitting[:size] = allowed[:size]
    for place in range(length):
        if row[place] != BLANK:
            base = have_at + ((offset + place) * NUM_LETTERS + row[place] - FIRST_LETTER) * size
            for chunk in range(size):
                fitting[chunk] &= sets[base + chunk]


@njit(cache=True)
def _count_in_pieces(word, pieces_3, pieces_4, pieces_5):
    num_games, width = word.shape
    counts = np.zeros((num_games, NUM_LETTERS), dtype=np.int64)
    padded = np.empty(width + 2, dtype=np.int64)
    for game in range(num_games):
        padded[0] = _BOUNDARY
        length = 0
        while length < width and word[game, length] != PADDING:
            code = word[game, length]
            padded[length + 1] = _ANY if code == BLANK else code - FIRST_LETTER + 1
            length += 1
        padded[length + 1] = _BOUNDARY
        for blank in range(1, length + 1):
            if padded[blank] != _ANY:
                continue
            start = max(blank - _REACH, 0)
            stop = min(start + PIECE_LENGTH, length + 2)
            pattern = 0
            for place in range(start, stop):
                pattern = pattern * _NUM_PIECE_CODES + padded[place]
            step = 1
            for place in range(stop - 1, start - 1, -1):
                if padded[place] == _ANY:
                    for letter in range(NUM_LETTERS):
                        entry = pattern + (letter + 1 - _ANY) * step
                        if stop - start == PIECE_LENGTH:
                            counts[game, letter] += pieces_5[entry]
                        elif stop - start == PIECE_LENGTH - 1:
                            counts[game, letter] += pieces_4[entry]
                        else:
                            counts[game, letter] += pieces_3[entry]
                step *= _NUM_PIECE_CODES
    return counts
