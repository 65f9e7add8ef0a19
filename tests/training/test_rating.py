"""What is learned about candidates from those that are words."""

import numba
import numpy as np
import pytest
from scipy.special import expit

from training.rating import fit_rating, rate

CHANCES = (0.02, 0.1, 0.4)


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Two that wait for each other are slow where something else runs."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before)


@pytest.fixture(scope="module")
def examples():
    """Candidates of three kinds, each with another chance to be a word, and a feature of no use."""
    random = np.random.default_rng(0)
    kinds = random.integers(0, 3, 30_000)
    features = np.column_stack([kinds, random.normal(size=30_000)]).astype(np.float32)
    return features, random.random(30_000) < np.array(CHANCES)[kinds]


def test_chances_are_the_shares_of_words_though_most_of_the_others_are_left_out(examples):
    features, found = examples
    chances = rate(fit_rating(features, found), features)
    assert ((chances > 0) & (chances < 1)).all()
    assert chances.sum() == pytest.approx(found.sum(), rel=0.05)
    for kind, chance in enumerate(CHANCES):
        assert chances[features[:, 0] == kind].mean() == pytest.approx(chance, rel=0.1)


def test_the_same_seed_rates_alike_and_another_leaves_others_out(examples):
    features, found = examples
    one, again, other = (rate(fit_rating(features, found, seed), features) for seed in (0, 0, 1))
    assert (one == again).all()
    assert (one != other).any()


def test_what_is_learned_holds_for_other_candidates():
    random = np.random.default_rng(1)
    features = random.normal(size=(40_000, 3)).astype(np.float32)
    chances = expit(3 * features[:, 1] - 3)
    found = random.random(40_000) < chances
    ratings = rate(fit_rating(features[:20_000], found[:20_000]), features[20_000:])
    assert np.corrcoef(ratings, chances[20_000:])[0, 1] > 0.9


@pytest.mark.parametrize("num_found", [0, 19])
def test_too_few_words_teach_nothing(examples, num_found):
    features = examples[0][:1_000]
    found = np.arange(1_000) < num_found
    assert fit_rating(features, found) is None
    assert (rate(None, features) == np.zeros(1_000)).all()
    assert fit_rating(features, np.arange(1_000) < 20) is not None


def test_without_candidates_there_is_nothing_to_rate(examples):
    none = np.zeros((0, 2), dtype=np.float32)
    assert fit_rating(none, np.zeros(0, dtype=bool)) is None
    for booster in (None, fit_rating(*examples)):
        assert rate(booster, none).shape == (0,)
