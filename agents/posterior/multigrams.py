"""A hidden semi-Markov model of words, whose states emit letter sequences of several lengths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hangman_lab.envs.bits import letter_bits, letter_columns, lowest_bit, strip_padding
from hangman_lab.envs.encoding import (
    BLANK,
    FIRST_LETTER,
    MAX_LENGTH,
    NUM_LETTERS,
    EncodedWords,
    encode_words,
)
from hangman_lab.envs.numba_cache import in_threads, njit
from hangman_lab.envs.word_sets import WordSets, matching_rows, word_sets


class Trie(NamedTuple):
    """A prefix tree of letter sequences."""

    child: npt.NDArray[np.int32]  #: shape (nodes, 26): The node after each letter; 0 for none.
    sequence: npt.NDArray[np.int32]  #: shape (nodes,): The sequence that ends here; -1 for none.


@njit
def make_trie(codes, lengths):
    """Return the prefix tree of distinct sequences."""
    child = np.zeros((1 + lengths.sum(), NUM_LETTERS), dtype=np.int32)
    sequence = np.full(len(child), -1, dtype=np.int32)
    size = 1
    for row in range(len(codes)):
        node = 0
        for place in range(lengths[row]):
            letter = codes[row, place] - FIRST_LETTER
            if child[node, letter] == 0:
                child[node, letter] = size
                size += 1
            node = child[node, letter]
        sequence[node] = row
    return Trie(child[:size].copy(), sequence[:size].copy())


class MultigramTables(NamedTuple):
    """The arrays of a :class:`Multigrams` model, for compiled code."""

    begin: npt.NDArray[np.float64]  #: shape (classes,): Initial probabilities.
    end: npt.NDArray[np.float64]  #: shape (classes,): The probability that a word ends after it.
    #: shape (classes, classes): From each class to the next; a row and its ``end`` sum to 1.
    transitions: npt.NDArray[np.float64]
    #: shape (sequences + 1,): The range of each sequence in ``classes`` and ``emissions``.
    first_emission: npt.NDArray[np.int64]
    classes: npt.NDArray[np.int64]  #: The classes that emit the sequence.
    emissions: npt.NDArray[np.float64]  #: Their emission probabilities.
    trie: Trie
    words: WordSets  #: The sequences.
    longest: int  #: Letters of the longest sequence.


class Multigrams:
    """Words as Markov chains of hidden classes, each of which emits a letter sequence.

    A class groups sequences with the same role, such as prefixes, first parts of compounds or
    endings. The probability of a word is the sum over all its segmentations. The model is fitted
    by :func:`training.multigrams.fit_multigrams`.

    Parameters
    ----------
    tensors : dict of str to ndarray
        ``sequences``, uint8: distinct texts joined by newlines, sorted by length, then
        alphabetically. ``per_sequence``, uint8 of shape (sequences,): the number of classes that
        emit each. ``classes``, uint8, and ``emissions``, float32: these classes, sequence by
        sequence, and their emission probabilities. ``transitions``, float32 of shape
        (classes, classes); ``begin`` and ``end``, float32 of shape (classes,).

    References
    ----------
    Multigrams: Sabine Deligne and Frederic Bimbot, "Language modeling by variable length sequences:
    theoretical formulation and evaluation of multigrams", ICASSP 1995. Hidden semi-Markov models:
    Shun-Zheng Yu, "Hidden semi-Markov models", Artificial Intelligence 174 (2010).
    """

    def __init__(self, tensors: dict[str, npt.NDArray]) -> None:
        sequences = tensors["sequences"].tobytes().decode("ascii").split("\n")
        counts, classes = tensors["per_sequence"], tensors["classes"]
        names = ("begin", "end", "transitions", "emissions")
        floats = [tensors[name].astype(np.float64) for name in names]
        begin, end, transitions, emissions = floats
        num_classes = len(begin)
        if (
            len(counts) != len(sequences)
            or counts.sum(dtype=np.int64) != len(classes)
            or emissions.shape != classes.shape
            or transitions.shape != (num_classes, num_classes)
            or not begin.shape == end.shape == (num_classes,)
            or not all(np.isfinite(array).all() for array in floats)
            or (len(classes) and classes.max() >= num_classes)
            or sorted(sequences, key=lambda text: (len(text), text)) != sequences
        ):
            raise ValueError("multigrams: the arrays do not fit together")
        self.tensors = tensors
        self.sequences = sequences
        words = encode_words(sequences)
        self.tables = MultigramTables(
            begin,
            end,
            transitions,
            first_emission=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
            classes=classes.astype(np.int64),
            emissions=emissions,
            trie=make_trie(words.codes, words.lengths),
            words=word_sets(words),
            longest=words.width,
        )

    def log_probabilities(self, words: EncodedWords) -> npt.NDArray[np.float64]:
        """Return the natural log-probability of each word; -inf if it is impossible."""
        # By the first 16 letters: neighbours share most of the forward pass.
        letters = np.zeros((len(words), 16), dtype=np.uint8)
        letters[:, : words.width] = words.codes[:, :16]
        order = np.lexsort(letters.view(">u8").astype(np.uint64)[:, ::-1].T)
        result = np.empty(len(words), dtype=np.float64)
        in_threads(_log_probabilities, words.codes, words.lengths, order, self.tables, result)
        return result

    def length_masses(self) -> npt.NDArray[np.float64]:
        """Return the probability of each word length, shape (33,)."""
        tables = self.tables
        spelled = np.zeros((tables.longest + 1, len(tables.begin)))
        lengths = np.fromiter(map(len, self.sequences), dtype=np.int64)
        rows = np.repeat(np.arange(len(lengths)), np.diff(tables.first_emission))
        np.add.at(spelled, (lengths[rows], tables.classes), tables.emissions)
        reached = np.zeros((MAX_LENGTH + 1, len(tables.begin)))
        for length in range(MAX_LENGTH):
            entering = reached[length] @ tables.transitions if length else tables.begin
            for more in range(1, min(tables.longest, MAX_LENGTH - length) + 1):
                reached[length + more] += entering * spelled[more]
        return reached @ tables.end


@njit
def _log_probabilities(thread, num_threads, codes, lengths, order, tables, result):
    num_classes, first, longest = len(tables.begin), tables.first_emission, tables.longest
    reached = np.zeros((MAX_LENGTH + 1, num_classes), dtype=np.float64)
    entering = np.zeros((MAX_LENGTH, num_classes), dtype=np.float64)
    # By place and number of letters from there, the node of the trie; 0 for none.
    nodes = np.zeros((MAX_LENGTH, longest + 1), dtype=np.int64)
    previous = previous_length = 0
    for row in order[thread * len(order) // num_threads : (thread + 1) * len(order) // num_threads]:
        word, length = codes[row], lengths[row]
        shared = 0
        while shared < min(previous_length, length) and word[shared] == codes[previous, shared]:
            shared += 1
        for end in range(shared + 1, length + 1):
            here = entering[end - 1]
            here[:] = 0.0
            if end == 1:
                here[:] = tables.begin
            for source in range(num_classes):
                mass = reached[end - 1, source]
                if mass > 0.0:
                    for target in range(num_classes):
                        here[target] += mass * tables.transitions[source, target]
            reached[end] = 0.0
            for place in range(max(end - longest, 0), end):
                node = nodes[place, end - 1 - place]
                if node > 0 or place == end - 1:
                    node = tables.trie.child[node, word[end - 1] - FIRST_LETTER]
                nodes[place, end - place] = node
                sequence = tables.trie.sequence[node]
                if sequence >= 0:
                    for entry in range(first[sequence], first[sequence + 1]):
                        target = tables.classes[entry]
                        emission = tables.emissions[entry]
                        reached[end, target] += entering[place, target] * emission
        total = 0.0
        for last in range(num_classes):
            total += reached[length, last] * tables.end[last]
        result[row] = np.log(total)
        previous, previous_length = row, length


@njit
def multigram_masses(thread, num_threads, word, guessed, tables, sums):
    """Write the total probability of the words that match each of N games, shape (N, 27).

    Columns 0 to 25 are for the words without that letter behind a blank, column 26 is for all;
    0 for games without a letter to guess. The sums are exact except for rounding.
    """
    for game in range(thread, len(word), num_threads):
        masked = strip_padding(word[game], guessed[game])
        if len(masked):
            _sum_words(masked, guessed[game], tables, sums[game])


@njit
def _sum_words(word, guessed, tables, sums):
    """Write the row of one game in :func:`multigram_masses`; ``word`` has no padding."""
    length, first, num_classes = len(word), tables.first_emission, len(tables.begin)
    columns, last = letter_columns(guessed)
    reached = np.zeros((length + 1, num_classes, last + 1), dtype=np.float64)
    # Parts of blanks alone, by size: they are the most expensive, and recur. Others use row 0.
    blank = np.empty((tables.longest + 1, num_classes, last + 1), dtype=np.float64)
    is_spelled = np.zeros(tables.longest + 1, dtype=np.bool_)
    for place in range(length):
        entering = np.zeros((num_classes, last + 1), dtype=np.float64)
        if place == 0:
            for row in range(num_classes):
                entering[row, :] = tables.begin[row]
        for before in range(num_classes):
            if reached[place, before, last] > 0.0:
                for after in range(num_classes):
                    probability = tables.transitions[before, after]
                    if probability > 0.0:
                        for column in range(last + 1):
                            entering[after, column] += probability * reached[place, before, column]
        num_blanks = node = 0
        for end in range(place + 1, min(place + tables.longest, length) + 1):
            num_blanks += word[end - 1] == BLANK
            if num_blanks:
                size = num_blanks if num_blanks == end - place else 0
                spelled = blank[size]
                if not is_spelled[size]:
                    _spell(word[place:end], guessed, columns, tables, spelled)
                    is_spelled[size] = size > 0
                for row in range(num_classes):
                    if spelled[row, last] > 0.0:
                        for column in range(last + 1):
                            mass = entering[row, column] * spelled[row, column]
                            reached[end, row, column] += mass
                continue
            node = tables.trie.child[node, word[end - 1] - FIRST_LETTER]
            if node == 0:
                break
            sequence = tables.trie.sequence[node]
            if sequence >= 0:
                for entry in range(first[sequence], first[sequence + 1]):
                    row, emission = tables.classes[entry], tables.emissions[entry]
                    for column in range(last + 1):
                        reached[end, row, column] += entering[row, column] * emission
    sums[:] = 0.0
    for row in range(num_classes):
        for letter in range(NUM_LETTERS):
            sums[letter] += reached[length, row, columns[letter]] * tables.end[row]
        sums[NUM_LETTERS] += reached[length, row, last] * tables.end[row]


@njit
def _spell(part, guessed, columns, tables, spelled):
    """Write the total emission of the sequences that match a part of a masked word.

    The shape is (classes, columns), with the columns of :func:`letter_columns`.
    """
    first, bits, last = tables.first_emission, letter_bits(guessed), spelled.shape[1] - 1
    hidden = np.empty(NUM_LETTERS, dtype=np.int64)
    spelled[:] = 0.0
    for sequence in matching_rows(part, guessed, tables.words, True, True):
        # All guessed letters of the sequence are shown.
        letters = np.uint64(tables.words.letters[sequence]) & ~np.uint64(bits)
        num_hidden = 0
        while letters:
            hidden[num_hidden] = columns[lowest_bit(letters)]
            letters &= letters - np.uint64(1)
            num_hidden += 1
        for entry in range(first[sequence], first[sequence + 1]):
            row, emission = tables.classes[entry], tables.emissions[entry]
            spelled[row, last] += emission
            for index in range(num_hidden):
                spelled[row, hidden[index]] += emission
    for row in range(len(spelled)):
        if spelled[row, last] > 0.0:
            for column in range(last):
                spelled[row, column] = max(spelled[row, last] - spelled[row, column], 0.0)
