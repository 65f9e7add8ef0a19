"""Words of a list that could be the hidden one, found with bit sets.

For each length, place and letter one bit a word says whether the word has the letter there. The
candidates of a game are then a few ANDs of such sets. Letter frequencies are counts of bits, or,
where few candidates are left, counts over the candidates' letters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numba import njit

from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS, PADDING, encode_words
from envs.hangman.observation import Observation

BITS = 64


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
    group_sizes : ndarray of int64, shape (33,)
        How many words have each length.
    place_counts : ndarray of int64, shape (33, 32, 26)
        How often each letter stands at each place of the words of each length.
    codes : ndarray of uint8
        The words' codes, length by length; those of a length begin at its ``first_code``.
    sets : ndarray of uint64
        The bit sets, length by length. Those of a length begin at its ``first_set`` and have
        ``chunks`` entries each: all words, the words that have each letter, and the words that
        have each letter at each place.
    """

    def __init__(self, words: Sequence[str]) -> None:
        by_length: list[list[str]] = [[] for _ in range(MAX_LENGTH + 1)]
        for word in words:
            by_length[len(word)].append(word)
        self.num_words = len(words)
        self.letter_counts = np.zeros(NUM_LETTERS, dtype=np.int64)
        self.word_counts = np.zeros(NUM_LETTERS, dtype=np.int64)
        sets: list[npt.NDArray[np.uint64]] = []
        codes: list[npt.NDArray[np.uint8]] = []
        self.first_set = np.zeros(MAX_LENGTH + 1, dtype=np.int64)
        self.chunks = np.zeros(MAX_LENGTH + 1, dtype=np.int64)
        self.first_code = np.zeros(MAX_LENGTH + 1, dtype=np.int64)
        self.place_counts = np.zeros((MAX_LENGTH + 1, MAX_LENGTH, NUM_LETTERS), dtype=np.int64)
        self.group_sizes = np.array([len(group) for group in by_length], dtype=np.int64)
        position = 0
        code_position = 0
        for length, group in enumerate(by_length):
            self.first_set[length] = position
            self.first_code[length] = code_position
            if not group:
                continue
            encoded = encode_words(group)
            self.letter_counts += encoded.letter_counts.sum(axis=0, dtype=np.int64)
            self.word_counts += (encoded.letter_counts > 0).sum(axis=0)
            letters = np.arange(FIRST_LETTER, FIRST_LETTER + NUM_LETTERS)
            for place in range(length):
                is_letter = encoded.codes[:, place, None] == letters
                self.place_counts[length, place] = is_letter.sum(axis=0)
            block = _bit_sets(encoded.codes, encoded.letter_counts)
            self.chunks[length] = block.shape[1]
            sets.append(block.ravel())
            position += block.size
            codes.append(encoded.codes.ravel())
            code_position += encoded.codes.size
        self.sets = np.concatenate(sets) if sets else np.zeros(0, dtype=np.uint64)
        self.codes = np.concatenate(codes) if codes else np.zeros(0, dtype=np.uint8)

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
        return _count(
            observations["word"],
            observations["guessed"],
            self.sets,
            self.codes,
            self.first_set,
            self.chunks,
            self.first_code,
            self.group_sizes,
            self.place_counts,
            exclude_wrong,
            exclude_shown,
            once_a_word,
        )

    def count_by_place(
        self, observations: Observation, exclude_wrong: bool = True, exclude_shown: bool = True
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Count the letters of the candidates of each game behind each blank.

        Parameters
        ----------
        observations, exclude_wrong, exclude_shown
            As of :meth:`count`.

        Returns
        -------
        counts : ndarray of int32, shape (N, width, 26)
            0 at places that are shown and after the end of the word.
        num_candidates : ndarray of int64, shape (N,)
        """
        return _count_by_place(
            observations["word"],
            observations["guessed"],
            self.sets,
            self.codes,
            self.first_set,
            self.chunks,
            self.first_code,
            self.group_sizes,
            self.place_counts,
            exclude_wrong,
            exclude_shown,
        )


def _bit_sets(
    codes: npt.NDArray[np.uint8], letter_counts: npt.NDArray[np.int8]
) -> npt.NDArray[np.uint64]:
    """Return the sets of one length, shape ((1 + length) * 26 + 1, chunks).

    First the set of all words, then those that have each letter, then those that have each
    letter at each place.
    """
    num_words, length = codes.shape
    letters = np.arange(NUM_LETTERS)
    members = [np.ones((1, num_words), dtype=np.bool_), (letter_counts > 0).T]
    members += [codes[:, place] == letters[:, None] + FIRST_LETTER for place in range(length)]
    packed = np.packbits(np.concatenate(members), axis=1, bitorder="little")
    padded = np.zeros((len(packed), -(-num_words // BITS) * (BITS // 8)), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


@njit(cache=True)
def count_bits(bits):
    """Return the number of bits that are set in 64 bits."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    low = np.uint64(0x3333333333333333)
    bits = (bits & low) + ((bits >> np.uint64(2)) & low)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def _word_length(word):
    length = 0
    while length < len(word) and word[length] != PADDING:
        length += 1
    return length


@njit(cache=True)
def find_candidates(
    word,
    guessed,
    length,
    sets,
    start,
    size,
    exclude_wrong,
    exclude_shown,
    found,
    where,
):
    """Find the candidates of one game, in compiled code.

    Their set is written to ``found``, and its chunks that are not empty to ``where``.

    Parameters
    ----------
    word, guessed
        Of the game, as it is observed.
    length : int
        Of the word.
    sets, start, size
        Of that length, what :class:`CandidateIndex` holds.
    exclude_wrong, exclude_shown : bool
        As of :meth:`CandidateIndex.count`.
    found : ndarray of uint64
    where : ndarray of int64

    Returns
    -------
    num_found, num_chunks : int
        The number of candidates, and of entries of ``where``.
    """
    have = start + size
    have_at = have + NUM_LETTERS * size
    for chunk in range(size):
        found[chunk] = sets[start + chunk]
    for place in range(length):
        if word[place] != BLANK:
            base = have_at + (place * NUM_LETTERS + word[place] - FIRST_LETTER) * size
            for chunk in range(size):
                found[chunk] &= sets[base + chunk]
    for letter in range(NUM_LETTERS):
        if not guessed[letter]:
            continue
        is_shown = False
        for place in range(length):
            is_shown |= word[place] == letter + FIRST_LETTER
        if is_shown and exclude_shown:
            for place in range(length):
                if word[place] == BLANK:
                    base = have_at + (place * NUM_LETTERS + letter) * size
                    for chunk in range(size):
                        found[chunk] &= ~sets[base + chunk]
        elif exclude_wrong and not is_shown:
            base = have + letter * size
            for chunk in range(size):
                found[chunk] &= ~sets[base + chunk]
    num_found = 0
    filled = 0
    for chunk in range(size):
        if found[chunk]:
            num_found += count_bits(found[chunk])
            where[filled] = chunk
            filled += 1
    return num_found, filled


@njit(cache=True)
def count_letters(
    found,
    where,
    num_found,
    length,
    sets,
    start,
    size,
    codes,
    first_code,
    once_a_word,
    counts,
):
    """Add the letters of a set of words of one length to ``counts``, in compiled code.

    Parameters
    ----------
    found : ndarray of uint64
        The set.
    where : ndarray of int64
        Its chunks that are not empty.
    num_found : int
        The number of its words.
    length, sets, start, size, codes, first_code
        The length of the words, and of it what :class:`CandidateIndex` holds.
    once_a_word : bool
    counts : ndarray of int64, shape (26,)
    """
    sets_counted = NUM_LETTERS if once_a_word else NUM_LETTERS * length
    if num_found * length < sets_counted * len(where):
        for chunk in where:
            bits = found[chunk]
            while bits:
                lowest = bits & (~bits + np.uint64(1))
                entry = chunk * BITS + count_bits(lowest - np.uint64(1))
                bits ^= lowest
                base = first_code + entry * length
                seen = 0
                for place in range(length):
                    letter = codes[base + place] - FIRST_LETTER
                    if once_a_word:
                        if seen >> letter & 1:
                            continue
                        seen |= 1 << letter
                    counts[letter] += 1
        return
    places = 1 if once_a_word else length
    base = start + size + (0 if once_a_word else NUM_LETTERS * size)
    for _ in range(places):
        for letter in range(NUM_LETTERS):
            total = 0
            for chunk in where:
                total += count_bits(found[chunk] & sets[base + chunk])
            counts[letter] += total
            base += size


@njit(cache=True)
def _count(
    word,
    guessed,
    sets,
    codes,
    first,
    chunks,
    first_code,
    group_sizes,
    place_counts,
    exclude_wrong,
    exclude_shown,
    once_a_word,
):
    num_games = len(word)
    counts = np.zeros((num_games, NUM_LETTERS), dtype=np.int64)
    num_candidates = np.zeros(num_games, dtype=np.int64)
    found = np.empty(max(1, chunks.max()), dtype=np.uint64)
    where = np.empty(len(found), dtype=np.int64)
    for game in range(num_games):
        length = _word_length(word[game])
        if length >= len(chunks) or chunks[length] == 0:
            continue
        size = chunks[length]
        start = first[length]
        num_found, filled = find_candidates(
            word[game],
            guessed[game],
            length,
            sets,
            start,
            size,
            exclude_wrong,
            exclude_shown,
            found,
            where,
        )
        num_candidates[game] = num_found
        if num_found == group_sizes[length] and not once_a_word:
            for place in range(length):
                counts[game] += place_counts[length, place]
            continue
        count_letters(
            found,
            where[:filled],
            num_found,
            length,
            sets,
            start,
            size,
            codes,
            first_code[length],
            once_a_word,
            counts[game],
        )
    return counts, num_candidates


@njit(cache=True)
def _count_by_place(
    word,
    guessed,
    sets,
    codes,
    first,
    chunks,
    first_code,
    group_sizes,
    place_counts,
    exclude_wrong,
    exclude_shown,
):
    num_games, width = word.shape
    counts = np.zeros((num_games, width, NUM_LETTERS), dtype=np.int32)
    num_candidates = np.zeros(num_games, dtype=np.int64)
    found = np.empty(max(1, chunks.max()), dtype=np.uint64)
    where = np.empty(len(found), dtype=np.int64)
    blanks = np.empty(width, dtype=np.int64)
    for game in range(num_games):
        length = _word_length(word[game])
        if length >= len(chunks) or chunks[length] == 0:
            continue
        size = chunks[length]
        start = first[length]
        num_found, filled = find_candidates(
            word[game],
            guessed[game],
            length,
            sets,
            start,
            size,
            exclude_wrong,
            exclude_shown,
            found,
            where,
        )
        num_candidates[game] = num_found
        num_blanks = 0
        for place in range(length):
            if word[game, place] == BLANK:
                blanks[num_blanks] = place
                num_blanks += 1
        if num_found == group_sizes[length]:
            for blank in range(num_blanks):
                counts[game, blanks[blank]] = place_counts[length, blanks[blank]]
            continue
        if num_found < NUM_LETTERS * filled:
            for position in range(filled):
                bits = found[where[position]]
                index = where[position] * BITS
                while bits:
                    lowest = bits & (~bits + np.uint64(1))
                    entry = index + count_bits(lowest - np.uint64(1))
                    bits ^= lowest
                    base = first_code[length] + entry * length
                    for blank in range(num_blanks):
                        place = blanks[blank]
                        counts[game, place, codes[base + place] - FIRST_LETTER] += 1
            continue
        have_at = start + size + NUM_LETTERS * size
        for blank in range(num_blanks):
            place = blanks[blank]
            for letter in range(NUM_LETTERS):
                total = 0
                base = have_at + (place * NUM_LETTERS + letter) * size
                for position in range(filled):
                    chunk = where[position]
                    total += count_bits(found[chunk] & sets[base + chunk])
                counts[game, place, letter] = total
    return counts, num_candidates
