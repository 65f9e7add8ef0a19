"""A smoothed character n-gram model of words, compiled into an automaton."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from envs.encoding import FIRST_LETTER, NUM_LETTERS, encode_words

NUM_SYMBOLS = NUM_LETTERS + 1
END = NUM_LETTERS
_BEGIN = NUM_LETTERS + 1
_BASE = NUM_LETTERS + 2


class SmoothedNgrams:
    """Interpolated Kneser-Ney probabilities of the next letter of a word, or of its end.

    A state is a context: the last letters, at most ``order - 1`` of them, as many as were seen
    together. The beginning of a word counts as a letter of the context.

    Parameters
    ----------
    words : sequence of str
    order : int
        The longest n-gram, 2 to 10.
    discount_scale : float
        Factor on the discounts that are estimated from the counts; 1 for the estimates.

    Attributes
    ----------
    order : int
        At most that of the longest word with its beginning and end.
    probabilities : ndarray of float32, shape (states, 27)
        Of each letter after each context, and of the word's end at index 26.
    next_state : ndarray of int32, shape (states, 26)
        The context after each letter.
    start : int
        The state at the beginning of a word.
    level_start : list of int
        The first state whose context has 0, 1, ... letters; state 0 is the empty context.
    contexts : list of ndarray of int64
        For each context length, its contexts as sorted numbers in base 28, oldest letter first.

    References
    ----------
    Stanley F. Chen and Joshua Goodman, "An empirical study of smoothing techniques for language
    modeling", Computer Speech and Language 13 (1999): modified Kneser-Ney, interpolated, with
    discounts D1, D2 and D3+ estimated for each order from its counts of counts.
    """

    def __init__(self, words: Sequence[str], order: int, discount_scale: float = 1.0) -> None:
        # No context is longer than the beginning and the letters of the longest word.
        order = min(order, max(map(len, words)) + 2)
        self.order = order
        sequences = _sequences(words)
        self.contexts: list[npt.NDArray[np.int64]] = []
        self.level_start: list[int] = []
        tables: list[npt.NDArray[np.float32]] = []
        counts_by_level = []
        for length in range(order):
            codes, symbols = _contexts_and_symbols(sequences, length)
            contexts, rows = np.unique(codes, return_inverse=True)
            counts = np.bincount(
                rows.ravel() * NUM_SYMBOLS + symbols, minlength=len(contexts) * NUM_SYMBOLS
            ).reshape(-1, NUM_SYMBOLS)
            self.contexts.append(contexts)
            counts_by_level.append(counts)
        lower = np.full((1, NUM_SYMBOLS), 1.0 / NUM_SYMBOLS)
        for length in range(order):
            shorter = self._suffixes(length)
            counts = counts_by_level[length].astype(np.float64)
            if length + 1 < order:
                counts = self._continuations(length, counts_by_level, counts)
            discounts = _discounts(counts) * discount_scale
            taken = discounts[np.minimum(counts, 3).astype(np.int64)]
            total = counts.sum(axis=1, keepdims=True)
            kept = np.maximum(counts - taken, 0) / total
            lower = kept + (1 - kept.sum(axis=1, keepdims=True)) * lower[shorter]
            self.level_start.append(sum(len(table) for table in tables))
            tables.append(lower.astype(np.float32))
        self.probabilities = np.concatenate(tables)
        self.next_state = self._transitions()
        self.start = self.level_start[1] + int(np.searchsorted(self.contexts[1], _BEGIN))

    def _suffixes(self, length: int) -> npt.NDArray[np.int64]:
        """Return, for each context, the row of the context without its oldest letter."""
        if length == 0:
            return np.zeros(1, dtype=np.int64)
        shorter = self.contexts[length] % _BASE ** (length - 1)
        return np.searchsorted(self.contexts[length - 1], shorter)

    def _continuations(
        self, length: int, counts_by_level: list, counts: npt.NDArray
    ) -> npt.NDArray[np.float64]:
        """Return how many different letters precede each context and symbol.

        A context that begins with the word has no letter before it: its counts stay.
        """
        longer = self.contexts[length + 1]
        rows = np.searchsorted(self.contexts[length], longer % _BASE**length)
        follows = counts_by_level[length + 1] > 0
        result = np.stack(
            [np.bincount(rows, seen, minlength=len(counts)) for seen in follows.T], axis=1
        )
        if length:
            at_beginning = self.contexts[length] // _BASE ** (length - 1) == _BEGIN
            result[at_beginning] = counts[at_beginning]
        return result

    def _transitions(self) -> npt.NDArray[np.int32]:
        tables: list[npt.NDArray[np.int32]] = []
        for length, contexts in enumerate(self.contexts):
            if length == 0:
                after = np.zeros((1, NUM_LETTERS), dtype=np.int32)
            else:
                after = tables[-1][self._suffixes(length)]
            if length + 1 < self.order:
                longer = self.contexts[length + 1]
                wanted = contexts[:, None] * _BASE + np.arange(NUM_LETTERS)
                found = np.minimum(np.searchsorted(longer, wanted), len(longer) - 1)
                seen = longer[found] == wanted
                after = np.where(seen, found + self.level_start[length + 1], after)
            tables.append(after.astype(np.int32))
        return np.concatenate(tables)


def _sequences(words: Sequence[str]) -> list[npt.NDArray[np.int64]]:
    """Return, by length, the words as rows: the beginning, the letters, the end."""
    by_length: dict[int, list[str]] = {}
    for word in words:
        by_length.setdefault(len(word), []).append(word)
    result = []
    for length, group in sorted(by_length.items()):
        rows = np.empty((len(group), length + 2), dtype=np.int64)
        rows[:, 0] = _BEGIN
        rows[:, 1:-1] = encode_words(group).codes.astype(np.int64) - FIRST_LETTER
        rows[:, -1] = END
        result.append(rows)
    return result


def _contexts_and_symbols(
    sequences: list[npt.NDArray[np.int64]], length: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return every context of that length and the symbol that follows it."""
    codes, symbols = [], []
    for rows in sequences:
        for place in range(max(length, 1), rows.shape[1]):
            code = np.zeros(len(rows), dtype=np.int64)
            for column in range(place - length, place):
                code = code * _BASE + rows[:, column]
            codes.append(code)
            symbols.append(rows[:, place])
    return np.concatenate(codes), np.concatenate(symbols)


def _discounts(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return what is taken from counts of 0, 1, 2 and 3 or more."""
    ones, twos, threes, fours = (float((counts == count).sum()) for count in (1, 2, 3, 4))
    if not ones or not twos or not threes:
        # Too few counts to estimate discounts from.
        return np.array([0.0, 0.5, 0.5, 0.5])
    share = ones / (ones + 2 * twos)
    estimates = [1 - 2 * share * twos / ones, 2 - 3 * share * threes / twos]
    estimates.append(3 - 4 * share * fours / threes)
    return np.array([0.0, *np.clip(estimates, 0.05, [1.0, 2.0, 3.0])])
