"""The smoothed n-grams, and their posterior compared with a sum over all words."""

import itertools
from collections import Counter

import numpy as np
import pytest

from hangman_lab.agents.ngram_posterior import NgramPosteriorAgent
from hangman_lab.agents.posterior.ngram_lattice import ngram_masses, presence_from_absent_sums
from hangman_lab.agents.smoothed_ngrams import END, SmoothedNgrams
from hangman_lab.envs.encoding import ALPHABET, encode_words
from hangman_lab.envs.hangman.observation import parse_observation

WORDS = ("abba", "baba", "abc", "cab", "cabbie", "bee", "bead", "deed", "added", "ice", "ace", "a")


def word_probability(model, word):
    state, probability = model.tables.start, 1.0
    for letter in word:
        probability *= float(model.tables.probabilities[state, ord(letter) - ord("a")])
        state = model.tables.next_state[model.tables.row[state], ord(letter) - ord("a")]
    return probability * float(model.tables.probabilities[state, END])


@pytest.mark.parametrize("order", [2, 3, 5, 7])
def test_probabilities_of_each_context_add_up_to_1(order, real_words):
    model = SmoothedNgrams(encode_words(real_words), order)
    np.testing.assert_allclose(model.tables.probabilities.sum(axis=1), 1, rtol=1e-5)
    assert (model.tables.probabilities > 0).all()


def test_a_state_is_the_longest_context_that_was_seen(real_words):
    model = SmoothedNgrams(encode_words(real_words), 5)
    seen = {"^" + word[:end] for word in real_words for end in range(len(word) + 1)}
    seen |= {word[i:j] for word in real_words for j in range(len(word) + 1) for i in range(j + 1)}
    state_of = {}
    for word in real_words[::50]:
        state = model.tables.start
        history = "^"
        for letter in word[::-1]:
            state = model.tables.next_state[model.tables.row[state], ord(letter) - ord("a")]
            history += letter
            suffixes = [history[i:] for i in range(max(len(history) - 4, 0), len(history) + 1)]
            longest = next(suffix for suffix in suffixes if suffix in seen or not suffix)
            assert state_of.setdefault(longest, state) == state
    assert len(set(state_of.values())) == len(state_of) > 500


def test_a_letter_that_follows_many_others_is_likelier_in_a_new_context_than_a_frequent_one():
    words = [first + second + "qu" for first in "abcdf" for second in "abcdf"]
    model = SmoothedNgrams(encode_words([*words, *(letter + "e" for letter in "abcdf")]), 3)
    assert word_probability(model, "ke") > word_probability(model, "ku")


def test_larger_discounts_leave_less_to_the_words_that_were_seen(real_words):
    seen = encode_words(real_words)
    models = [SmoothedNgrams(seen, 5, scale) for scale in (0.7, 1.0, 1.3)]
    most, some, least = (model.log_probabilities(seen).mean() for model in models)
    assert most > some > least


def test_counts_lose_the_discounts_of_modified_kneser_ney(real_words):
    model = SmoothedNgrams(encode_words(real_words), 2, 1.0)
    pairs = [pair for word in real_words for pair in zip("^" + word, word + "$", strict=True)]
    counts_of = Counter(pairs)
    number = Counter(counts_of.values())
    share = number[1] / (number[1] + 2 * number[2])
    discounts = [0] + [k - (k + 1) * share * number[k + 1] / number[k] for k in (1, 2, 3)]
    for context in "^" + ALPHABET:
        counts = np.array([counts_of[context, symbol] for symbol in ALPHABET + "$"])
        lost = np.array([discounts[min(count, 3)] for count in counts])
        expected = (counts - lost + lost.sum() * model.tables.probabilities[0]) / counts.sum()
        state = model.tables.next_state[0, ALPHABET.find(context)]
        state = model.tables.start if context == "^" else state
        assert model.tables.probabilities[state] == pytest.approx(expected, rel=1e-4)


def test_probabilities_of_words_and_lengths_are_those_of_their_letters(real_words):
    model = SmoothedNgrams(encode_words(WORDS), 3)
    words = ("cab", "zebra", "a")
    expected = [word_probability(model, word) for word in words]
    assert np.exp(model.log_probabilities(encode_words(words))) == pytest.approx(expected)
    for length in (1, 2):
        strings = itertools.product(ALPHABET, repeat=length)
        total = sum(word_probability(model, string) for string in strings)
        assert model.length_masses()[length] == pytest.approx(total, rel=1e-4)


def test_matching_words_are_weighted_by_their_number():
    agent = NgramPosteriorAgent().fit(WORDS)
    observation = parse_observation("___")
    # Five of the words have three letters, of which three have an e.
    word, guessed, sums = observation["word"], observation["guessed"], np.zeros((1, 27))
    ngram_masses(0, 1, word, guessed, SmoothedNgrams(encode_words(WORDS)).tables, 1e-3, sums)
    expected = (3 + 20 * presence_from_absent_sums(sums, guessed)[0, 4]) / (5 + 20)
    assert agent.letter_probabilities(observation)[0, 4] == pytest.approx(expected)
