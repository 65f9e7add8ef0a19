"""Learning the multigram model: stepwise expectation maximisation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import get_num_threads, njit

from agents.posterior.multigrams import Multigrams, make_trie
from agents.threads import in_threads
from agents.word_sets import WordArrays
from envs.encoding import FIRST_LETTER, MAX_LENGTH, NUM_LETTERS
from envs.keyed_random import keyed_uniform

# Classes, letters of the longest sequence, and words that a sequence must stand in. Measured in
# docs/experiments.md, as are the passes and the batch.
NUM_CLASSES = 24
_MAX_SEQUENCE = 9
_MIN_WORDS = 6
_PASSES = 7
# After so many passes, sequences that every class spells more rarely than this are left out.
_PRUNED_AFTER = 1
_LEAST_EMISSION = 1e-6
_BATCH = 2000
# The weight of the k-th batch is (k + 2) to the power of minus this.
_DECAY = 0.7


def fit_multigrams(words: WordArrays, seed: int = 0) -> Multigrams:
    """Learn classes of letter sequences from words.

    Sequences are those that stand in six words and more, and all letters. Counts are expected
    under the present model and taken over batch by batch; the last pass takes all words at once.

    Parameters
    ----------
    words : WordArrays
        At least one.
    seed : int
        Of the first emissions and of the order of the words.

    References
    ----------
    Percy Liang and Dan Klein, "Online EM for unsupervised models", NAACL 2009.
    """
    sequences, counts = _frequent_sequences(words)
    trie = make_trie(*sequences)
    num_words = len(words.lengths)
    first = keyed_uniform(seed, np.arange(len(counts))[:, None], np.arange(NUM_CLASSES))
    spelled = counts[:, None] * (0.5 + first)
    spelled = (spelled * (3 * num_words / spelled.sum())).astype(np.float32)
    sums = spelled.sum(axis=0, dtype=np.float64)
    follows = np.full((NUM_CLASSES, NUM_CLASSES), 2 * num_words / NUM_CLASSES**2)
    begins = ends = np.full(NUM_CLASSES, num_words / NUM_CLASSES)
    expected = _nothing_expected(len(counts))
    # Emissions do not depend on the unit of their counts: it grows, so that only the counts of a
    # batch's own sequences need to be touched.
    unit = 1.0
    number = 0
    for one_pass in range(_PASSES):
        order = np.argsort(keyed_uniform(seed, one_pass, np.arange(num_words)))
        last = one_pass == _PASSES - 1
        if one_pass == _PRUNED_AFTER:
            kept = (spelled >= _LEAST_EMISSION * sums).any(axis=1)
            kept[:NUM_LETTERS] = True
            sequences, spelled = sequences.take(kept), spelled[kept]
            trie, expected = make_trie(*sequences), _nothing_expected(len(spelled))
        size = num_words if last else _BATCH
        for start in range(0, num_words, size):
            batch = words.take(order[start : start + size])
            transitions, end, begin = _chain(follows, begins, ends)
            model = _Model(
                spelled,
                (1 / sums).astype(np.float32),
                transitions,
                np.ascontiguousarray(transitions.T),
                end,
                begin,
            )
            in_threads(_expect, *batch, trie, model, expected)
            kept = 0.0 if last else 1 - (number + 2) ** -_DECAY
            factor = (1 - kept) * num_words / len(batch.lengths)
            number += 1
            follows = kept * follows + factor * expected.follows.sum(axis=0) * transitions
            begins = kept * begins + factor * expected.begins.sum(axis=0)
            ends = kept * ends + factor * expected.ends.sum(axis=0)
            expected.follows[:] = expected.begins[:] = expected.ends[:] = 0
            if last:
                spelled[:] = sums[:] = 0
            unit *= kept or 1 / unit
            _add(spelled, sums, expected.spelled, expected.is_spelled, np.float32(factor / unit))
            # A hundredth of a count keeps what no word has asked for possible.
            letters = np.maximum(spelled[:NUM_LETTERS], np.float32(0.01 / unit))
            sums += (letters - spelled[:NUM_LETTERS]).sum(axis=0)
            spelled[:NUM_LETTERS] = letters
    text = [
        bytes(codes[:length] - FIRST_LETTER + ord("a")).decode("ascii")
        for codes, length in zip(sequences.codes, sequences.lengths, strict=True)
    ]
    transitions, end, begin = _chain(follows, begins, ends)
    return Multigrams(text, spelled / sums.astype(np.float32), transitions, begin, end)


def _frequent_sequences(words: WordArrays) -> tuple[WordArrays, npt.NDArray[np.float64]]:
    """Return letter sequences in order, and how often each stands in the words."""
    letters = np.zeros((NUM_LETTERS, MAX_LENGTH), dtype=np.uint8)
    letters[:, 0] = np.arange(FIRST_LETTER, FIRST_LETTER + NUM_LETTERS)
    parts = []
    for length in range(1, _MAX_SEQUENCE + 1):
        rows, places = np.nonzero(
            np.arange(MAX_LENGTH - length + 1)[None, :] + length <= words.lengths[:, None]
        )
        keys = np.zeros(len(rows), dtype=np.int64)
        for place in range(length):
            keys = keys * 32 + words.codes[rows, places + place]
        found, counts = np.unique(keys, return_counts=True)
        frequent = counts >= _MIN_WORDS
        codes = np.zeros((int(frequent.sum()), MAX_LENGTH), dtype=np.uint8)
        for place in range(length):
            codes[:, place] = found[frequent] >> (5 * (length - 1 - place)) & 31
        if length == 1:
            # A letter that no word has can still be in a secret.
            seen = np.bincount(found, counts, minlength=FIRST_LETTER + NUM_LETTERS)
            parts.append((letters, seen[FIRST_LETTER:] + 0.5, np.ones(NUM_LETTERS, dtype=int)))
            continue
        parts.append((codes, counts[frequent], np.full(len(codes), length)))
    codes, counts, lengths = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return WordArrays(codes, lengths), counts.astype(np.float64)


class _Model(NamedTuple):
    """The present model: an emission is its count times its class's factor."""

    spelled: npt.NDArray[np.float32]
    per_count: npt.NDArray[np.float32]
    transitions: npt.NDArray[np.float32]
    to_from: npt.NDArray[np.float32]
    end: npt.NDArray[np.float32]
    begin: npt.NDArray[np.float32]


