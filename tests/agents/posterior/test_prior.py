import itertools

import numpy as np
import pytest

from hangman_lab.envs.encoding import ALPHABET, encode_words
from tests.agents.posterior.priors import CANDIDATES, WORDS, prior_of


def probability(prior, *words):
    return prior.probabilities(encode_words(words))


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("known", [0.0, 0.5, 0.9])
def test_all_words_of_a_length_have_the_share_of_that_length(known, weight):
    prior = prior_of(share=known, weight=weight)
    for length in (1, 2, 3):
        known_words = sum(len(word) == length for word in WORDS)
        derived = sum(CANDIDATES[word] for word in CANDIDATES if len(word) == length)
        rest = prior.shares[length]
        expected = known * known_words / len(WORDS) + (1 - known) * (derived + rest)
        # Probabilities are kept in eighths of a bit.
        strings = map("".join, itertools.product(ALPHABET, repeat=length))
        assert probability(prior, *strings).sum() == pytest.approx(expected, rel=0.05)


def test_known_words_are_equally_likely_and_have_the_probability_known():
    prior = prior_of(share=0.7)
    assert probability(prior, *WORDS) == pytest.approx(np.full(len(WORDS), 0.7 / len(WORDS)))
    none = prior.with_prior(0.0)
    assert (probability(none, *WORDS) == 0).all()
    # What known words lose, all others gain alike.
    others = ("bad", "deed", "cabbages", "abc", "zzz")
    assert probability(none, *others) * 0.3 == pytest.approx(probability(prior, *others))
    assert probability(prior.with_prior(1.0), *others).max() < 1e-6


def test_candidates_have_their_probabilities():
    found = probability(prior_of(share=0.0), *CANDIDATES)
    ratios = found / list(CANDIDATES.values())
    assert ratios == pytest.approx(np.ones(len(CANDIDATES)), rel=0.05)


@pytest.mark.parametrize("known", [-0.1, 1.1, float("nan"), True])
def test_an_invalid_probability_of_known_words_is_refused(known):
    with pytest.raises(ValueError, match=r"known: .* is not a number in 0\.\.1"):
        prior_of().with_prior(known)
