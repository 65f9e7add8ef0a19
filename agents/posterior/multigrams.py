"""A hidden semi-Markov model of words: classes that spell letter sequences of several lengths."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit

from agents.threads import in_threads
from agents.word_sets import WordArrays, WordSets, fitting_words, word_sets
from envs.encoding import BLANK, FIRST_LETTER, MAX_LENGTH, NUM_LETTERS

# Emissions and transitions below these are left out, which makes the passes several times as fast
# and costs 0.004 bits per word.
_LEAST_EMISSION = 3e-6
_LEAST_TRANSITION = 1e-3
_ALL = NUM_LETTERS


class Trie(NamedTuple):
    """Finds sequences letter by letter.

    Attributes
    ----------
    child : ndarray of int32, shape (nodes, 26)
        The node after each letter; 0, which is the root, where no sequence goes on so.
    number : ndarray of int32, shape (nodes,)
        Of the sequence that ends at the node, -1 where none does.
    """

    child: npt.NDArray[np.int32]
    number: npt.NDArray[np.int32]


class MultigramTables(NamedTuple):
    """What compiled code reads of a :class:`Multigrams` model.

    Attributes
    ----------
    begin, end : ndarray of float64, shape (classes,)
        The probability that a word begins with a class, and that it ends after one.
    transitions : ndarray of float64, shape (classes, classes)
        From each class to the next; with ``end``, a row adds up to 1.
    first_emission : ndarray of int64, shape (sequences + 1,)
        Where the emissions of each sequence begin in the next two.
    classes, emissions : ndarray of int64 and of float64
        Which class spells the sequence, and with what probability.
    trie : Trie
    words : WordSets
        The sequences.
    """

    begin: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    transitions: npt.NDArray[np.float64]
    first_emission: npt.NDArray[np.int64]
    classes: npt.NDArray[np.int64]
    emissions: npt.NDArray[np.float64]
    trie: Trie
    words: WordSets


class Multigrams:
    """Words as chains of hidden classes, each of which spells a sequence of letters.

    A class stands for what behaves alike (a prefix, the beginning of a compound, an ending), so
    that the model sees further than n-grams: after "bread" a second part begins as words do. The
    probability of a word is summed over all ways to divide it. Learned by
    :func:`training.multigrams.fit_multigrams`.

    Parameters
    ----------
    sequences : sequence of str
        Distinct, in the order of their lengths, then of the alphabet.
    emissions : ndarray of float32, shape (sequences, classes)
        The probability that a class spells each sequence; a column adds up to 1.
    transitions : ndarray of float32, shape (classes, classes)
        From each class to the next.
    begin : ndarray of float32, shape (classes,)
        Of the first class.
    end : ndarray of float32, shape (classes,)
        That a word ends after a class; with its transitions it adds up to 1.

    References
    ----------
    Multigrams: Sabine Deligne and Frederic Bimbot, "Language modeling by variable length sequences:
    theoretical formulation and evaluation of multigrams", ICASSP 1995. Hidden semi-Markov models:
    Shun-Zheng Yu, "Hidden semi-Markov models", Artificial Intelligence 174 (2010).
    """

    def __init__(
        self,
        sequences: list[str],
        emissions: npt.NDArray[np.float32],
        transitions: npt.NDArray[np.float32],
        begin: npt.NDArray[np.float32],
        end: npt.NDArray[np.float32],
    ) -> None:
        kept = emissions >= _LEAST_EMISSION
        used = kept.any(axis=1)
        self.sequences = [text for text, is_used in zip(sequences, used, strict=True) if is_used]
        emissions, kept = emissions[used], kept[used]
        transitions = np.where(transitions < _LEAST_TRANSITION, 0.0, transitions)
        leaving = transitions.sum(axis=1) + end
        classes = np.nonzero(kept)[1]
        self._arrays = {
            "per_sequence": kept.sum(axis=1).astype(np.uint8),
            "classes": classes.astype(np.uint8),
            "emissions": emissions[kept].astype(np.float32),
            "transitions": (transitions / leaving[:, None]).astype(np.float32),
            "begin": begin.astype(np.float32),
            "end": (end / leaving).astype(np.float32),
        }
        self._prepare()

    def _prepare(self) -> None:
        arrays = self._arrays
        sequences = WordArrays.of(self.sequences)
        transitions = arrays["transitions"].astype(np.float64)
        self.max_length = int(sequences.lengths.max())
        self.tables = MultigramTables(
            begin=arrays["begin"].astype(np.float64),
            end=arrays["end"].astype(np.float64),
            transitions=transitions,
            first_emission=np.concatenate([[0], np.cumsum(arrays["per_sequence"], dtype=np.int64)]),
            classes=arrays["classes"].astype(np.int64),
            emissions=arrays["emissions"].astype(np.float64),
            trie=make_trie(*sequences),
            words=word_sets(sequences),
        )

    def log_probabilities(self, words: WordArrays) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of each word's probability; -inf where it has none."""
        result = np.empty(len(words.lengths), dtype=np.float64)
        in_threads(_log_probabilities, *words, self.tables, self.max_length, result)
        return result

    def length_masses(self) -> npt.NDArray[np.float64]:
        """Return the probability that a word has each length, shape (33,)."""
        tables = self.tables
        spelled = np.zeros((self.max_length + 1, len(tables.begin)))
        lengths = np.fromiter(map(len, self.sequences), dtype=np.int64)
        rows = np.repeat(np.arange(len(lengths)), np.diff(tables.first_emission))
        np.add.at(spelled, (lengths[rows], tables.classes), tables.emissions)
        reached = np.zeros((MAX_LENGTH + 1, len(tables.begin)))
        for length in range(MAX_LENGTH):
            entering = reached[length] @ tables.transitions if length else tables.begin
            for more in range(1, min(self.max_length, MAX_LENGTH - length) + 1):
                reached[length + more] += entering * spelled[more]
        return reached @ tables.end

    def to_tensors(self) -> dict[str, npt.NDArray]:
        """Return the model as arrays."""
        text = "\n".join(self.sequences).encode("ascii")
        return self._arrays | {"sequences": np.frombuffer(text, dtype=np.uint8)}

    @classmethod
    def from_tensors(cls, tensors: dict[str, npt.NDArray]) -> Self:
        """Return the model that :meth:`to_tensors` described.

        Raises
        ------
        KeyError, TypeError, ValueError, IndexError
            If the arrays are not those of such a model.
        """
        model = cls.__new__(cls)
        model.sequences = tensors["sequences"].tobytes().decode("ascii").split("\n")
        model._arrays = {name: array for name, array in tensors.items() if name != "sequences"}
        counts, classes = tensors["per_sequence"], tensors["classes"]
        num_classes = len(tensors["begin"])
        if (
            len(counts) != len(model.sequences)
            or counts.sum(dtype=np.int64) != len(classes)
            or tensors["emissions"].shape != classes.shape
            or tensors["transitions"].shape != (num_classes, num_classes)
            or tensors["end"].shape != (num_classes,)
            or not all(
                np.isfinite(tensors[name]).all()
                for name in ("emissions", "transitions", "begin", "end")
            )
            or (len(classes) and classes.max() >= num_classes)
            or sorted(model.sequences, key=lambda text: (len(text), text)) != model.sequences
        ):
            raise ValueError("multigrams: the arrays do not fit together")
        model._prepare()
        return model


