"""Excluded words against sums over all other words."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.posterior.excluded_words import excluded_words, is_excluded
from agents.posterior.lattice import likeliest_words, pair_table, presence
from agents.smoothed_ngrams import SmoothedNgrams
from envs.encoding import encode_words
from envs.hangman.observation import parse_observation
from tests.agents.test_ngram_posterior import WORDS, word_probability

LEFT = "abde"


@pytest.fixture(scope="module")
def model():
    return SmoothedNgrams(WORDS, 4)


def fillings(pattern, left=LEFT):
    for letters in itertools.product(left, repeat=pattern.count("_")):
        rest = iter(letters)
        yield "".join(next(rest) if place == "_" else place for place in pattern)


def observe(pattern, left=LEFT):
    wrong = "".join(c for c in map(chr, range(97, 123)) if c not in left and c not in pattern)
    return parse_observation(pattern, wrong, max_wrong=27)


def arguments(model, excluded):
    return (
        model.probabilities,
        model.next_state,
        model.start,
        pair_table(model.of_order(3)),
        excluded_words(excluded, model),
    )


def presence_of(model, pattern, excluded, beam=0.0):
    observation = observe(pattern)
    return presence(
        observation["word"], observation["guessed"], *arguments(model, excluded), beam, 1
    )[0]


def expected_presence(model, pattern, excluded):
    total, having = 0.0, np.zeros(26)
    for word in set(fillings(pattern)) - set(excluded):
        probability = word_probability(model, word)
        total += probability
        hidden = {letter for letter, place in zip(word, pattern, strict=True) if place == "_"}
        for letter in hidden:
            having[ord(letter) - ord("a")] += probability
    return having / total


def test_each_word_has_its_probability_by_the_model(model):
    excluded = excluded_words(WORDS, model)
    in_order = sorted(WORDS, key=lambda word: (len(word), word))
    probabilities = [word_probability(model, word) for word in in_order]
    np.testing.assert_allclose(np.exp(excluded.log_probabilities), probabilities, rtol=1e-5)


@pytest.mark.parametrize("step", [2, 3, 7])
@pytest.mark.parametrize("pattern", ["____", "_c_", "i__cc_", "c___", "__"])
def test_the_posterior_is_a_sum_over_all_other_words(model, pattern, step):
    # Words that fit, and words that do not: by their letters, by their length.
    excluded = {*WORDS, *list(fillings(pattern))[::step], "cabbiecabbie"}
    found = presence_of(model, pattern, excluded)
    np.testing.assert_allclose(found, expected_presence(model, pattern, excluded), atol=1e-4)


def test_an_excluded_word_that_no_longer_fits_changes_nothing(model):
    excluded = ("bead", "added")
    for pattern in ("a__", "c____", "_cc_"):
        without = presence_of(model, pattern, ())
        assert (presence_of(model, pattern, excluded) == without).all()


def test_where_all_words_are_excluded_the_posterior_is_that_of_all(model):
    pattern = "b__"
    found = presence_of(model, pattern, tuple(fillings(pattern)))
    np.testing.assert_allclose(found, presence_of(model, pattern, ()), atol=1e-4)


@given(
    pattern=st.text("abc_", min_size=1, max_size=5).filter(lambda text: "_" in text),
    excluded=st.sets(st.text("abcde", min_size=1, max_size=5), max_size=40),
    beam=st.sampled_from([0.0, 1e-2]),
)
def test_whatever_is_excluded_probabilities_are_probabilities(model, pattern, excluded, beam):
    found = presence_of(model, pattern, excluded, beam)
    assert np.isfinite(found).all()
    assert ((found >= 0) & (found <= 1)).all()
    left = [letter for letter in LEFT if letter not in pattern]
    others = [i for i in range(26) if chr(97 + i) not in left]
    assert (found[others] == 0).all()


@given(
    excluded=st.sets(st.text("abc", min_size=1, max_size=4), max_size=30),
    word=st.text("abc", min_size=1, max_size=5),
    shown=st.sets(st.integers(0, 4)),
)
def test_a_word_is_excluded_exactly_if_it_is_in_the_list(model, excluded, word, shown):
    codes = encode_words([word]).codes[0].copy()
    hidden = [codes[place] - 2 for place in range(len(word)) if place not in shown]
    codes[[place for place in range(len(word)) if place not in shown]] = 1
    found = is_excluded(
        codes, np.array(hidden, dtype=np.int8), len(word), excluded_words(excluded, model)
    )
    assert found == (word in excluded)


@pytest.mark.parametrize("excluded", [(), ("bead", "deed", "abba"), tuple(fillings("____"))])
def test_the_listed_words_are_those_that_are_not_excluded(model, excluded):
    observation = observe("____")
    hidden, shares = likeliest_words(
        observation["word"][0], observation["guessed"][0], *arguments(model, excluded), 1000
    )
    found = {"".join(chr(97 + letter) for letter in row[:4]): share
             for row, share in zip(hidden, shares, strict=True)}  # fmt: skip
    # Where nothing is left, all are listed.
    allowed = set(fillings("____")) - set(excluded) or set(fillings("____"))
    assert found.keys() == allowed
    total = sum(word_probability(model, word) for word in allowed)
    for word, share in found.items():
        assert share == pytest.approx(word_probability(model, word) / total, rel=1e-4)
