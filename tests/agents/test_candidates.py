import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.candidates import CandidateIndex
from envs.encoding import ALPHABET, decode
from envs.hangman.observation import select
from tests.agents.games import observe, random_states


def matching(words, observation, exclude_wrong, exclude_shown):
    """The candidates by a regular expression, written from the description."""
    pattern = decode(observation["word"])
    guessed = {ALPHABET[letter] for letter in np.flatnonzero(observation["guessed"])}
    shown = set(pattern) - {"_"}
    excluded = guessed - shown if exclude_wrong else set()
    behind = excluded | (shown if exclude_shown else set())
    blank = f"[^{''.join(sorted(behind))}]" if behind else "."
    expression = re.compile(pattern.replace("_", blank))
    return [word for word in words if expression.fullmatch(word)]


def letter_counts(candidates, once_a_word):
    if once_a_word:
        return [sum(letter in word for word in candidates) for letter in ALPHABET]
    return ["".join(candidates).count(letter) for letter in ALPHABET]


@pytest.mark.parametrize("exclude_wrong", [True, False])
@pytest.mark.parametrize("exclude_shown", [True, False])
@pytest.mark.parametrize("once_a_word", [True, False])
def test_counts_on_real_words_are_those_of_a_regular_expression(
    real_words, exclude_wrong, exclude_shown, once_a_word
):
    listed = real_words[::2]
    index = CandidateIndex(listed)
    # Secrets from the list and others; candidates run out for some of these.
    states, _ = random_states(real_words[:160], seed=3)
    counts, num_candidates = index.count(states, exclude_wrong, exclude_shown, once_a_word)
    assert counts.shape == (len(states["lives"]), 26)
    by_length = {length: [w for w in listed if len(w) == length] for length in range(1, 33)}
    sizes = set()
    for game in range(len(states["lives"])):
        observation = {key: array[game] for key, array in states.items()}
        words = by_length[(observation["word"] > 0).sum()]
        expected = matching(words, observation, exclude_wrong, exclude_shown)
        assert num_candidates[game] == len(expected)
        assert counts[game].tolist() == letter_counts(expected, once_a_word)
        sizes.add(len(expected))
    assert {0, 1} <= sizes
    assert max(sizes) > 100


@settings(max_examples=60)
@given(
    st.lists(st.text("abcd", min_size=1, max_size=4), min_size=1, max_size=150),
    st.text("abcd", min_size=1, max_size=4),
    st.lists(st.sampled_from("abcde"), max_size=4, unique=True),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_counts_on_any_words_are_those_of_a_regular_expression(
    listed, secret, letters, exclude_wrong, exclude_shown, once_a_word
):
    batch = observe(secret, letters)
    counts, num_candidates = CandidateIndex(listed).count(
        batch, exclude_wrong, exclude_shown, once_a_word
    )
    observation = {key: array[0] for key, array in batch.items()}
    expected = matching(listed, observation, exclude_wrong, exclude_shown)
    assert num_candidates[0] == len(expected)
    assert counts[0].tolist() == letter_counts(expected, once_a_word)


def test_the_whole_list_is_counted_too(real_words):
    index = CandidateIndex(real_words)
    assert index.num_words == len(real_words)
    assert index.word_counts.tolist() == letter_counts(real_words, once_a_word=True)
    assert index.letter_counts.tolist() == letter_counts(real_words, once_a_word=False)


def test_a_length_that_is_not_listed_has_no_candidate():
    counts, num_candidates = CandidateIndex(["cat", "dog"]).count(observe("zebra", ""))
    assert num_candidates.tolist() == [0]
    assert not counts.any()


@pytest.mark.parametrize("number", [1, 63, 64, 65, 128, 129])
def test_lists_of_any_size_are_counted(number):
    index = CandidateIndex(["cat"] * number)
    counts, num_candidates = index.count(observe("cat", "a"))
    assert num_candidates.tolist() == [number]
    assert counts[0, 0] == number


def test_batches_of_any_width_and_size_give_the_same_counts(real_words):
    index = CandidateIndex(real_words)
    states, _ = random_states(real_words[:200], seed=1)
    counts, _ = index.count(states)
    wider = {**states, "word": np.pad(states["word"], ((0, 0), (0, 3)))}
    assert index.count(wider)[0].tolist() == counts.tolist()
    assert index.count(select(states, slice(7, 8)))[0][0].tolist() == counts[7].tolist()
    assert len(index.count(select(states, slice(0)))[1]) == 0
