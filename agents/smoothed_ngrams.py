"""A smoothed character n-gram model of words, compiled into an automaton."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import get_num_threads

from hangman_lab.envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_LETTERS, EncodedWords
from hangman_lab.envs.numba_cache import in_threads, njit

NUM_SYMBOLS = NUM_LETTERS + 1
END = NUM_LETTERS
_BEGIN = NUM_LETTERS + 1
# Histories are numbers in this base, newest letter first.
_BASE = NUM_LETTERS + 2
# The highest order whose n-grams fit into 64 bits.
_MAX_ORDER = 10
_Integers = npt.NDArray[np.int64]


class NgramTables(NamedTuple):
    """An n-gram model as a finite automaton, for compiled code.

    A state is a context, the longest sequence of last letters that was seen, of at most
    ``order - 1`` letters. The beginning of a word counts as a letter.
    """

    #: shape (states, 27): The probability of each letter, and of the end of the word at index 26.
    probabilities: npt.NDArray[np.float32]
    next_state: npt.NDArray[np.int32]  #: shape (rows, 26): The state after each letter.
    #: shape (states,): The row of ``next_state``; the longest contexts have that of their suffix.
    row: npt.NDArray[np.int32]
    start: int  #: The state at the beginning of a word.
    #: shape (27, 27, 27): Trigram probabilities, ``[b, symbol, a]`` after the letters ``a`` and
    #: ``b``; 26 for the beginning of the word, or before it.
    pairs: npt.NDArray[np.float32]


class SmoothedNgrams:
    """Interpolated Kneser-Ney probabilities of the next letter of a word, or of its end.

    Parameters
    ----------
    words : EncodedWords
        At least one word.
    order : int, default 7
        The length of the longest n-gram, 2 to 10; the attribute is at most the length of the
        longest word, with its beginning and end.
    discount_scale : float, default 1.15
        A factor on the estimated discounts, except in the trigrams of ``pairs``. Both defaults were
        chosen by the cross-entropy of valid words.

    References
    ----------
    Stanley F. Chen and Joshua Goodman, "An empirical study of smoothing techniques for language
    modeling", Computer Speech and Language 13 (1999): modified Kneser-Ney, interpolated, with
    discounts D1, D2 and D3+ estimated for each order from its counts of counts.
    """

    def __init__(self, words: EncodedWords, order: int = 7, discount_scale: float = 1.15) -> None:
        if not 2 <= order <= _MAX_ORDER:
            raise ValueError(f"order: {order} is not in 2..{_MAX_ORDER}")
        self.order = min(order, int(words.lengths.max()) + 2)
        self.discount_scale = discount_scale
        automaton = _automaton(*_count(words, self.order), self.order, discount_scale)
        self.tables = NgramTables(*automaton, _pairs(words, min(self.order, 3)))

    def log_probabilities(self, words: EncodedWords) -> npt.NDArray[np.float64]:
        """Return the natural log-probability of each word, shape (words,)."""
        result = np.empty(len(words), dtype=np.float64)
        in_threads(_log_probabilities, words.codes, words.lengths, self.tables, result)
        return result

    def length_masses(self) -> npt.NDArray[np.float64]:
        """Return the probability of each word length, shape (33,)."""
        probabilities, next_state, row, start, _ = self.tables
        masses = np.zeros(MAX_LENGTH + 1)
        reached = np.zeros(len(probabilities))
        reached[start] = 1.0
        for length in range(MAX_LENGTH + 1):
            following = np.zeros((get_num_threads(), len(reached)))
            ended = in_threads(_one_letter_more, reached, probabilities, next_state, row, following)
            masses[length] = sum(ended)
            reached = following.sum(axis=0)
        return masses


def _automaton(
    ngrams: _Integers, ngram_counts: _Integers, order: int, discount_scale: float
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32], int]:
    """Return the first four fields of :class:`NgramTables`."""
    contexts, counts_by_length = _contexts(ngrams, ngram_counts, order)
    # The row of each context without its oldest letter.
    shorter = [np.zeros(1, dtype=np.int64)]
    for length in range(1, order):
        shorter.append(np.searchsorted(contexts[length - 1], contexts[length] // _BASE))
    first_state = np.cumsum([0, *map(len, contexts)])
    # Filled by length, since joining the tables of all lengths would take twice the memory.
    probabilities = np.empty((first_state[-1], NUM_SYMBOLS), dtype=np.float32)
    next_state = np.empty((first_state[-2], NUM_LETTERS), dtype=np.int32)
    row = np.arange(first_state[-1], dtype=np.int32)
    row[first_state[-2] :] = first_state[-3] + shorter[-1]
    after = np.zeros((1, NUM_LETTERS), dtype=np.int32)
    lower: npt.NDArray[np.floating] = np.full((1, NUM_SYMBOLS), 1.0 / NUM_SYMBOLS)
    for length in range(order):
        states = slice(first_state[length], first_state[length + 1])
        counts = counts_by_length.pop(0)  # freed before the next, which is larger
        if length + 1 < order:
            next_state[states] = after[shorter[length]]
            after = next_state[states]
            # A context and a letter seen after it are a longer context.
            letters, rows = np.nonzero(counts[:, :NUM_LETTERS].T)
            after[rows, letters] = first_state[length + 1] + np.arange(len(rows))
            # Kneser-Ney: lower orders use continuation counts, except for contexts that start the
            # word.
            at_beginning = (contexts[length] % _BASE == _BEGIN) & (length > 0)
            counts[~at_beginning] = 0
            # Contexts are sorted, so that those with the same shorter context are adjacent.
            rows, first = np.unique(shorter[length + 1], return_index=True)
            counts[rows] += np.add.reduceat(counts_by_length[0] > 0, first, dtype=np.int32)
        last = length + 1 == order
        higher = probabilities[states] if last else np.empty(counts.shape)
        _smooth(counts, _discounts(counts) * discount_scale, lower, shorter[length], higher)
        probabilities[states] = lower = higher
    start = int(first_state[1] + np.searchsorted(contexts[1], _BEGIN))
    return probabilities, next_state, row, start


def _contexts(
    ngrams: _Integers, ngram_counts: _Integers, order: int
) -> tuple[list[_Integers], list[npt.NDArray[np.int32]]]:
    """Return the sorted contexts of each length, and the counts of the symbols after them."""
    contexts, counts_by_length = [], []
    histories, symbols = np.divmod(ngrams, NUM_SYMBOLS)
    # Letters of each history, including the beginning of the word.
    lengths = np.full(len(histories), order - 1)
    for length in range(1, order):
        lengths[histories // _BASE ** (order - 1 - length) % _BASE == _BEGIN] = length
    for length in range(order):
        long_enough = np.flatnonzero(lengths >= length)
        # N-grams are sorted by the newest letter first, so that those of a context are adjacent.
        suffixes = histories[long_enough] // _BASE ** (order - 1 - length)
        is_first = np.diff(suffixes, prepend=-1) != 0
        contexts.append(suffixes[is_first])
        rows = np.cumsum(is_first) - 1
        counts = np.zeros((len(contexts[-1]), NUM_SYMBOLS), dtype=np.int32)
        np.add.at(counts, (rows, symbols[long_enough]), ngram_counts[long_enough])
        counts_by_length.append(counts)
    return contexts, counts_by_length


def _pairs(words: EncodedWords, order: int) -> npt.NDArray[np.float32]:
    """Return ``pairs`` of :class:`NgramTables`."""
    probabilities, next_state, row, start = _automaton(*_count(words, order), order, 1.0)
    pairs = np.empty((NUM_SYMBOLS, NUM_SYMBOLS, NUM_SYMBOLS), dtype=np.float32)
    for first in range(NUM_SYMBOLS):
        before = start if first == NUM_LETTERS else next_state[0, first]
        for second in range(NUM_SYMBOLS):
            state = start if second == NUM_LETTERS else next_state[row[before], second]
            pairs[second, :, first] = probabilities[state]
    return pairs


@njit
def _log_probabilities(thread, num_threads, codes, lengths, tables, result):
    for row in range(thread, len(codes), num_threads):
        state = tables.start
        total = 0.0
        for code in codes[row, : lengths[row]]:
            total += np.log(tables.probabilities[state, code - FIRST_LETTER])
            state = tables.next_state[tables.row[state], code - FIRST_LETTER]
        result[row] = total + np.log(tables.probabilities[state, END])


@njit
def _one_letter_more(thread, num_threads, reached, probabilities, next_state, row, following):
    """Add the mass of each state to its successors; return the mass of the words that end."""
    ended = 0.0
    for state in range(thread, len(reached), num_threads):
        mass = reached[state]
        if mass > 0.0:
            ended += mass * probabilities[state, END]
            for letter in range(NUM_LETTERS):
                after = next_state[row[state], letter]
                following[thread, after] += mass * probabilities[state, letter]
    return ended


def _count(words: EncodedWords, order: int) -> tuple[_Integers, _Integers]:
    """Return the n-grams of the longest order, sorted, and their counts.

    An n-gram is the number ``27 * history + symbol``; the history has ``order - 1`` digits.
    """
    ngrams = []
    for length in np.unique(words.lengths):
        group = words.codes[words.lengths == length, :length]
        symbols = np.full((len(group), length + 1), END, dtype=np.int64)
        symbols[:, :-1] = group.astype(np.int64) - FIRST_LETTER
        newest = _BASE ** (order - 2)
        history = np.full(len(group), _BEGIN * newest, dtype=np.int64)
        for place in range(length + 1):
            ngrams.append(history * NUM_SYMBOLS + symbols[:, place])
            history = history // _BASE + symbols[:, place] * newest
    return np.unique(np.concatenate(ngrams), return_counts=True)


@njit
def _smooth(counts, discounts, lower, shorter, result):
    """Write discounted probabilities, interpolated with those of shorter contexts.

    These are the rows ``shorter`` of ``lower``.
    """
    discounted = np.empty(NUM_SYMBOLS, dtype=np.float64)
    for row in range(len(counts)):
        total = counts[row].sum()
        left = 1.0
        for symbol in range(NUM_SYMBOLS):
            count = counts[row, symbol]
            discounted[symbol] = max(count - discounts[min(count, 3)], 0.0) / total
            left -= discounted[symbol]
        for symbol in range(NUM_SYMBOLS):
            result[row, symbol] = discounted[symbol] + left * lower[shorter[row], symbol]


def _discounts(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Return the discounts of counts of 0, 1, 2 and 3 or more."""
    ones, twos, threes, fours = (np.count_nonzero(counts == number) for number in range(1, 5))
    if not ones or not twos or not threes:
        # Too few counts to estimate discounts from.
        return np.array([0.0, 0.5, 0.5, 0.5])
    share = ones / (ones + 2 * twos)
    estimates = [1 - 2 * share * twos / ones, 2 - 3 * share * threes / twos]
    estimates.append(3 - 4 * share * fours / threes)
    return np.array([0.0, *np.clip(estimates, 0.05, [1.0, 2.0, 3.0])])