@njit(cache=True)
def make_trie(codes, lengths):
    """Return the trie of distinct sequences."""
    child = np.zeros((1 + lengths.sum(), NUM_LETTERS), dtype=np.int32)
    number = np.full(len(child), -1, dtype=np.int32)
    size = 1
    for row in range(len(codes)):
        node = 0
        for place in range(lengths[row]):
            letter = codes[row, place] - FIRST_LETTER
            if child[node, letter] == 0:
                child[node, letter] = size
                size += 1
            node = child[node, letter]
        number[node] = row
    return Trie(child[:size].copy(), number[:size].copy())


@njit(cache=True, nogil=True)
def _log_probabilities(thread, num_threads, codes, lengths, tables, max_length, result):
    num_words, num_classes = len(codes), len(tables.begin)
    reached = np.empty((MAX_LENGTH + 1, num_classes), dtype=np.float64)
    entering = np.empty(num_classes, dtype=np.float64)
    for number in range(thread, num_words, num_threads):
        length = lengths[number]
        reached[: length + 1] = 0.0
        for place in range(length):
            if place == 0:
                entering[:] = tables.begin
            else:
                entering[:] = 0.0
                for before in range(num_classes):
                    mass = reached[place, before]
                    if mass > 0.0:
                        for after in range(num_classes):
                            entering[after] += mass * tables.transitions[before, after]
            node = 0
            for end in range(place + 1, min(place + max_length, length) + 1):
                node = tables.trie.child[node, codes[number, end - 1] - FIRST_LETTER]
                if node == 0:
                    break
                sequence = tables.trie.number[node]
                if sequence >= 0:
                    for entry in range(
                        tables.first_emission[sequence], tables.first_emission[sequence + 1]
                    ):
                        spelled = tables.classes[entry]
                        reached[end, spelled] += entering[spelled] * tables.emissions[entry]
        total = 0.0
        for last in range(num_classes):
            total += reached[length, last] * tables.end[last]
        result[number] = np.log(total)


class MultigramRoom(NamedTuple):
    """Arrays that :func:`multigram_masses` writes to; they belong to one thread.

    ``blank`` keeps, for the guessed letters of the last game, what parts of blanks alone spell,
    since these are the dearest: games in the order of their guessed letters share them.
    """

    found: npt.NDArray[np.uint64]
    where: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    spelled: npt.NDArray[np.float64]
    blank: npt.NDArray[np.float64]
    blank_guessed: npt.NDArray[np.int64]
    reached: npt.NDArray[np.float64]
    entering: npt.NDArray[np.float64]
    columns: npt.NDArray[np.int64]
    hidden: npt.NDArray[np.int64]