class _Expected(NamedTuple):
    """Expected counts of a batch, one row of each per thread; ``follows`` over the transitions."""

    spelled: npt.NDArray[np.float32]
    is_spelled: npt.NDArray[np.bool_]
    follows: npt.NDArray[np.float32]
    begins: npt.NDArray[np.float32]
    ends: npt.NDArray[np.float32]


def _nothing_expected(num_sequences: int) -> _Expected:
    threads = get_num_threads()
    return _Expected(
        np.zeros((threads, num_sequences, NUM_CLASSES), dtype=np.float32),
        np.zeros((threads, num_sequences), dtype=np.bool_),
        np.zeros((threads, NUM_CLASSES, NUM_CLASSES), dtype=np.float32),
        np.zeros((threads, NUM_CLASSES), dtype=np.float32),
        np.zeros((threads, NUM_CLASSES), dtype=np.float32),
    )


def _chain(
    follows: npt.NDArray, begins: npt.NDArray, ends: npt.NDArray
) -> tuple[npt.NDArray[np.float32], ...]:
    """Return transitions, end and begin probabilities, of counts."""
    leaving = follows.sum(axis=1) + ends + 0.01 * (NUM_CLASSES + 1)
    return (
        ((follows + 0.01) / leaving[:, None]).astype(np.float32),
        ((ends + 0.01) / leaving).astype(np.float32),
        ((begins + 0.01) / (begins + 0.01).sum()).astype(np.float32),
    )


@njit(cache=True)
def _add(count, sums, expected, is_spelled, factor):
    """Add expected counts, which are set to zero."""
    num_classes = len(sums)
    for thread in range(len(expected)):
        for row in range(len(count)):
            if is_spelled[thread, row]:
                is_spelled[thread, row] = False
                for column in range(num_classes):
                    more = factor * expected[thread, row, column]
                    expected[thread, row, column] = 0
                    count[row, column] += more
                    sums[column] += more


@njit(cache=True, nogil=True)
def _expect(thread, num_threads, codes, lengths, trie, model, expected):
    """Add to the expected counts by a forward and a backward pass."""
    # Not the constant, with which the compiler would unroll the loops instead of vectorising them.
    num_classes = len(model.begin)
    found = np.empty((MAX_LENGTH, _MAX_SEQUENCE), dtype=np.int64)
    num_found = np.empty(MAX_LENGTH, dtype=np.int64)
    reached = np.empty((MAX_LENGTH + 1, num_classes), dtype=np.float32)
    entering = np.empty((MAX_LENGTH, num_classes), dtype=np.float32)
    follow = np.empty((MAX_LENGTH + 1, num_classes), dtype=np.float32)
    opening = np.empty(num_classes, dtype=np.float32)
    emissions = model.spelled
    spelled, is_spelled = expected.spelled[thread], expected.is_spelled[thread]
    follows = expected.follows[thread]
    for number in range(thread, len(codes), num_threads):
        length = lengths[number]
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
                node = trie.child[node, codes[number, end] - FIRST_LETTER]
                if node == 0:
                    break
                sequence = found[place, end - place] = trie.number[node]
                num_found[place] += 1
                if sequence < 0:
                    continue
                for row in range(num_classes):
                    reached[end + 1, row] += scaled[row] * emissions[sequence, row]
        total = np.float32(0)
        for row in range(num_classes):
            total += reached[length, row] * model.end[row]
        if total < 1e-30:
            continue
        for row in range(num_classes):
            chance = model.end[row] / total
            expected.ends[thread, row] += reached[length, row] * chance
            follow[length, row] = chance * model.per_count[row]
        for place in range(length - 1, -1, -1):
            opening[:] = 0
            for more in range(num_found[place]):
                sequence = found[place, more]
                if sequence < 0:
                    continue
                is_spelled[sequence] = True
                for row in range(num_classes):
                    chance = emissions[sequence, row] * follow[place + more + 1, row]
                    opening[row] += chance
                    spelled[sequence, row] += entering[place, row] * chance
            if place == 0:
                for row in range(num_classes):
                    expected.begins[thread, row] += model.begin[row] * opening[row]
                continue
            follow[place] = 0
            for after in range(num_classes):
                for before in range(num_classes):
                    follow[place, before] += model.to_from[after, before] * opening[after]
            follow[place] *= model.per_count
            for before in range(num_classes):
                mass = reached[place, before]
                for after in range(num_classes):
                    follows[before, after] += mass * opening[after]
