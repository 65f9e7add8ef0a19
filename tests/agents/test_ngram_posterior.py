"""The smoothed n-grams, and the posterior against a sum over all words."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from agents.ngram_posterior import NgramPosteriorAgent
from agents.smoothed_ngrams import END, SmoothedNgrams
from agents.word_sets import WordArrays
from envs.hangman.observation import parse_observation

WORDS = ("abba", "baba", "abc", "cab", "cabbie", "bee", "bead", "deed", "added", "ice", "ace", "a")


def word_probability(model, word):
    state, probability = model.start, 1.0
    for letter in word:
        probability *= float(model.probabilities[state, ord(letter) - ord("a")])
        state = model.next_state[state, ord(letter) - ord("a")]
    return probability * float(model.probabilities[state, END])


@pytest.mark.parametrize("order", [2, 3, 5, 7])
def test_probabilities_of_each_context_add_up_to_1(order, real_words):
    model = SmoothedNgrams(real_words, order)
    np.testing.assert_allclose(model.probabilities.sum(axis=1), 1, rtol=1e-5)
    assert (model.probabilities > 0).all()


def test_a_state_is_the_longest_context_that_was_seen(real_words):
    model = SmoothedNgrams(real_words, 5)
    seen = {"^" + word[:end] for word in real_words for end in range(len(word) + 1)}
    seen |= {word[i:j] for word in real_words for j in range(len(word) + 1) for i in range(j + 1)}
    names = []
    for codes, length in zip(model.contexts, range(5), strict=True):
        for code in codes:
            digits = [code // 28**place % 28 for place in range(length)]
            names.append("".join("^" if d == 27 else chr(97 + d) for d in digits))
    for word in real_words[::50]:
        state = model.start
        history = "^"
        for letter in word[::-1]:
            state = model.next_state[state, ord(letter) - ord("a")]
            history += letter
            suffixes = [history[i:] for i in range(max(len(history) - 4, 0), len(history) + 1)]
            expected = next(s for s in suffixes if s in seen or not s)
            assert names[state] == expected


def test_the_scale_of_the_discounts_moves_mass_from_seen_to_unseen(real_words):
    """Taken from what was seen: the likeliest next letter of long contexts, and known words."""
    known = WordArrays.of(real_words)
    logs = [
        SmoothedNgrams(real_words, 5, scale).log_probabilities(known).mean()
        for scale in (0.7, 1.0, 1.3)
    ]
    assert logs[0] > logs[1] + 0.1 > logs[2] + 0.2
    likeliest = [
        SmoothedNgrams(real_words, 5, scale).probabilities.max(axis=1).mean()
        for scale in (0.7, 1.0, 1.3)
    ]
    assert likeliest == sorted(likeliest, reverse=True)
    agent = NgramPosteriorAgent(order=5, discount_scale=1.3).fit(real_words)
    scaled = SmoothedNgrams(real_words, 5, 1.3).probabilities
    assert (agent.tables_.probabilities == scaled).all()


def test_probabilities_of_words_and_lengths_are_those_of_their_letters(real_words):
    model = SmoothedNgrams(WORDS, 3)
    words = ("cab", "zebra", "a")
    expected = [word_probability(model, word) for word in words]
    assert np.exp(model.log_probabilities(WordArrays.of(words))) == pytest.approx(expected)
    letters = "abcdefghijklmnopqrstuvwxyz"
    for length in (1, 2):
        total = sum(
            word_probability(model, "".join(word))
            for word in itertools.product(letters, repeat=length)
        )
        assert model.length_masses()[length] == pytest.approx(total, rel=1e-4)


def test_a_model_of_shorter_ngrams_is_that_of_the_words(real_words):
    model = SmoothedNgrams(real_words, 7, discount_scale=1.15)
    for order in (2, 3, 7, 9):
        shorter, fitted = model.of_order(order), SmoothedNgrams(real_words, min(order, 7))
        assert shorter.order == fitted.order
        assert (shorter.probabilities == fitted.probabilities).all()
        assert (shorter.next_state == fitted.next_state).all()


@pytest.mark.parametrize("order", [3, 5])
@pytest.mark.parametrize(
    ("pattern", "num_left"),
    [("____", 5), ("_b_", 6), ("a__e_", 4), ("_", 5), ("_a_a_a", 4), ("ab", 3)],
)
def test_without_a_beam_the_posterior_is_a_sum_over_all_words(pattern, num_left, order):
    left = [letter for letter in "abcdefxyz" if letter not in pattern][:num_left]
    wrong = "".join(c for c in map(chr, range(97, 123)) if c not in left and c not in pattern)
    observation = parse_observation(pattern, wrong, max_wrong=26)
    agent = NgramPosteriorAgent(order=order, beam=0.0).fit(WORDS)
    blanks = [place for place, letter in enumerate(pattern) if letter == "_"]
    model = SmoothedNgrams(WORDS, order, 1.15)
    total, having = 0.0, np.zeros(26)
    for filling in itertools.product(left, repeat=len(blanks)):
        word = list(pattern)
        for place, letter in zip(blanks, filling, strict=True):
            word[place] = letter
        probability = word_probability(model, "".join(word))
        total += probability
        for letter in set(filling):
            having[ord(letter) - ord("a")] += probability
    np.testing.assert_allclose(agent.model_probabilities(observation)[0], having / total, atol=1e-5)


def test_the_loss_of_the_beam_vanishes_as_it_widens(real_words, play_some):
    secrets = real_words[::301]
    observations = play_some(secrets, turns=2 + np.arange(len(secrets)) % 5)
    agent = NgramPosteriorAgent(order=4, beam=0.0).fit(real_words)
    exact = agent.model_probabilities(observations)
    losses = []
    for agent.beam in (1e-2, 1e-4, 1e-7):
        losses.append(np.abs(agent.model_probabilities(observations) - exact).max())
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 0.01
    assert losses[-1] < 0.01


def test_fitting_words_weigh_by_their_number():
    agent = NgramPosteriorAgent(order=3, prior_weight=2.0).fit(WORDS)
    observation = parse_observation("___")
    # Five of the words have three letters, of which three have an e.
    by_model = agent.model_probabilities(observation)[0, 4]
    expected = (3 + 2 * by_model) / (5 + 2)
    assert agent.letter_probabilities(observation)[0, 4] == pytest.approx(expected)
