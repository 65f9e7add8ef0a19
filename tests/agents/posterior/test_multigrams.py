"""The multigram model, compared with a sum over all segmentations of a word."""

import itertools

import numpy as np
import pytest

from hangman_lab.envs.encoding import ALPHABET, encode_words
from hangman_lab.training.multigrams import fit_multigrams
from tests.agents.posterior.priors import WORDS


@pytest.fixture(scope="module")
def model():
    return fit_multigrams(encode_words(WORDS * 6), seed=3)


def probability(model, word):
    """Sum over all segmentations of the word and all classes of the parts."""
    tables = model.tables
    emissions = {}
    for number, text in enumerate(model.sequences):
        entries = slice(tables.first_emission[number], tables.first_emission[number + 1])
        emissions[text] = np.zeros(len(tables.begin))
        emissions[text][tables.classes[entries]] = tables.emissions[entries]
    total = 0.0
    for cuts in itertools.product([False, True], repeat=len(word) - 1):
        parts, part = [], word[0]
        for letter, cut in zip(word[1:], cuts, strict=True):
            if cut:
                parts.append(part)
                part = ""
            part += letter
        mass = tables.begin
        for number, text in enumerate([*parts, part]):
            mass = mass if number == 0 else mass @ tables.transitions
            mass = mass * emissions.get(text, 0.0)
        total += mass @ tables.end
    return total


@pytest.mark.parametrize("word", ["bead", "a", "cab", "cabbed", "badger", "zebra", "dead"])
def test_the_probability_of_a_word_is_the_sum_over_its_segmentations(model, word):
    found = np.exp(model.log_probabilities(encode_words([word])))[0]
    assert found == pytest.approx(probability(model, word), rel=1e-6)


def test_the_masses_of_lengths_are_sums_over_all_words(model):
    for length in (1, 2, 3):
        words = list(map("".join, itertools.product(ALPHABET, repeat=length)))
        total = np.exp(model.log_probabilities(encode_words(words))).sum()
        assert model.length_masses()[length] == pytest.approx(total, rel=1e-5)
    assert model.length_masses().sum() <= 1 + 1e-6
    assert model.log_probabilities(encode_words([])).shape == (0,)
