"""Learning the multigram model: stepwise expectation maximisation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import get_num_threads, njit

from agents.posterior.multigrams import Multigrams, find_sequences
from agents.posterior.sequence_keys import KeyTable, key_table, sequence_keys
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
    table = key_table(sequence_keys(*sequences))
    num_words, num_sequences = len(words.lengths), len(counts)
    longest = int(sequences.lengths.max())
    first = keyed_uniform(seed, np.arange(num_sequences)[:, None], np.arange(NUM_CLASSES))
    spelled = counts[:, None] * (0.5 + first)
    spelled *= 3 * num_words / spelled.sum()
    follows = np.full((NUM_CLASSES, NUM_CLASSES), 2 * num_words / NUM_CLASSES**2)
    ends = np.full((1, NUM_CLASSES), num_words / NUM_CLASSES)
    counted = tuple(array.astype(np.float32) for array in (spelled, follows, ends, ends))
    expected = tuple(
        np.zeros((get_num_threads(), *count.shape), dtype=np.float32) for count in counted
    )
    number = 0
    for one_pass in range(_PASSES):
        order = np.argsort(keyed_uniform(seed, one_pass, np.arange(num_words)))
        last = one_pass == _PASSES - 1
        size = num_words if last else _BATCH
        for begin in range(0, num_words, size):
            batch = words.take(order[begin : begin + size])
            in_threads(_expect, *batch, table, longest, *_parameters(*counted), *expected)
            weight = 1.0 if last else (number + 2) ** -_DECAY
            number += 1
            for count, array in zip(counted, expected, strict=True):
                factor = weight * num_words / len(batch.lengths)
                _blend(count, array, np.float32(1 - weight), np.float32(factor))
    spelled, per_count, transitions, end, begin = _parameters(*counted)
    text = [
        bytes(codes[:length] - FIRST_LETTER + ord("a")).decode("ascii")
        for codes, length in zip(sequences.codes, sequences.lengths, strict=True)
    ]
    return Multigrams(text, spelled * per_count, transitions, begin, end)


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


def _parameters(
    spelled: npt.NDArray, follows: npt.NDArray, begins: npt.NDArray, ends: npt.NDArray
) -> tuple[npt.NDArray[np.float32], ...]:
    """Return what emissions are computed from, then transitions, end and begin probabilities.

    An emission is its expected count times its class's factor.
    """
    # A hundredth of a count keeps what no word has asked for possible.
    spelled[:NUM_LETTERS] = np.maximum(spelled[:NUM_LETTERS], np.float32(0.01))
    leaving = follows.sum(axis=1) + ends[0] + 0.01 * (NUM_CLASSES + 1)
    return (
        spelled,
        (1 / spelled.sum(axis=0, dtype=np.float64)).astype(np.float32),
        (follows + np.float32(0.01)) / leaving[:, None].astype(np.float32),
        ((ends[0] + 0.01) / leaving).astype(np.float32),
        ((begins[0] + 0.01) / (begins[0] + 0.01).sum()).astype(np.float32),
    )


@njit(cache=True)
def _blend(count, expected, kept, factor):
    """Move counts towards expected ones, which are set to zero."""
    for row in range(count.shape[0]):
        for column in range(count.shape[1]):
            total = np.float32(0)
            for thread in range(len(expected)):
                total += expected[thread, row, column]
                expected[thread, row, column] = 0
            count[row, column] = kept * count[row, column] + factor * total


@njit(cache=True, nogil=True)
def _expect(
    thread,
    num_threads,
    codes,
    lengths,
    table: KeyTable,
    longest,
    emissions,
    per_count,
    transitions,
    end,
    begin,
    spelled,
    follows,
    begins,
    ends,
):
    """Add to the expected counts, one row of each per thread, by a forward and a backward pass."""
    num_classes = len(begin)
    found = np.empty((MAX_LENGTH, longest), dtype=np.int64)
    reached = np.empty((MAX_LENGTH + 1, num_classes), dtype=np.float32)
    entering = np.empty((MAX_LENGTH, num_classes), dtype=np.float32)
    follow = np.empty((MAX_LENGTH + 1, num_classes), dtype=np.float32)
    opening = np.empty(num_classes, dtype=np.float32)
    for number in range(thread, len(codes), num_threads):
        length = lengths[number]
        find_sequences(codes[number], length, table, longest, found)
        reached[: length + 1] = 0
        for place in range(length):
            if place == 0:
                entering[0] = begin
            else:
                entering[place] = 0
                for before in range(num_classes):
                    for after in range(num_classes):
                        entering[place, after] += (
                            reached[place, before] * transitions[before, after]
                        )
            entering[place] *= per_count
            for more in range(min(longest, length - place)):
                sequence = found[place, more]
                if sequence >= 0:
                    for row in range(num_classes):
                        reached[place + more + 1, row] += (
                            entering[place, row] * emissions[sequence, row]
                        )
        total = np.float32(0)
        for row in range(num_classes):
            total += reached[length, row] * end[row]
        if total < 1e-30:
            continue
        for row in range(num_classes):
            follow[length, row] = end[row] / total
            ends[thread, 0, row] += reached[length, row] * follow[length, row]
        for place in range(length - 1, -1, -1):
            opening[:] = 0
            for more in range(min(longest, length - place)):
                sequence = found[place, more]
                if sequence >= 0:
                    for row in range(num_classes):
                        chance = emissions[sequence, row] * follow[place + more + 1, row]
                        opening[row] += chance
                        spelled[thread, sequence, row] += entering[place, row] * chance
            opening *= per_count
            if place == 0:
                for row in range(num_classes):
                    begins[thread, 0, row] += begin[row] * opening[row]
                continue
            for before in range(num_classes):
                value = np.float32(0)
                for after in range(num_classes):
                    chance = transitions[before, after] * opening[after]
                    value += chance
                    follows[thread, before, after] += reached[place, before] * chance
                follow[place, before] = value
