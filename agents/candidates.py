"""Words of a list that could be the hidden one, found with bit sets.

For each length, place and letter one bit a word says whether the word has the letter there. The
candidates of a game are then a few ANDs of such sets, and letter frequencies are counts of bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numba import njit

from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS, PADDING, encode_words
from envs.hangman.observation import Observation

_BITS = 64


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
    """

    def __init__(self, words: Sequence[str]) -> None:
        by_length: list[list[str]] = [[] for _ in range(MAX_LENGTH + 1)]
        for word in words:
            by_length[len(word)].append(word)
        self.num_words = len(words)
        self.letter_counts = np.zeros(NUM_LETTERS, dtype=np.int64)
        self.word_counts = np.zeros(NUM_LETTERS, dtype=np.int64)
        sets: list[npt.NDArray[np.uint64]] = []
        # Of each length: where its sets begin, and how many 64-bit chunks make up one set.
        self._first = np.zeros(MAX_LENGTH + 1, dtype=np.int64)
        self._chunks = np.zeros(MAX_LENGTH + 1, dtype=np.int64)
        position = 0
        for length, group in enumerate(by_length):
            self._first[length] = position
            if not group:
                continue
            encoded = encode_words(group)
            self.letter_counts += encoded.letter_counts.sum(axis=0, dtype=np.int64)
            self.word_counts += (encoded.letter_counts > 0).sum(axis=0)
            block = _bit_sets(encoded.codes, encoded.letter_counts)
            self._chunks[length] = block.shape[1]
            sets.append(block.ravel())
            position += block.size
        self._sets = np.concatenate(sets) if sets else np.zeros(0, dtype=np.uint64)

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
            self._sets,
            self._first,
            self._chunks,
            exclude_wrong,
            exclude_shown,
            once_a_word,
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
    padded = np.zeros((len(packed), -(-num_words // _BITS) * (_BITS // 8)), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


@njit(cache=True)
def _count_bits(bits):  # noqa: ANN001, ANN202 - compiled
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    low = np.uint64(0x3333333333333333)
    bits = (bits & low) + ((bits >> np.uint64(2)) & low)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def _count(word, guessed, sets, first, chunks, exclude_wrong, exclude_shown, once_a_word):  # noqa: ANN001, ANN202
    num_games, width = word.shape
    counts = np.zeros((num_games, NUM_LETTERS), dtype=np.int64)
    num_candidates = np.zeros(num_games, dtype=np.int64)
    candidates = np.empty(max(1, chunks.max()), dtype=np.uint64)
    for game in range(num_games):
        length = 0
        while length < width and word[game, length] != PADDING:
            length += 1
        if length >= len(chunks) or chunks[length] == 0:
            continue
        size = chunks[length]
        start = first[length]
        have = start + size
        have_at = have + NUM_LETTERS * size
        for chunk in range(size):
            candidates[chunk] = sets[start + chunk]
        for place in range(length):
            if word[game, place] != BLANK:
                letter = word[game, place] - FIRST_LETTER
                base = have_at + (place * NUM_LETTERS + letter) * size
                for chunk in range(size):
                    candidates[chunk] &= sets[base + chunk]
        for letter in range(NUM_LETTERS):
            if not guessed[game, letter]:
                continue
            is_shown = False
            for place in range(length):
                is_shown |= word[game, place] == letter + FIRST_LETTER
            if is_shown and exclude_shown:
                for place in range(length):
                    if word[game, place] == BLANK:
                        base = have_at + (place * NUM_LETTERS + letter) * size
                        for chunk in range(size):
                            candidates[chunk] &= ~sets[base + chunk]
            elif exclude_wrong and not is_shown:
                base = have + letter * size
                for chunk in range(size):
                    candidates[chunk] &= ~sets[base + chunk]
        filled = 0
        for chunk in range(size):
            if candidates[chunk]:
                num_candidates[game] += _count_bits(candidates[chunk])
                filled += 1
        if not filled:
            continue
        for letter in range(NUM_LETTERS):
            total = 0
            if once_a_word:
                base = have + letter * size
                for chunk in range(size):
                    total += _count_bits(candidates[chunk] & sets[base + chunk])
            else:
                for place in range(length):
                    base = have_at + (place * NUM_LETTERS + letter) * size
                    for chunk in range(size):
                        total += _count_bits(candidates[chunk] & sets[base + chunk])
            counts[game, letter] = total
    return counts, num_candidates
