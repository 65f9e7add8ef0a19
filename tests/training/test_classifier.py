"""The classifier of candidates."""

import numpy as np
import pytest

from hangman_lab.training.posterior import fit_classifier, predict

PROBABILITIES = (0.02, 0.1, 0.4)


def test_probabilities_are_calibrated_despite_sampling_of_negative_examples():
    # Candidates of three kinds with different shares of words, and a noise feature.
    random = np.random.default_rng(0)
    kinds = random.integers(0, 3, 30_000)
    features = np.column_stack([kinds, random.normal(size=30_000)]).astype(np.float32)
    found = random.random(30_000) < np.array(PROBABILITIES)[kinds]
    predicted = predict(fit_classifier(features, found), features)
    assert ((predicted > 0) & (predicted < 1)).all()
    assert predicted.sum() == pytest.approx(found.sum(), rel=0.05)
    for kind, probability in enumerate(PROBABILITIES):
        assert predicted[kinds == kind].mean() == pytest.approx(probability, rel=0.1)


def test_few_likely_words_among_many_unlikely_ones_are_recognized():
    # One candidate in 250: steps of unbounded size diverge.
    random = np.random.default_rng(0)
    likely = np.arange(300_000) < 2_400
    features = np.column_stack([likely, random.normal(size=len(likely))]).astype(np.float32)
    found = random.random(len(likely)) < np.where(likely, 0.5, 1e-5)
    predicted = predict(fit_classifier(features, found), features)
    assert predicted[likely].mean() == pytest.approx(0.5, abs=0.1)
    assert predicted[~likely].mean() < 1e-3


@pytest.mark.parametrize("num_found", [0, 19])
def test_no_classifier_is_fitted_on_too_few_words(num_found):
    features = np.zeros((1_000, 2), dtype=np.float32)
    found = np.arange(1_000) < num_found
    assert fit_classifier(features, found) is None
    assert (predict(None, features) == np.zeros(1_000)).all()
    assert fit_classifier(features, np.arange(1_000) < 20) is not None
