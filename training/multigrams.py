"""Fitting the multigram model by stepwise expectation maximization."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import get_num_threads

from hangman_lab.agents.posterior.multigrams import Multigrams, Trie, make_trie
from hangman_lab.agents.sequences import PACKED_BASE, encode_runs, unpack_parts
from hangman_lab.envs.counter_rng import keyed_uniform
from hangman_lab.envs.encoding import (
    FIRST_LETTER,
    MAX_LENGTH,
    NUM_CODES,
    NUM_LETTERS,
    EncodedWords,
    decode,
)
from hangman_lab.envs.numba_cache import in_threads, njit

# Classes, the length of the longest sequence, the minimal number of occurrences of a sequence.
NUM_CLASSES = 32
_MAX_SEQUENCE = 9
_MIN_OCCURRENCES = 3
_PASSES = 4
# After this many passes, sequences with lower emissions in every class are pruned.
_PRUNED_AFTER = 1
_MIN_EMISSION = 1e-6
# Lower emissions and transitions of the fitted model are pruned, which makes inference several
# times as fast and costs 0.004 bits per word.
_MIN_FINAL_EMISSION = 3e-6
_MIN_FINAL_TRANSITION = 1e-3
_BATCH = 500
_MIN_BATCHES = 4
# The step size of the k-th batch is (k + 2) to the power of minus this.
_STEP_EXPONENT = 0.55
# The counts are scaled when their unit falls below this, so that none overflows.
_MIN_UNIT = 1e-9


class _Model(NamedTuple):
    """The present model, for compiled code; an emission is its count times ``per_count``."""

    trie: Trie  #: Of the sequences.
    spelled: npt.NDArray[np.float32]  #: shape (sequences, classes): Emission counts.
    per_count: npt.NDArray[np.float32]  #: shape (classes,)
    begin: npt.NDArray[np.float32]  #: shape (classes,): Initial probabilities.
    end: npt.NDArray[np.float32]  #: shape (classes,): The probability that a word ends after it.
    transitions: npt.NDArray[np.float32]  #: shape (classes, classes)
    to_from: npt.NDArray[np.float32]  #: shape (classes, classes): The transposed transitions.


class _Expected(NamedTuple):
    """Expected counts of a batch by thread; ``follows`` is divided by the transitions."""

    is_spelled: npt.NDArray[np.bool_]
    spelled: npt.NDArray[np.float32]
    follows: npt.NDArray[np.float32]
    begins: npt.NDArray[np.float32]
    ends: npt.NDArray[np.float32]


class _Emissions:
    """Emission counts that decay lazily: a batch then changes only those of its sequences.

    The count of a sequence in a class is ``stored * unit``, and the sum of a class ``sums * unit``.
    """

    def __init__(self, counts: npt.NDArray[np.float32]) -> None:
        self.stored = counts
        self.sums = counts.sum(axis=0, dtype=np.float64)
        self.unit = 1.0

    def keep(self, sequences: npt.NDArray[np.bool_]) -> None:
        """Drop the other sequences; the sums stay."""
        self.stored = self.stored[sequences]

    def update(self, expected: _Expected, decay: float, factor: float) -> None:
        """Scale the counts by ``decay``, and add ``factor`` times the expected ones."""
        self.unit *= decay
        if self.unit < _MIN_UNIT:
            self.stored *= np.float32(self.unit)
            self.sums *= self.unit
            self.unit = 1.0
        _add(self.stored, self.sums, expected, np.float32(factor / self.unit))
        # Every letter keeps a hundredth of a count in every class.
        letters = np.maximum(self.stored[:NUM_LETTERS], np.float32(0.01 / self.unit))
        self.sums += (letters - self.stored[:NUM_LETTERS]).sum(axis=0)
        self.stored[:NUM_LETTERS] = letters


class _Counts:
    """Running expected counts of emissions and transitions."""

    def __init__(self, words: EncodedWords, seed: int) -> None:
        self.sequences, counts = _frequent_sequences(words)
        num_words = len(words)
        first = keyed_uniform(seed, np.arange(len(counts))[:, None], np.arange(NUM_CLASSES))
        spelled = counts[:, None] * (0.5 + first)
        self.emissions = _Emissions((spelled * (3 * num_words / spelled.sum())).astype(np.float32))
        self.follows = np.full((NUM_CLASSES, NUM_CLASSES), 2 * num_words / NUM_CLASSES**2)
        self.begins = self.ends = np.full(NUM_CLASSES, num_words / NUM_CLASSES)
        self._prepare()

    def _prepare(self) -> None:
        self.trie = make_trie(self.sequences.codes, self.sequences.lengths)
        threads, rows = get_num_threads(), len(self.sequences)
        shapes = (rows, NUM_CLASSES), (NUM_CLASSES, NUM_CLASSES), (NUM_CLASSES,), (NUM_CLASSES,)
        counts = (np.zeros((threads, *shape), dtype=np.float32) for shape in shapes)
        self.expected = _Expected(np.zeros((threads, rows), dtype=np.bool_), *counts)

    def prune(self) -> None:
        """Drop sequences with low emissions in every class, except single letters."""
        emissions = self.emissions
        kept = (emissions.stored >= _MIN_EMISSION * emissions.sums).any(axis=1)
        kept[:NUM_LETTERS] = True
        self.sequences = self.sequences[kept]
        emissions.keep(kept)
        self._prepare()

    def chain(self) -> list[npt.NDArray[np.float32]]:
        """Return ``begin``, ``end`` and ``transitions`` of :class:`_Model`."""
        leaving = self.follows.sum(axis=1) + self.ends + 0.01 * (NUM_CLASSES + 1)
        begins, ends, follows = self.begins + 0.01, self.ends + 0.01, self.follows + 0.01
        chain = begins / begins.sum(), ends / leaving, follows / leaving[:, None]
        return [array.astype(np.float32) for array in chain]

    def update(self, batch: EncodedWords, decay: float, factor: float) -> None:
        """Scale the counts by ``decay``; add ``factor`` times the expected counts of a batch."""
        expected, emissions = self.expected, self.emissions
        begin, end, transitions = self.chain()
        per_count = (1 / emissions.sums).astype(np.float32)
        to_from = np.ascontiguousarray(transitions.T)
        model = _Model(self.trie, emissions.stored, per_count, begin, end, transitions, to_from)
        in_threads(_expect, batch.codes, batch.lengths, model, expected)
        follows = factor * expected.follows.sum(axis=0) * model.transitions
        self.follows = decay * self.follows + follows
        self.begins = decay * self.begins + factor * expected.begins.sum(axis=0)
        self.ends = decay * self.ends + factor * expected.ends.sum(axis=0)
        expected.follows[:] = expected.begins[:] = expected.ends[:] = 0
        emissions.update(expected, decay, factor)


def fit_multigrams(words: EncodedWords, seed: int = 0) -> Multigrams:
    """Fit a multigram model to one or more words.

    The sequences are all letters, and the sequences of up to nine letters with three or more
    occurrences. The initial emissions and the order of the words are random. The last pass is one
    batch of all words.

    References
    ----------
    Percy Liang and Dan Klein, "Online EM for unsupervised models", NAACL 2009.
    """
    counts = _Counts(words, seed)
    num_words = len(words)
    batches = 0
    for epoch in range(_PASSES):
        if epoch == _PRUNED_AFTER:
            counts.prune()
        order = np.argsort(keyed_uniform(seed, epoch, np.arange(num_words)))
        is_last = epoch == _PASSES - 1
        size = num_words if is_last else min(_BATCH, -(-num_words // _MIN_BATCHES))
        for start in range(0, num_words, size):
            batch = words[order[start : start + size]]
            decay = 0.0 if is_last else 1 - (batches + 2) ** -_STEP_EXPONENT
            counts.update(batch, decay, (1 - decay) * num_words / len(batch))
            batches += 1
    return _pruned_model(counts)


def _pruned_model(counts: _Counts) -> Multigrams:
    """Return the model without its lowest probabilities."""
    begin, end, transitions = counts.chain()
    emissions = counts.emissions.stored / counts.emissions.sums.astype(np.float32)
    kept = emissions >= _MIN_FINAL_EMISSION
    used = kept.any(axis=1)
    emissions, kept = emissions[used], kept[used]
    sequences = (decode(codes) for codes in counts.sequences.codes[used])
    transitions = np.where(transitions < _MIN_FINAL_TRANSITION, 0.0, transitions)
    leaving = transitions.sum(axis=1) + end
    return Multigrams(
        {
            "per_sequence": kept.sum(axis=1).astype(np.uint8),
            "classes": np.nonzero(kept)[1].astype(np.uint8),
            "emissions": emissions[kept].astype(np.float32),
            "transitions": (transitions / leaving[:, None]).astype(np.float32),
            "begin": begin.astype(np.float32),
            "end": (end / leaving).astype(np.float32),
            "sequences": np.frombuffer("\n".join(sequences).encode("ascii"), dtype=np.uint8),
        }
    )


def _frequent_sequences(words: EncodedWords) -> tuple[EncodedWords, npt.NDArray[np.float64]]:
    """Return the sequences, sorted, and their counts."""
    # Letters without an occurrence get a count, too.
    seen = np.bincount(words.codes.ravel(), minlength=NUM_CODES)[FIRST_LETTER:] + np.float64(0.5)
    numbers, counts = [np.arange(FIRST_LETTER, NUM_CODES)], [seen]
    for length in range(2, _MAX_SEQUENCE + 1):
        runs = encode_runs(words.codes, words.lengths, length, PACKED_BASE)
        found, times = np.unique(runs, return_counts=True)
        frequent = times >= _MIN_OCCURRENCES
        numbers.append(found[frequent])
        counts.append(times[frequent].astype(np.float64))
    return unpack_parts(np.concatenate(numbers)), np.concatenate(counts)


@njit
def _add(count, sums, expected, factor):
    """Add the expected emission counts to ``count`` and ``sums``, and reset them to 0."""
    num_classes = len(sums)
    for thread in range(len(expected.spelled)):
        for row in range(len(count)):
            if expected.is_spelled[thread, row]:
                expected.is_spelled[thread, row] = False
                for column in range(num_classes):
                    more = factor * expected.spelled[thread, row, column]
                    expected.spelled[thread, row, column] = 0
                    count[row, column] += more
                    sums[column] += more


@njit
def _expect(thread, num_threads, codes, lengths, model, expected):
    """Add to the expected counts by a forward and a backward pass."""
    # Not a constant: the compiler would unroll the loops instead of vectorizing them.
    num_classes = len(model.per_count)
    # The sequence of each length from each place on, -1 for none, and the number looked up.
    found = np.empty((MAX_LENGTH, _MAX_SEQUENCE), dtype=np.int64)
    num_found = np.empty(MAX_LENGTH, dtype=np.int64)
    # The mass of the prefixes that end before each place, by last class and by next class.
    reached = np.empty((MAX_LENGTH + 1, num_classes), dtype=np.float32)
    entering = np.empty((MAX_LENGTH, num_classes), dtype=np.float32)
    passes = found, num_found, reached, entering
    follow = np.empty((MAX_LENGTH + 1, num_classes), dtype=np.float32)
    opening = np.empty(num_classes, dtype=np.float32)
    for word in range(thread, len(codes), num_threads):
        length = lengths[word]
        _pass_forward(codes[word, :length], model, passes)
        total = (reached[length] * model.end).sum()
        if total < 1e-30:
            continue
        ending = model.end / total
        expected.ends[thread] += reached[length] * ending
        follow[length] = ending * model.per_count
        _pass_backward(thread, length, model, passes, follow, opening, expected)


@njit
def _pass_forward(codes, model, passes):
    num_classes, length = len(model.per_count), len(codes)
    found, num_found, reached, entering = passes
    reached[: length + 1] = 0
    for place in range(length):
        here = entering[place]
        if place == 0:
            here[:] = model.begin
        else:
            here[:] = 0
            for before in range(num_classes):
                mass = reached[place, before]
                for after in range(num_classes):
                    here[after] += mass * model.transitions[before, after]
        scaled = here * model.per_count
        node = num_found[place] = 0
        for end in range(place, min(length, place + _MAX_SEQUENCE)):
            node = model.trie.child[node, codes[end] - FIRST_LETTER]
            if node == 0:
                break
            sequence = found[place, end - place] = model.trie.sequence[node]
            num_found[place] += 1
            if sequence >= 0:
                for row in range(num_classes):
                    reached[end + 1, row] += scaled[row] * model.spelled[sequence, row]


@njit
def _pass_backward(thread, length, model, passes, follow, opening, expected):
    """Add to the expected counts; ``follow[length]`` is the mass of the end of the word."""
    num_classes = len(model.per_count)
    found, num_found, reached, entering = passes
    spelled, follows = expected.spelled[thread], expected.follows[thread]
    for place in range(length - 1, -1, -1):
        opening[:] = 0
        for more in range(num_found[place]):
            sequence = found[place, more]
            if sequence < 0:
                continue
            expected.is_spelled[thread, sequence] = True
            for row in range(num_classes):
                mass = model.spelled[sequence, row] * follow[place + more + 1, row]
                opening[row] += mass
                spelled[sequence, row] += entering[place, row] * mass
        if place == 0:
            expected.begins[thread] += model.begin * opening
            return
        follow[place] = 0
        for after in range(num_classes):
            for before in range(num_classes):
                follow[place, before] += model.to_from[after, before] * opening[after]
        follow[place] *= model.per_count
        for before in range(num_classes):
            mass = reached[place, before]
            for after in range(num_classes):
                follows[before, after] += mass * opening[after]
