"""A smoothed character n-gram model of words, compiled into an automaton."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from numba import get_num_threads, njit, prange

from agents.threads import in_threads
from agents.word_sets import WordArrays
from envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_LETTERS

NUM_SYMBOLS = NUM_LETTERS + 1
END = NUM_LETTERS
_BEGIN = NUM_LETTERS + 1
_BASE = NUM_LETTERS + 2
# The n-grams of this order still fit into 64 bits.
_MAX_ORDER = 10


class SmoothedNgrams:
    """Interpolated Kneser-Ney probabilities of the next letter of a word, or of its end.

    A state is a context: the last letters, at most ``order - 1`` of them, as many as were seen
    together. The beginning of a word counts as a letter of the context.

    Parameters
    ----------
    words : sequence of str or WordArrays
    order : int
        The longest n-gram, 2 to 10.
    discount_scale : float
        Factor on the discounts that are estimated from the counts; 1 for the estimates.

    Attributes
    ----------
    order : int
        At most that of the longest word with its beginning and end.
    ngrams, counts : ndarray of int64
        Each symbol of the words after its longest history, as sorted numbers, and how often.
    probabilities : ndarray of float32, shape (states, 27)
        Of each letter after each context, and of the word's end at index 26.
    next_state : ndarray of int32, shape (states, 26)
        The context after each letter.
    start : int
        The state at the beginning of a word.
    level_start : list of int
        The first state whose context has 0, 1, ... letters; state 0 is the empty context.
    contexts : list of ndarray of int64
        For each context length, its contexts as sorted numbers in base 28, newest letter first.

    References
    ----------
    Stanley F. Chen and Joshua Goodman, "An empirical study of smoothing techniques for language
    modeling", Computer Speech and Language 13 (1999): modified Kneser-Ney, interpolated, with
    discounts D1, D2 and D3+ estimated for each order from its counts of counts.
    """

    def __init__(
        self, words: Sequence[str] | WordArrays, order: int, discount_scale: float = 1.0
    ) -> None:
        if not isinstance(words, WordArrays):
            words = WordArrays.of(words)
        if not 2 <= order <= _MAX_ORDER:
            raise ValueError(f"order: {order} is not in 2..{_MAX_ORDER}")
        # No context is longer than the beginning and the letters of the longest word.
        order = min(order, int(words.lengths.max()) + 2)
        self._build(order, discount_scale, *_count(words, order))

    def of_order(self, order: int) -> Self:
        """Return the model of shorter n-grams of the same words, with discounts as estimated."""
        order = min(order, self.order)
        histories, symbols = np.divmod(self.ngrams, NUM_SYMBOLS)
        shorter = histories // _BASE ** (self.order - order) * NUM_SYMBOLS + symbols
        ngrams, rows = np.unique(shorter, return_inverse=True)
        model = type(self).__new__(type(self))
        counts = np.bincount(rows.ravel(), weights=self.counts)
        model._build(order, 1.0, ngrams, counts.astype(np.int64))
        return model

    def log_probabilities(self, words: WordArrays) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of each word's probability, shape (words,)."""
        return _log_probabilities(*words, self.probabilities, self.next_state, self.start)

    def length_masses(self) -> npt.NDArray[np.float64]:
        """Return the probability that a word has each length, shape (33,)."""
        masses = np.zeros(MAX_LENGTH + 1)
        reached = np.zeros(len(self.probabilities))
        reached[self.start] = 1.0
        tables = self.probabilities, self.next_state
        for length in range(MAX_LENGTH + 1):
            following = np.zeros((get_num_threads(), len(reached)))
            masses[length] = sum(in_threads(_one_letter_more, reached, *tables, following))
            reached = following.sum(axis=0)
        return masses

    def _build(
        self,
        order: int,
        discount_scale: float,
        ngrams: npt.NDArray[np.int64],
        ngram_counts: npt.NDArray[np.int64],
    ) -> None:
        self.order = order
        self.discount_scale = discount_scale
        self.ngrams = ngrams
        self.counts = ngram_counts
        self.contexts: list[npt.NDArray[np.int64]] = []
        self.level_start: list[int] = []
        tables: list[npt.NDArray[np.float32]] = []
        histories, symbols = np.divmod(ngrams, NUM_SYMBOLS)
        lengths = _history_lengths(histories, order)
        counts_by_level = []
        for length in range(order):
            # An n-gram counts at each level up to the length of its own history.
            long_enough = np.flatnonzero(lengths >= length)
            # Sorted by the newest letter first, n-grams of a context stand together.
            suffixes = histories[long_enough] // _BASE ** (order - 1 - length)
            is_first = np.diff(suffixes, prepend=-1) != 0
            contexts, rows = suffixes[is_first], np.cumsum(is_first) - 1
            counts = np.bincount(
                rows * NUM_SYMBOLS + symbols[long_enough],
                weights=ngram_counts[long_enough],
                minlength=len(contexts) * NUM_SYMBOLS,
            )
            self.contexts.append(contexts)
            counts_by_level.append(counts.astype(np.int32).reshape(-1, NUM_SYMBOLS))
        lower = np.full((1, NUM_SYMBOLS), 1.0 / NUM_SYMBOLS)
        for length in range(order):
            shorter = self._suffixes(length)
            counts = counts_by_level[length]
            if length + 1 < order:
                # How many different letters precede each context and symbol; of contexts at the
                # beginning of a word, which none precedes, the counts stay.
                at_beginning = (self.contexts[length] % _BASE == _BEGIN) & (length > 0)
                counts = np.where(at_beginning[:, None], counts, 0)
                _count_preceding(counts_by_level[length + 1], self._suffixes(length + 1), counts)
            discounts = _discounts(counts) * discount_scale
            lower = _smooth(counts, discounts, lower[shorter])
            self.level_start.append(sum(len(table) for table in tables))
            tables.append(lower.astype(np.float32))
        self.probabilities = np.concatenate(tables)
        self.next_state = self._transitions(counts_by_level)
        self.start = self.level_start[1] + int(np.searchsorted(self.contexts[1], _BEGIN))

    def _suffixes(self, length: int) -> npt.NDArray[np.int64]:
        """Return, for each context, the row of the context without its oldest letter."""
        if length == 0:
            return np.zeros(1, dtype=np.int64)
        return np.searchsorted(self.contexts[length - 1], self.contexts[length] // _BASE)

    def _transitions(self, counts_by_level: list) -> npt.NDArray[np.int32]:
        tables = [np.zeros((1, NUM_LETTERS), dtype=np.int32)]
        for length in range(self.order):
            after = tables[-1][self._suffixes(length)]
            if length + 1 < self.order:
                # Contexts with the letters that were seen after them are the longer contexts.
                letters, rows = np.nonzero(counts_by_level[length][:, :NUM_LETTERS].T)
                after[rows, letters] = self.level_start[length + 1] + np.arange(len(rows))
            tables.append(after)
        return np.concatenate(tables[1:])


@njit(cache=True, parallel=True)
def _log_probabilities(codes, lengths, probabilities, next_state, start):
    result = np.empty(len(codes), dtype=np.float64)
    for row in prange(len(codes)):
        state = start
        total = 0.0
        for code in codes[row, : lengths[row]]:
            total += np.log(probabilities[state, code - FIRST_LETTER])
            state = next_state[state, code - FIRST_LETTER]
        result[row] = total + np.log(probabilities[state, END])
    return result


@njit(cache=True, nogil=True)
def _one_letter_more(thread, num_threads, reached, probabilities, next_state, following):
    """Pass mass on to the states after one more letter; return the mass of what ends."""
    ended = 0.0
    for state in range(thread, len(reached), num_threads):
        mass = reached[state]
        if mass > 0.0:
            ended += mass * probabilities[state, END]
            for letter in range(NUM_LETTERS):
                following[thread, next_state[state, letter]] += mass * probabilities[state, letter]
    return ended


def _count(words: WordArrays, order: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return each symbol of the words after its longest history, and how often it stands there.

    The history is a number in base 28 of ``order - 1`` digits, newest letter first; that times 27,
    plus the symbol, is the n-gram. They are sorted.
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


def _history_lengths(histories: npt.NDArray[np.int64], order: int) -> npt.NDArray[np.int64]:
    """Return how many letters histories have; those of the longest length may lack a beginning."""
    lengths = np.full(len(histories), order - 1)
    for length in range(1, order):
        lengths[histories // _BASE ** (order - 1 - length) % _BASE == _BEGIN] = length
    return lengths


@njit(cache=True)
def _count_preceding(longer, shorter, counts):
    for row in range(len(longer)):
        for symbol in range(NUM_SYMBOLS):
            counts[shorter[row], symbol] += longer[row, symbol] > 0


@njit(cache=True)
def _smooth(counts, discounts, lower):
    """Return the probabilities of symbols by their counts and by shorter contexts."""
    result = np.empty(counts.shape, dtype=np.float64)
    for row in range(len(counts)):
        total = counts[row].sum()
        left = 1.0
        for symbol in range(NUM_SYMBOLS):
            count = counts[row, symbol]
            result[row, symbol] = max(count - discounts[min(count, 3)], 0.0) / total
            left -= result[row, symbol]
        for symbol in range(NUM_SYMBOLS):
            result[row, symbol] += left * lower[row, symbol]
    return result


def _discounts(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Return what is taken from counts of 0, 1, 2 and 3 or more."""
    numbers = np.bincount(np.minimum(counts, 5).ravel(), minlength=6)
    ones, twos, threes, fours = numbers[1:5].astype(float).tolist()
    if not ones or not twos or not threes:
        # Too few counts to estimate discounts from.
        return np.array([0.0, 0.5, 0.5, 0.5])
    share = ones / (ones + 2 * twos)
    estimates = [1 - 2 * share * twos / ones, 2 - 3 * share * threes / twos]
    estimates.append(3 - 4 * share * fours / threes)
    return np.array([0.0, *np.clip(estimates, 0.05, [1.0, 2.0, 3.0])])
