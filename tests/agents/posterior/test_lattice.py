"""The listed words against all words that a game allows."""

import itertools

import numpy as np
import pytest

from agents.posterior.lattice import likeliest_words, pair_table
from agents.posterior.listed_words import list_words
from agents.smoothed_ngrams import SmoothedNgrams
from envs.hangman.observation import parse_observation
from tests.agents.test_ngram_posterior import WORDS, word_probability

LEFT = "abdez"


def listed(model, pattern, num_words, left=LEFT):
    """The words that are listed for a pattern in which only some letters are left, by word."""
    wrong = "".join(c for c in map(chr, range(97, 123)) if c not in left and c not in pattern)
    observation = parse_observation(pattern, wrong, max_wrong=27)
    hidden, shares = likeliest_words(
        observation["word"][0],
        observation["guessed"][0],
        model.probabilities,
        model.next_state,
        model.start,
        pair_table(model.of_order(3)),
        list_words((), (), model),
        num_words,
    )
    found = {}
    for letters, share in zip(hidden, shares, strict=True):
        rest = iter(letters)
        word = "".join(chr(97 + next(rest)) if place == "_" else place for place in pattern)
        found[word] = share
    assert len(found) == len(hidden)
    return found


@pytest.mark.parametrize("pattern", ["____", "_c_", "i__cc_", "_", "cc"])
def test_a_long_list_has_every_word_with_its_share(pattern):
    model = SmoothedNgrams(WORDS, 4)
    found = listed(model, pattern, 1000)
    expected = {}
    for filling in itertools.product(LEFT, repeat=pattern.count("_")):
        rest = iter(filling)
        word = "".join(next(rest) if place == "_" else place for place in pattern)
        expected[word] = word_probability(model, word)
    total = sum(expected.values())
    assert found.keys() == expected.keys()
    for word, share in found.items():
        assert share == pytest.approx(expected[word] / total, rel=1e-4)


def test_a_short_list_has_the_likeliest_words(real_words):
    model = SmoothedNgrams(real_words, 4)
    pattern = "__in_"
    everything = listed(model, pattern, 26**3, left="abcdefgh")
    shortlist = listed(model, pattern, 40, left="abcdefgh")
    assert len(shortlist) == 40
    assert sum(shortlist.values()) == pytest.approx(1)
    best = sorted(everything, key=everything.get, reverse=True)
    # The beam may miss a word at its edge, none of the first.
    assert set(best[:15]) <= shortlist.keys()
    ratios = [shortlist[word] / everything[word] for word in shortlist]
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-4)