@njit(cache=True)
def multigram_room(tables, max_length):
    """Return room for one thread."""
    num_classes = len(tables.begin)
    chunks = tables.words.chunks.max()
    return MultigramRoom(
        np.empty(chunks, dtype=np.uint64),
        np.empty(chunks, dtype=np.int64),
        np.empty(chunks * 64, dtype=np.int64),
        np.empty((num_classes, NUM_LETTERS + 1), dtype=np.float64),
        np.empty((max_length + 1, num_classes, NUM_LETTERS + 1), dtype=np.float64),
        np.full(max_length + 1, -1, dtype=np.int64),
        np.empty((MAX_LENGTH + 1, num_classes, NUM_LETTERS + 1), dtype=np.float64),
        np.empty((num_classes, NUM_LETTERS + 1), dtype=np.float64),
        np.empty(NUM_LETTERS, dtype=np.int64),
        np.empty(NUM_LETTERS, dtype=np.int64),
    )


@njit(cache=True)
def _spell(part, guessed, length, columns, last, tables, room, spelled):
    """Sum, by class, the emissions of all sequences that fit a part of a masked word.

    ``spelled[class, column]`` is for those without the letter of the column behind a blank, column
    ``last`` for all.
    """
    spelled[:] = 0.0
    count = fitting_words(part, guessed, length, tables.words, room.found, room.where, room.numbers)
    hidden = room.hidden
    for sequence in room.numbers[:count]:
        num_hidden = seen = 0
        for place in range(length):
            if part[place] == BLANK:
                letter = tables.words.codes[sequence, place] - FIRST_LETTER
                if not (seen >> letter) & 1:
                    seen |= 1 << letter
                    hidden[num_hidden] = columns[letter]
                    num_hidden += 1
        for entry in range(tables.first_emission[sequence], tables.first_emission[sequence + 1]):
            emission = tables.emissions[entry]
            row = tables.classes[entry]
            spelled[row, last] += emission
            for number in range(num_hidden):
                spelled[row, hidden[number]] += emission
    for row in range(len(spelled)):
        if spelled[row, last] > 0.0:
            for column in range(last):
                spelled[row, column] = max(spelled[row, last] - spelled[row, column], 0.0)


@njit(cache=True)
def multigram_masses(word, guessed, length, tables, max_length, room, sums):
    """Write the probability of all words that fit a game into ``sums``, shape (27,).

    Of those without each letter behind a blank, and of all at index 26; exact but for rounding.
    """
    num_classes = len(tables.begin)
    # Only letters that are not guessed have a column; the last is for all words.
    columns = room.columns
    bits = last = 0
    for letter in range(NUM_LETTERS):
        columns[letter] = last
        if guessed[letter]:
            bits |= 1 << letter
        else:
            last += 1
    reached, entering = room.reached, room.entering
    reached[: length + 1] = 0.0
    for place in range(length):
        if place == 0:
            for row in range(num_classes):
                entering[row, :] = tables.begin[row]
        else:
            entering[:] = 0.0
            for before in range(num_classes):
                if reached[place, before, last] > 0.0:
                    for after in range(num_classes):
                        chance = tables.transitions[before, after]
                        if chance == 0.0:
                            continue
                        for column in range(last + 1):
                            entering[after, column] += chance * reached[place, before, column]
        num_blanks = node = 0
        for more in range(1, min(max_length, length - place) + 1):
            num_blanks += word[place + more - 1] == BLANK
            if num_blanks == 0:
                node = tables.trie.child[node, word[place + more - 1] - FIRST_LETTER]
                if node == 0:
                    break
                sequence = tables.trie.number[node]
                if sequence >= 0:
                    for entry in range(
                        tables.first_emission[sequence], tables.first_emission[sequence + 1]
                    ):
                        row = tables.classes[entry]
                        for column in range(last + 1):
                            reached[place + more, row, column] += (
                                entering[row, column] * tables.emissions[entry]
                            )
                continue
            part = word[place : place + more]
            if num_blanks == more:
                spelled = room.blank[more]
                if room.blank_guessed[more] != bits:
                    room.blank_guessed[more] = bits
                    _spell(part, guessed, more, columns, last, tables, room, spelled)
            else:
                spelled = room.spelled
                _spell(part, guessed, more, columns, last, tables, room, spelled)
            for row in range(num_classes):
                if spelled[row, last] > 0.0:
                    for column in range(last + 1):
                        reached[place + more, row, column] += (
                            entering[row, column] * spelled[row, column]
                        )
    sums[:] = 0.0
    for row in range(num_classes):
        for letter in range(NUM_LETTERS):
            column = last if guessed[letter] else columns[letter]
            sums[letter] += reached[length, row, column] * tables.end[row]
        sums[_ALL] += reached[length, row, last] * tables.end[row]
