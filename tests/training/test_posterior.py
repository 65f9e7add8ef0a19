"""Fitting the posterior: held-back words, candidates and their classifier, lists of any kind."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hangman_lab.agents.posterior.files import load_posterior, save_posterior
from hangman_lab.envs.encoding import decode, encode_words
from hangman_lab.envs.hangman.observation import parse_observation
from hangman_lab.run_files.directory import RunDirectory
from hangman_lab.training import posterior as training
from hangman_lab.training.posterior import (
    NUM_STEPS,
    fit_classifier,
    fit_posterior,
    hold_back,
    predict,
)

STEMS = tuple("".join(letters) for letters in itertools.product("bdgkt", "aeo", "lmnr", "pst"))
ENDINGS = ("", "s", "ed", "ing", "er")
FORMS = tuple(sorted({stem + ending for stem in STEMS for ending in ENDINGS}))
# Which forms are known is chance, so that the others are as regular as these.
IS_KNOWN = np.random.default_rng(0).random(len(FORMS)) < 0.7
REGULAR = tuple(np.array(FORMS)[IS_KNOWN].tolist())
UNKNOWN = tuple(np.array(FORMS)[~IS_KNOWN].tolist())

WORDS = st.lists(st.text("abcdez", min_size=1, max_size=8), min_size=1, max_size=60, unique=True)


def random_words(count):
    letters = np.random.default_rng(1).integers(97, 123, (count, 9), dtype=np.uint8)
    return tuple(row.tobytes().decode() for row in letters)


@pytest.fixture(scope="module")
def fitted():
    return fit_posterior(REGULAR)


def candidates(posterior):
    prior = posterior.prior
    return set(map(decode, prior.words.codes[~prior.is_known]))


def probabilities(posterior, words):
    return posterior.prior.probabilities(encode_words(words))


@given(WORDS, st.randoms(use_true_random=False))
def test_held_back_words_do_not_depend_on_their_order(words, random):
    held_back, others = hold_back(words)
    assert sorted(held_back + others) == sorted(words)
    assert others
    shuffled = random.sample(words, len(words))
    assert [set(part) for part in hold_back(shuffled)] == [set(held_back), set(others)]
    # Words that are added change nothing for those that were there.
    more = hold_back([*words, "q", "qq", "qqq"])
    if held_back:
        assert set(held_back) <= set(more[0])


def test_regular_unknown_words_are_candidates(fitted):
    """The classifier, fitted on held-back words, also holds for words outside the list."""
    for posterior, unknown in (
        (fitted.held_back_posterior, hold_back(REGULAR)[0]),
        (fitted.posterior, UNKNOWN),
    ):
        listed = candidates(posterior)
        assert len(set(unknown) & listed) > 0.9 * len(unknown)
        theirs = probabilities(posterior, unknown)
        reversed_words = {word[::-1] for word in unknown} - set(FORMS)
        others = probabilities(posterior, sorted(reversed_words))
        assert np.median(theirs) > 100 * np.median(others)
    # All unknown words together have half of the mass.
    regular = probabilities(fitted.posterior, UNKNOWN).sum()
    irregular = probabilities(fitted.posterior, sorted(candidates(fitted.posterior) - set(UNKNOWN)))
    assert 0.5 > regular > irregular.sum()


def test_probabilities_are_calibrated_despite_sampling_of_negative_examples():
    # Candidates of three kinds with different shares of words, and a noise feature.
    random, shares = np.random.default_rng(0), np.array([0.02, 0.1, 0.4])
    kinds = random.integers(0, 3, 30_000)
    features = np.column_stack([kinds, random.normal(size=30_000)]).astype(np.float32)
    found = random.random(30_000) < shares[kinds]
    predicted = predict(fit_classifier(features, found), features)
    assert ((predicted > 0) & (predicted < 1)).all()
    assert predicted.sum() == pytest.approx(found.sum(), rel=0.05)
    for kind, probability in enumerate(shares):
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


def test_no_classifier_is_fitted_on_too_few_words():
    features = np.zeros((1_000, 2), dtype=np.float32)
    assert fit_classifier(features, np.arange(1_000) < 19) is None
    assert (predict(None, features) == np.zeros(1_000)).all()
    assert fit_classifier(features, np.arange(1_000) < 20) is not None


def test_candidates_are_as_likely_as_held_back_words_were_among_them(monkeypatch):
    """All together, whatever the classifier says."""
    monkeypatch.setattr(training, "predict", lambda _, features: np.full(len(features), 0.01))
    monkeypatch.setattr(training, "_PSEUDO_COUNT", 1e-9)  # The list is too short for smoothing.
    words = REGULAR + random_words(600)
    held_back_words, _ = hold_back(words)
    fitted = fit_posterior(words)
    share = np.isin(held_back_words, sorted(candidates(fitted.held_back_posterior))).mean()
    for posterior in fitted:
        likely = probabilities(posterior.with_prior(0.0), sorted(candidates(posterior))).sum()
        assert likely == pytest.approx(share, abs=0.05)


def test_unknown_words_are_as_long_as_known_ones():
    # Half of the words are such that candidates cover no others like them.
    words = REGULAR + tuple(word[: 4 + row % 6] for row, word in enumerate(random_words(600)))
    prior = fit_posterior(words).posterior.with_prior(0.0).prior
    derived = np.bincount(prior.words.lengths, prior.probabilities(prior.words), minlength=33)
    rest = prior.shares * (1 - derived.sum()) / prior.shares.sum()
    known = np.bincount([len(word) for word in words], minlength=33) / len(words)
    # Where candidates have more than a length's share, others keep a little of it.
    leaves = rest > 0.05 * known
    leaves &= known > 0
    assert leaves.sum() > 2
    ratios = (derived + rest)[leaves] / known[leaves]
    assert ratios == pytest.approx(np.full(len(ratios), ratios[0]), rel=0.02)


def test_the_same_seed_fits_the_same_posterior(fitted, tmp_path):
    def files(fitted):
        run = RunDirectory(tmp_path)
        fitted.save(run)
        return run.posterior.read_bytes(), run.held_back_posterior.read_bytes()

    steps: list[str] = []
    assert files(fit_posterior(REGULAR, say=steps.append)) == files(fitted)
    assert len(steps) == NUM_STEPS
    assert files(fit_posterior(REGULAR, seed=1)) != files(fitted)


NONE_HELD_BACK = ("bead", "cab")
# The first of some words, in order, that is held back.
HELD_BACK = next(word for word in FORMS if hold_back((word, *NONE_HELD_BACK))[0] == (word,))

LISTS = {
    "one letter": ("a",),
    "one long word": ("abcdefghijklmnopqrstuvwxyzabcdef",),
    "one word that would be held back": (HELD_BACK,),
    "two words": NONE_HELD_BACK,
    "two words, one of them held back": ("bead", HELD_BACK),
    "all letters": tuple("abcdefghijklmnopqrstuvwxyz"),
    "one length": tuple("".join(letters) for letters in itertools.product("bcd", "aeiou", "lmnr")),
    "nothing to derive": random_words(300),
    "too short to hold words back": ("walk", "walks", "walked", "talk", "talks"),
    "no word but repetitions": tuple("z" * length for length in range(1, 33)),
}


# Masked words with wrong letters.
GAMES = [("_", ""), ("____", ""), ("____", "etaoi"), ("_ea_", "st"), ("_a_ke_", "t")]
GAMES += [("z_" * 16, ""), ("_" * 32, "e"), ("_" * 9, "qx")]


@pytest.mark.parametrize("words", LISTS.values(), ids=LISTS)
def test_any_list_gives_probabilities(words, tmp_path):
    fitted = fit_posterior(words)
    _, others = hold_back(words)
    assert set(fitted.posterior.known_words) == set(words)
    assert set(fitted.held_back_posterior.known_words) == set(others)
    asked = ("x", "quiz", "bead", "walked", words[0][::-1], "jazzy" * 6, *words)
    games = [parse_observation(*game) for game in GAMES]
    for posterior in fitted:
        save_posterior(posterior, tmp_path / "posterior")
        for model in (posterior, load_posterior(tmp_path / "posterior")):
            for known in (0.0, 0.5, 1.0):
                believed = model.with_prior(known)
                found = probabilities(believed, asked)
                assert np.isfinite(found).all()
                is_known = np.isin(asked, model.known_words)
                assert (found[~is_known] > 0).all()
                assert (found[is_known] > 0).all() == (known > 0)
                for game in games:
                    present = believed.letter_probabilities(game)
                    assert np.isfinite(present).all()
                    assert ((present >= 0) & (present <= 1)).all()
                    assert present.max() > 0
