import itertools

import numpy as np
import pytest

from hangman_lab.agents.posterior import prior as module
from hangman_lab.agents.posterior.files import load_posterior, save_posterior
from hangman_lab.agents.posterior.posterior import LetterPosterior
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


# A known word, a candidate, a word that is not listed, and one that is longer than the listed ones.
PEOPLE = {"face": 0.5, "bad": 0.25, "zebra": 0.125, "z" * 20: 0.125}


@pytest.fixture
def people(monkeypatch):
    monkeypatch.setattr(module, "people_words", lambda: list(PEOPLE))
    monkeypatch.setattr(
        module, "people_probabilities", lambda words: np.array([PEOPLE.get(w, 0.0) for w in words])
    )


@pytest.mark.parametrize("common", [0.3, 1.0])
def test_known_words_have_the_probability_with_which_people_choose_them(people, common):
    prior = prior_of().with_prior(0.6, common)
    known = dict.fromkeys([*WORDS, *PEOPLE])
    equal = (1 - common) / len(WORDS)
    expected = [equal * (word in WORDS) + common * PEOPLE.get(word, 0.0) for word in known]
    assert probability(prior, *known) == pytest.approx(0.6 * np.array(expected), rel=0.05, abs=1e-6)
    assert (prior.num_fitted, prior.is_known.sum()) == (len(WORDS), len(known))
    assert LetterPosterior(prior).known_words == tuple(sorted(known, key=lambda w: (len(w), w)))
    # What is not known keeps its proportions.
    others = ("deed", "cabbages")
    ratio = probability(prior, *others) / probability(prior_of().with_prior(0.6), *others)
    assert ratio[0] == pytest.approx(ratio[1])
    assert 1 < ratio[0] < 1.4
    listed = prior.words
    assert (listed.argsort() == np.arange(len(listed))).all()


def test_a_prior_returns_from_the_words_that_people_choose(people, tmp_path):
    fitted = prior_of()
    weighted = fitted.with_prior(0.6, 0.5)
    words = [*WORDS, *CANDIDATES, *PEOPLE, "abc"]
    for prior in (weighted.with_prior(0.5), weighted.with_prior(0.2, 0.9).with_prior(0.5, 0.0)):
        assert (probability(prior, *words) == probability(fitted, *words)).all()
        assert prior.common == 0
    again = weighted.with_prior(0.2, 0.9).with_prior(0.6, 0.5)
    assert (probability(again, *words) == probability(weighted, *words)).all()
    # Files have the prior that was fitted.
    for name, prior in (("weighted", weighted), ("fitted", fitted)):
        save_posterior(LetterPosterior(prior), tmp_path / name)
    assert (tmp_path / "weighted").read_bytes() == (tmp_path / "fitted").read_bytes()
    loaded = load_posterior(tmp_path / "weighted").prior.with_prior(0.6, 0.5)
    assert probability(loaded, *words) == pytest.approx(probability(weighted, *words), rel=1e-6)


@pytest.mark.parametrize("common", [-0.1, 1.1, float("nan"), True, "0.5"])
def test_an_invalid_probability_of_words_that_people_choose_is_refused(common):
    with pytest.raises(ValueError, match=r"common: .* is not a number in 0\.\.1"):
        prior_of().with_prior(0.5, common)
