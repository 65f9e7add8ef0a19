"""Matching words, compared with regular expressions, and the agent that counts them."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.agents.dictionary import CandidateIndex, DictionaryAgent
from hangman_lab.envs.encoding import ALPHABET, decode
from tests.agents.games import observe


def matching(words, observation, exclude_wrong, exclude_shown):
    """The candidates by a regular expression, written from the description."""
    pattern = decode(observation["word"])
    guessed = {ALPHABET[letter] for letter in np.flatnonzero(observation["guessed"])}
    shown = set(pattern) - {"_"}
    behind = (guessed - shown if exclude_wrong else set()) | (shown if exclude_shown else set())
    blank = f"[^{''.join(sorted(behind))}]" if behind else "."
    expression = re.compile(pattern.replace("_", blank))
    return [word for word in words if expression.fullmatch(word)]


def words_with_each_letter(words):
    return [sum(letter in word for word in words) for letter in ALPHABET]


def letters_at_each_place(words, width):
    return [
        [sum(word[place : place + 1] == letter for word in words) for letter in ALPHABET]
        for place in range(width)
    ]


def check_counts(listed, states):
    """Check all ways of counting the candidates of some games."""
    index = CandidateIndex(listed)
    probabilities = DictionaryAgent().fit(listed).letter_probabilities(states)
    for exclude in itertools.product([True, False], repeat=2):
        counts, num_candidates = index.count_words(states, *exclude)
        by_place = index.count_places(states, exclude[0])
        for game in range(len(states["lives"])):
            observation = {key: array[game] for key, array in states.items()}
            words = matching(listed, observation, *exclude)
            assert num_candidates[game] == len(words)
            assert counts[game].tolist() == words_with_each_letter(words)
            if all(exclude) and words:
                # Every word that would have led to this observation is equally likely.
                expected = np.where(observation["guessed"], 0, counts[game] / len(words))
                assert probabilities[game] == pytest.approx(expected)
            if not exclude[1]:
                width = by_place.shape[1]
                assert by_place[game].tolist() == letters_at_each_place(words, width)


@settings(max_examples=60)
@given(
    st.lists(st.text("abcd", min_size=1, max_size=4), min_size=1, max_size=150),
    st.text("abcd", min_size=1, max_size=4),
    st.lists(st.sampled_from("abcde"), max_size=4, unique=True),
)
def test_counts_on_any_words_are_those_of_a_regular_expression(listed, secret, letters):
    check_counts(listed, observe(secret, letters))


@pytest.mark.parametrize("number", [1, 63, 64, 65, 128, 129])
def test_lists_of_any_size_are_counted(number):
    counts, num_candidates = CandidateIndex(["cat"] * number).count_words(observe("cat", "a"))
    assert num_candidates.tolist() == [number]
    assert counts[0, 0] == number


def test_the_letters_of_the_list_are_as_probable_as_in_its_words_if_no_word_matches():
    agent = DictionaryAgent().fit(["cat", "tot", "eel", "eve", "elm"])
    assert agent.letter_probabilities(observe("zebra", ""))[0, 4] == pytest.approx(3 / 5)
