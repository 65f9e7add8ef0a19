"""Learning classes of letter sequences from words."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hangman_lab.envs.encoding import encode_words
from hangman_lab.training.multigrams import fit_multigrams

FIRST = ("bread", "corn", "fish", "milk", "sand", "snow", "wood", "wind")
SECOND = ("box", "field", "house", "land", "man", "mill", "storm", "work")
COMPOUNDS = tuple(map("".join, itertools.product(FIRST, SECOND)))
# Each part is in seven words that are learned from.
LEARNED = tuple(word for row, word in enumerate(COMPOUNDS) if row % 9)
UNSEEN = tuple(sorted(set(COMPOUNDS) - set(LEARNED)))


@pytest.fixture(scope="module")
def model():
    return fit_multigrams(encode_words(LEARNED))


def log_probabilities(model, words):
    return model.log_probabilities(encode_words(words))


def test_sequences_are_letters_and_those_in_three_words(model):
    assert set("abcdefghijklmnopqrstuvwxyz") <= set(model.sequences)
    longer = {sequence for sequence in model.sequences if len(sequence) > 1}
    standing = Counter(
        word[begin:end]
        for word in LEARNED
        for begin, end in itertools.combinations(range(len(word) + 1), 2)
    )
    # Those that no class spells are left out again.
    assert longer <= {part for part, count in standing.items() if count >= 3 and len(part) <= 9}
    assert {"bread", "house"} < longer


def test_parts_that_go_together_in_other_words_are_expected_together(model):
    assert len(UNSEEN) == 8
    likely = log_probabilities(model, UNSEEN)
    swapped = [second + first for first in FIRST for second in SECOND if first + second in UNSEEN]
    # As many letters, and as many parts.
    assert likely.mean() > log_probabilities(model, swapped).mean() + 3
    learned = log_probabilities(model, LEARNED).mean()
    assert likely.mean() == pytest.approx(learned, abs=3)
    # Nearly as likely as if all compounds were equally likely, and no other word were possible.
    assert learned > -np.log(len(COMPOUNDS)) - 0.3


@settings(max_examples=20)
@given(st.sets(st.text("abc", min_size=1, max_size=32), min_size=1, max_size=15).map(sorted))
def test_any_words_give_distributions_with_support_on_all_words(words):
    model = fit_multigrams(encode_words(words))
    tables = model.tables
    assert tables.begin.sum() == pytest.approx(1, abs=1e-4)
    np.testing.assert_allclose(tables.transitions.sum(axis=1) + tables.end, 1, atol=1e-4)
    spelled = np.bincount(tables.classes, tables.emissions, minlength=len(tables.begin))
    np.testing.assert_allclose(spelled, 1, atol=1e-4)
    asked = (*words, "q", "quiz", "zxzxzxzx")
    log_probability = log_probabilities(model, asked)
    assert np.isfinite(log_probability).all()
    assert (log_probability < 0).all()


def test_nothing_is_left_of_the_first_guess():
    """The first guess is that words have several parts, of which words of a letter show none."""
    assert fit_multigrams(encode_words(("a", "b") * 300)).length_masses()[1] > 0.98
