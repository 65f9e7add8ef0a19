"""Matching words, compared with regular expressions, and the agent that counts them."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.agents.dictionary import CandidateIndex, DictionaryAgent
from hangman_lab.envs.encoding import ALPHABET, decode
from hangman_lab.envs.hangman.observation import select
from tests.agents.games import observe, random_states


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
    """Check all ways of counting the candidates of some games; return the numbers of candidates."""
    index = CandidateIndex(listed)
    sizes = set()
    for exclude in itertools.product([True, False], repeat=2):
        counts, num_candidates = index.count_words(states, *exclude)
        by_place = index.count_places(states, exclude[0])
        for game in range(len(states["lives"])):
            observation = {key: array[game] for key, array in states.items()}
            words = matching(listed, observation, *exclude)
            assert num_candidates[game] == len(words)
            assert counts[game].tolist() == words_with_each_letter(words)
            if not exclude[1]:
                width = by_place.shape[1]
                assert by_place[game].tolist() == letters_at_each_place(words, width)
            sizes.add(len(words))
    return sizes


def test_counts_on_real_words_are_those_of_a_regular_expression(real_words):
    # Every second secret is not in the list; candidates run out for some of these.
    states, _ = random_states(real_words[:150:3], seed=3)
    sizes = check_counts(real_words[::6], states)
    assert {0, 1} <= sizes
    assert max(sizes) > 50


@settings(max_examples=60)
@given(
    st.lists(st.text("abcd", min_size=1, max_size=4), min_size=1, max_size=150),
    st.text("abcd", min_size=1, max_size=4),
    st.lists(st.sampled_from("abcde"), max_size=4, unique=True),
)
def test_counts_on_any_words_are_those_of_a_regular_expression(listed, secret, letters):
    check_counts(listed, observe(secret, letters))


def test_letters_of_the_whole_list_are_counted(real_words):
    index = CandidateIndex(real_words)
    assert index.num_words == len(real_words)
    assert index.word_counts.tolist() == words_with_each_letter(real_words)
    assert index.letter_counts.tolist() == ["".join(real_words).count(k) for k in ALPHABET]


@pytest.mark.parametrize("number", [1, 63, 64, 65, 128, 129])
def test_lists_of_any_size_are_counted(number):
    counts, num_candidates = CandidateIndex(["cat"] * number).count_words(observe("cat", "a"))
    assert num_candidates.tolist() == [number]
    assert counts[0, 0] == number


def test_batches_of_any_width_and_size_give_the_same_counts(real_words):
    index = CandidateIndex(real_words)
    states, _ = random_states(real_words[:200], seed=1)
    counts, _ = index.count_words(states)
    wider = {**states, "word": np.pad(states["word"], ((0, 0), (0, 3)))}
    assert index.count_words(wider)[0].tolist() == counts.tolist()
    assert index.count_words(select(states, slice(7, 8)))[0][0].tolist() == counts[7].tolist()
    assert len(index.count_words(select(states, slice(0)))[1]) == 0


def test_the_posterior_is_exact_for_secrets_of_the_list(real_words):
    listed = real_words[::2]
    agent = DictionaryAgent().fit(listed)
    states, secrets = random_states(listed[:100], seed=2)
    probabilities = agent.letter_probabilities(states)
    for game, secret in enumerate(secrets):
        # Every word that would have led to this observation is equally likely.
        guessed = [ALPHABET[letter] for letter in np.flatnonzero(states["guessed"][game])]
        same = [
            word
            for word in listed
            if len(word) == len(secret)
            and all(
                [place == letter for place in word] == [place == letter for place in secret]
                for letter in guessed
            )
        ]
        expected = np.array(words_with_each_letter(same)) / len(same)
        expected[states["guessed"][game] != 0] = 0
        assert probabilities[game] == pytest.approx(expected)


def test_it_backs_off_if_no_word_matches():
    agent = DictionaryAgent().fit(["cat", "tot", "eel", "eve", "elm"])
    # Only "cat" fits: "tot" has a t behind a blank.
    assert ALPHABET[agent.act(observe("bit", "t"))[0]] in "ac"
    # Nothing of this length: the most frequent letter of the list.
    assert ALPHABET[agent.act(observe("zebra", ""))[0]] == "e"
    assert agent.letter_probabilities(observe("zebra", ""))[0, 4] == pytest.approx(3 / 5)
    # Here only "tot" agrees with the shown letters, with a t behind a blank.
    agent = DictionaryAgent().fit(["tot", "eel"])
    assert ALPHABET[agent.act(observe("bit", "t"))[0]] == "o"
